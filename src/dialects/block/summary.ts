import { present } from '../../domain/present.ts'
import type { Interpretation } from '../dialect.ts'
import type { Data } from '../difference.ts'
import type { Draft } from '../draft.ts'
import type { Source } from '../text/source.ts'
import { isNobody } from './check.ts'
import { bare } from './required.ts'
import { phaseFor } from './words.ts'

/** Summaries are short; what stands further down belongs to something else. */
const MAX_LOOKED_AT = 20_000

const NEXT = /^[ \t]*\*{0,2}Next Agent:?\*{0,2}:?[ \t]*(\S[^\n]*)$/im
const TITLE = /^#{1,3}[ \t]+([A-Za-z]+)[ \t]+COMPLETE[ \t]*$/im
const TESTS = /Tests passed:[ \t]*(\d{1,9})[ \t]*\/[ \t]*(\d{1,9})/i
const COVERAGE = /Coverage:[ \t]*(\d{1,3}(?:\.\d{1,4})?%)/i
const DURATION = /Execution time:[ \t]*(\d[\dhms. ]{0,20}[hms])/i

const summaryText = ({ body = '' }: Source): string => body.slice(0, MAX_LOOKED_AT)

/** A summary as agents wrote it before there were blocks: it names the next agent in bold and has no block. */
export function isSummary(source: Source): boolean {
  const text = summaryText(source)
  return NEXT.test(text) && !/^[ \t]*["']?handoff["']?[ \t]*:/m.test(source.body ?? '')
}

/** Best effort: everything is inferred, and said to be. */
export function readSummary(source: Source): Interpretation {
  const text = summaryText(source)
  const draft: Data = {}
  const next = NEXT.exec(text)
  const name = next?.[1]?.replaceAll('*', '').trim() ?? ''
  if (next) draft.to = isNobody(name) ? null : bare(name)
  const phase = phaseFor(TITLE.exec(text)?.[1] ?? '')
  if (phase) Object.assign(draft, { phase, state: 'completed' })
  const metrics = metricsIn(text)
  if (Object.keys(metrics).length > 0) draft.metrics = metrics
  if (source.body) draft.body = source.body
  const inferred = Object.keys(draft).filter((key) => key !== 'body')
  const message = `This summary has no handoff block; ${inferred.join(', ')} were inferred from its lines. A YAML block below it that begins with handoff: would say it for certain.`
  return {
    draft: draft as Draft,
    diagnostics: [
      { severity: 'info', code: 'inferred', message, ...source.position(source.bodyAt + (next?.index ?? 0)) },
    ],
  }
}

function metricsIn(text: string): Data {
  const [, passed, total] = TESTS.exec(text) ?? []
  const coverage = COVERAGE.exec(text)?.[1]
  const duration = DURATION.exec(text)?.[1]
  return {
    ...(passed !== undefined && { tests_passed: Number(passed), tests_total: Number(total) }),
    ...present({ coverage, execution_time: duration }),
  }
}
