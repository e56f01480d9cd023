import { MARKDOWN_STATUSES } from '../../domain/handoffs/markdown-status.ts'
import type { State } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { Priority } from '../../domain/priority.ts'
import { isData } from '../difference.ts'
import { mapping, type Schema } from '../json-schema.ts'
import type { Codec } from '../table/row.ts'
import { isPlaceholder } from '../text/placeholder.ts'
import { quotedText } from '../text/quoted.ts'
import { seconds } from '../text/time.ts'
import { findWord, PRIORITY_WORDS } from '../text/words.ts'
import type { Reading } from './reading.ts'
import { statusFor } from './status.ts'

/** How one kind of value is found in front matter and body, written and described. */
export interface Kind<T> extends Codec<T> {
  /** Absent where a value depends on others: `idAndTask` and `readClosing` find these. */
  readonly find?: (reading: Reading, key: string) => T | undefined
  readonly schema?: Schema
}

const itself = (value: unknown): unknown => value
const kind = <T>(schema: Schema, find: Kind<T>['find'], write: Kind<T>['write'] = itself): Kind<T> => ({
  schema,
  write,
  ...(find && { find }),
})
const string = (pattern?: string, description?: string): Schema => ({
  type: 'string',
  ...present({ pattern, description }),
})
/** A mapping with all of these keys, and others. */
export const whole = (properties: Schema): Schema => mapping(properties, Object.keys(properties))

export const ID = string(
  '^handoff-.+-BPRD-\\d{4}-\\d{4,}-\\d{8}(-\\d+)?$',
  'handoff-{from_agent}-{to_agent}-{related_task}-{YYYYMMDD}, also the name of the file',
)
export const TASK = string('^BPRD-\\d{4}-\\d{4,}$')
export const TIME = string(
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
  'An instant in UTC to the second, for example 2026-02-21T14:30:00Z',
)
export const AGENT = string('^[A-Za-z0-9][A-Za-z0-9._-]*$', 'An agent, without @')
export const STATUS = { enum: MARKDOWN_STATUSES }
const [ANY, SOME] = [string(), string('\\S')]
export const wholeList = (properties: Schema): Schema => ({ type: 'array', items: whole(properties) })
export const EVIDENCE = wholeList({ deliverable: SOME, evidence: SOME })
export const RECORD = whole({
  verified_at: TIME,
  deliverable_checks: wholeList({
    deliverable: SOME,
    status: { enum: ['verified', 'refused'] },
    evidence: ANY,
  }),
})
export const REASON = { anyOf: [ANY, whole({ type: SOME, message: ANY })] }

/** A value that is found together with others. */
export const told = <T>(schema = ANY): Kind<T> => kind(schema, undefined)
export const stateWord = kind<State>(STATUS, undefined, statusFor)
export const agentName = kind<string>(AGENT, (reading, key) => reading.agent(key)?.name ?? undefined)
export const receiverName = kind<string | null>(
  AGENT,
  (reading, key) => reading.agent(key)?.name,
  (name) => name ?? undefined,
)
export const instant = kind<string>(TIME, (reading, key) => reading.time(key), seconds)
/** In the front matter or in the body. */
export const bodyText = kind<string>(SOME, (reading, key) => reading.text(key))
/** In the front matter alone. */
export const frontText = kind<string>(ANY, (reading, key) => reading.frontText(key))
export const textLines = kind<string[]>({ type: 'array', minItems: 1, items: SOME }, (reading, key) =>
  reading.list(key),
)
export const titleText = kind<string>(SOME, (reading, key) => {
  const front = reading.frontText(key)
  if (front !== undefined) return front
  const { heading, headingAt } = reading.index
  const line = reading.index.field(key)
  const said = line?.value || heading.title
  if (said === undefined) return undefined
  const at = line?.at ?? headingAt
  const message = `${quotedText(said)} was left to be filled in; write what the handoff is about.`
  const isOpen = isPlaceholder(said, 'markdown')
  if (isOpen) reading.report('warning', 'placeholder', message, reading.bodyPosition(at))
  else reading.foundInBody(key, at)
  return isOpen ? undefined : said
})

/** In front matter, or behind the name of the agent. */
export const roleName = kind<string>(ANY, (reading, key) => {
  const { nested, top } = reading
  return nested?.text(key) ?? top?.text(key) ?? reading.agent(key.replace('role', 'agent'))?.role
})
export const projectId = kind<string>(ANY, ({ top }) =>
  isData(top?.value('project')) ? top?.below('project')?.text('id') : top?.text('project'),
)
export const priorityWord = kind<Priority>(ANY, (reading, key) => {
  const front = reading.frontText(key)
  const line = front === undefined ? reading.index.line(key) : undefined
  const said = front ?? line?.value
  if (said === undefined || isPlaceholder(said, 'markdown')) return undefined
  const before = said.slice(0, 100).split(/\s*[([|,—–-]/)[0]!
  const found = findWord(PRIORITY_WORDS, said) ?? findWord(PRIORITY_WORDS, before)
  const message = `${quotedText(said)} is not a known priority; write critical, high, normal or low.`
  const at = () => (line ? reading.bodyPosition(line.at) : reading.positionOf(key))
  if (!found) reading.report('info', 'unknown_priority', message, at())
  return found?.word
})
