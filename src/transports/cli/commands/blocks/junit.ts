import { parseDuration } from '../../../../domain/reports/metrics-value.ts'
import { plainText } from '../../screen/plain-text.ts'
import type { Gathered, GatheredBlock } from './gathered-blocks.ts'
import { storyOf } from './table.ts'

/** JUnit XML: a suite for each file, a case for each block. What is not finished is skipped, the rest that did not pass fails. */
export function toJunit({ blocks }: Pick<Gathered, 'blocks'>): string {
  const suites = [...Map.groupBy(blocks, ({ file }) => file)]
  const body = suites.map(
    ([file, entries]) =>
      `  <testsuite name="${xml(file)}" ${totals(entries)}>\n${entries.map(caseOf).join('')}  </testsuite>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="baton" ${totals(blocks)}>\n${body.join('')}</testsuites>\n`
}

const totals = (entries: readonly GatheredBlock[]): string => {
  const number = (...kinds: readonly CaseKind[]) =>
    entries.filter((entry) => kinds.includes(caseKind(entry))).length
  return `tests="${entries.length}" failures="${number('failure')}" errors="${number('error')}" skipped="${number('skipped')}"`
}

type CaseKind = 'passed' | 'failure' | 'error' | 'skipped'

function caseKind({ verdict, outcome }: GatheredBlock): CaseKind {
  if (outcome === 'invalid' || outcome === 'refused' || verdict === 'no_block') return 'error'
  if (verdict === 'unfinished') return 'skipped'
  return verdict === 'complete' ? 'passed' : 'failure'
}

function caseOf(entry: GatheredBlock): string {
  const { from = 'unknown', phase, task, line, metrics } = entry
  const name = [phase ?? 'no block', task, `line ${line}`].filter((part) => part !== undefined).join(' · ')
  const took = metrics?.execution_time
  const ms = typeof took === 'string' ? parseDuration(took) : undefined
  const time = ms === undefined ? '' : ` time="${(ms / 1_000).toFixed(3)}"`
  const head = `    <testcase classname="${xml(from)}" name="${xml(name)}"${time}`
  const inside = insideOf(entry)
  return inside === '' ? `${head}/>\n` : `${head}>\n${inside}    </testcase>\n`
}

function insideOf(entry: GatheredBlock): string {
  const kind = caseKind(entry)
  if (kind === 'passed') return ''
  const { verdict, outcome, status, reason } = entry
  const type = kind === 'error' ? outcome : verdict
  const message = reason ?? `its status is ${status ?? 'not known: there is no valid handoff block'}`
  if (kind === 'skipped') return `      <skipped message="${xml(message)}"/>\n`
  return `      <${kind} type="${xml(type)}" message="${xml(message)}">${xml(storyOf(entry))}</${kind}>\n`
}

/** Text for an attribute or an element. XML has no place for most control characters and for lone surrogates. */
const xml = (text: string): string =>
  plainText(text)
    .replaceAll(/[\ufffe\uffff]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#9;')
