import { present } from '../../../domain/present.ts'
import { type ReadAgent, readAgent } from '../agents.ts'

/** What a heading says of a handoff. */
export interface HeadingParts {
  /** The heading begins with the word. */
  readonly isHandoff: boolean
  readonly title?: string
  readonly id?: string
  readonly task?: string
  readonly from?: ReadAgent
  readonly to?: ReadAgent
}

const PREFIX =
  /^(?:[^\p{L}\p{N}#]{1,4})?(?:(?:agent|task|work|session|project|phase|team)[ -])?hand-?off(?: (?:document|notes?|report|summary|brief))?(?:\s*[:—–]\s*|\s+-\s+|\s+|$)/iu
const NUMBERED = /^(HANDOFF-\d{1,8})\s*(?:[:—–-]\s*)?/i
const TASK_HEADING = /^([A-Z][A-Z0-9]{1,9}(?:-\d{1,6}){1,2})\s*(?:[:—–]|\s-\s)\s*/
const ARROW = /\s*(?:→|->|=>|➜|➡\ufe0f?|⇒|⟶)\s*/
const FROM_TO = /^from\s+(\S{1,64})\s+to\s+(\S{1,64})$/i
/** A longer heading is a paragraph. */
const LONGEST = 300
const NAME = /^@?[\w.-]{1,64}(?:\s*\([^()]{0,60}\))?$/

/** `Handoff: Title`, `HANDOFF-013: Title`, `BPRD-2026-0001: Title`, `Handoff: grok → claude`, or a title alone. */
export function headingParts(whole: string): HeadingParts {
  const heading = whole.slice(0, LONGEST)
  const numbered = NUMBERED.exec(heading)
  if (numbered)
    return { isHandoff: true, id: numbered[1]!, ...titleAndTask(heading.slice(numbered[0].length)) }
  const prefix = PREFIX.exec(heading)
  if (!prefix) return { isHandoff: false, ...titleAndTask(heading) }
  const rest = heading.slice(prefix[0].length).trim()
  const sides = FROM_TO.exec(rest)?.slice(1) ?? rest.split(ARROW)
  if (sides.length === 2 && sides.every((side) => NAME.test(side))) {
    const [from, to] = sides.map((side) => readAgent(side))
    return { isHandoff: true, ...present({ from, to }) }
  }
  // "Handoff Protocol" is a title that begins with the word; "Handoff: Protocol" is a handoff.
  const isHandoff = rest === '' || /[:—–-]\s*$/.test(prefix[0])
  return { isHandoff, ...titleAndTask(isHandoff ? rest : heading) }
}

function titleAndTask(text: string): { title?: string; task?: string } {
  const task = TASK_HEADING.exec(text)
  const title = (task ? text.slice(task[0].length) : text).trim()
  return { ...(title !== '' && { title }), ...(task && { task: task[1]! }) }
}
