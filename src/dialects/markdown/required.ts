import { ackDeadline } from '../../domain/handoffs/deadlines.ts'
import { valueAt } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { fieldOfKey, type NativeKey, normalKey } from './keys.ts'
import { handoffId, isTaskId } from './names.ts'
import type { Reading } from './reading.ts'
import { seconds } from './render.ts'
import { REQUIRED_KEYS } from './schema.ts'
import { statusFor } from './status.ts'

const EXAMPLES: Readonly<Record<string, string>> = {
  handoff_id: 'handoff-grok-claude-BPRD-2026-0042-20260221',
  from_agent: 'grok',
  to_agent: 'claude',
  related_task: 'BPRD-2026-0042',
  status: 'Active',
  created_at: '2026-02-21T14:30:00Z',
  updated_at: '2026-02-21T14:30:00Z',
  expires_at: '2026-02-21T18:30:00Z',
  title: 'the subject',
  purpose: 'why it is handed over',
  context: 'facts for the receiver',
  deliverables: '["what must be handed in"]',
  verification_criteria: '["how it is verified"]',
  source_meeting: 'meetings/… or null',
  skill_web_node: 'skills/… or null',
}

/** Every missing key is named at once, with what to write. */
export function checkRequired(reading: Reading, draft: Draft): void {
  const { start } = reading
  if (!reading.top) {
    const message = 'There is no front matter; begin the file with --- and the keys, and close it with ---.'
    reading.report('error', 'front_matter_missing', message, start)
  }
  const { identification, lifecycle, content, linkage, acknowledgment, completion } = REQUIRED_KEYS
  for (const key of [...identification, ...lifecycle, ...content]) checkKey(reading, draft, key)
  for (const key of linkage) {
    const isThere = reading.hasFront(key)
    if (!isThere)
      reading.report('error', 'required_field', `${key} is missing; add \`${key}: ${EXAMPLES[key]}\`.`, start)
    else if (!reading.frontIsSaid(key))
      reading.report(
        'warning',
        'linkage_blank',
        `${key} is empty; write where it is to be found.`,
        reading.positionOf(key),
      )
  }
  const absent = [...acknowledgment, ...completion].filter((key) => !reading.hasFront(key))
  if (reading.top && absent.length > 0) {
    const keys = absent.map((key) => `\`${key}: null\``).join(', ')
    reading.report(
      'info',
      'missing_keys',
      `Keys that are set later are written as null from the start; add ${keys}.`,
      start,
    )
  }
}

function checkKey(reading: Reading, draft: Draft, key: NativeKey): void {
  const isThere = reading.hasFront(key)
  // A value that could not be read has been reported where it stands.
  if (!reading.frontIsSaid(key)) {
    const where = WHERE[reading.found.get(key) ?? 'front']
    const [what, add] = isThere ? ['empty', 'write'] : ['missing', 'add']
    const at = isThere ? reading.source.locate(reading.pathOf(key)) : reading.start
    reading.report(
      'error',
      'required_field',
      `${key} is ${what}${where}; ${add} ${exampleLine(key, draft)}.`,
      at,
    )
  }
  if (isThere) demandTime(reading, key)
  const place = reading.places.get(key)
  if (isThere && place?.length === 1 && normalKey(String(place[0])) !== key) {
    const message = `${place[0]} is called ${key} in this format; write \`${key}: …\`.`
    reading.report('warning', 'key_name', message, reading.positionOf(key))
  }
}

/** A day that does not exist is only a warning under a key that nobody has to write. */
function demandTime(reading: Reading, key: NativeKey): void {
  const { diagnostics } = reading
  const at = reading.positionOf(key)
  for (const [i, problem] of diagnostics.entries())
    if (problem.code === 'bad_time' && problem.line === at.line && problem.column === at.column)
      diagnostics[i] = { ...problem, severity: 'error' }
}

const WHERE = {
  front: '',
  body: ' in the front matter; only the body says it',
  name: ' in the front matter; only the name of the file says it',
}

/** The line to write: what was found elsewhere, what the other keys let us guess, or an example. */
function exampleLine(key: string, draft: Draft): string {
  const found =
    key === 'status' ? draft.state && statusFor(draft.state) : valueAt(draft, fieldOfKey(key).split('.'))
  const short = typeof found === 'string' && found.length <= 60 && !found.includes('\n') ? found : undefined
  return `\`${key}: ${short ?? (found ? '…' : (guessFor(key, draft) ?? EXAMPLES[key]))}\``
}

/** Document 000 gives four hours for an answer. */
function guessFor(key: string, { from, to, task, created_at }: Draft): string | undefined {
  if (created_at === undefined) return undefined
  if (key === 'updated_at') return created_at
  if (key === 'expires_at') return seconds(ackDeadline('markdown', 'offered', created_at) ?? created_at)
  if (key !== 'handoff_id' || !from || !to || task === undefined || !isTaskId(task)) return undefined
  return handoffId({ from, to, task, created_at })
}
