import { MARKDOWN_TRANSITIONS } from '../../domain/handoffs/markdown-status.ts'
import type { Draft } from '../draft.ts'
import { seconds } from '../text/time.ts'
import { handoffId, isTaskId, parseName } from './names.ts'
import { statusFor } from './status.ts'

/** The folder at the root of a repository that document 000 gives to handoffs. */
export const ROOT = '_handoffs'
export const INDEX_PATH = `${ROOT}/_index.yaml`

/** Whether nothing follows: then a handoff is archived. */
export const isEnded = ({ state }: Draft): boolean =>
  state !== undefined && MARKDOWN_TRANSITIONS[statusFor(state)].length === 0

/**
 * The folder that a handoff belongs into. What has ended is filed by the month of its end; where nobody says when
 * that was, by the last time that is known.
 */
export function folderFor(draft: Draft): string {
  if (!isEnded(draft)) return `${ROOT}/active`
  const { ended_at, rejection, updated_at, created_at } = draft
  const at = [ended_at, rejection?.at, updated_at, created_at].find(isInstant)
  const [year, month] = at === undefined ? ['YYYY', 'MM'] : seconds(at).split('-')
  return `${ROOT}/archived/${year}/${month}`
}

/** The id that the keys make, or the one it has where that is of document 000's form; undefined where neither does. */
export function idFor({ id, from, to, task, created_at }: Draft): string | undefined {
  if (id !== undefined && isNativeId(id)) return id
  if (from === undefined || !to || task === undefined || !isTaskId(task) || !isInstant(created_at))
    return undefined
  return handoffId({ from, to, task, created_at: seconds(created_at) })
}

/** Of document 000's form, also where hyphens leave open which agents it names. */
export function isNativeId(id: string): boolean {
  const name = parseName(id)
  return name.ok || name.reason === 'ambiguous'
}

const isInstant = (time: string | undefined): time is string =>
  time !== undefined && /^\d{4}-/.test(time) && !Number.isNaN(Date.parse(time))
