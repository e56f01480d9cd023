import { BatonError } from '../../domain/errors.ts'
import { differenceLines } from '../../domain/handoffs/edits.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content, Edited } from '../../domain/handoffs/package.ts'
import { stateWords } from '../../domain/handoffs/step-words.ts'
import { isHeld } from '../../domain/lifecycle.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { mustContent } from '../lookup.ts'
import { refuse } from '../write.ts'
import { changeHandoff, notify, type Step } from './moves.ts'
import { entered } from './thread.ts'

/** An edit of work that somebody holds: its receiver is told, and the fields are kept as it saw them. */
export function editHeld(step: Step, before: Handoff, content: Content, change: object): Content {
  const { id, state, to, title, accepted_at = '' } = before
  const { actor, at } = step
  if (!isHeld(state)) return content
  if (actor.auth === 'file')
    refuse(
      'wrong_state',
      `${id} ${stateWords(state)}, and a file does not say who edits it; its sender uses: baton edit ${id}`,
      { id, state },
    )
  const seen: Readonly<Record<string, unknown>> = { ...content.package, title }
  const was = Object.fromEntries(Object.keys(change).map((field) => [field, seen[field] ?? null]))
  const unseen = content.edited && content.edited.at >= accepted_at ? content.edited.was : {}
  const fields = Object.keys(change).join(', ')
  notify(step, to, 'edited', before, `${actor.name} edited ${id} (${fields}); see: baton show ${id}`)
  return { ...content, edited: { by: actor.name, at, was: { ...was, ...unseen } } }
}

/** Work that was done by an older version is not handed in before its receiver has seen the difference. */
export function refuseUnseen(handoff: Handoff, content: Content): void {
  const { id, title, accepted_at = '' } = handoff
  const { edited } = content
  if (!edited || edited.at < accepted_at) return
  const now: Readonly<Record<string, unknown>> = { ...content.package, title }
  const difference = Object.entries(edited.was).flatMap(([field, old]) =>
    differenceLines(field, old, now[field]),
  )
  if (difference.length === 0) return
  refuse(
    'conflict',
    `${edited.by} edited ${id} after you accepted it. Look at the difference, then submit again: ${difference.join('; ')}`,
    { id, edited: edited.at, difference },
  )
}

/** The time of the edit that a refusal shows. */
export const shownEdit = (error: unknown): Edited['at'] | undefined =>
  error instanceof BatonError && typeof error.details.edited === 'string' ? error.details.edited : undefined

/** Runs a step of the receiver. A refusal that shows it an edit is given once. */
export function onceShown<T>(deps: ServiceDeps, { actor }: Call, uid: string, step: Promise<T>): Promise<T> {
  return step.catch(async (error: unknown) => {
    const at = shownEdit(error)
    if (at !== undefined)
      await changeHandoff(
        deps,
        { actor },
        {
          op: 'handoff_edit_seen',
          input: { uid },
          uid,
          reads: { contents: [uid] },
          decide: (now, before) => {
            const { edited, ...content } = mustContent(now.view, uid)
            // Another edit since then has not been shown.
            if (edited?.at !== at) return before
            now.view.putContent(uid, content)
            return entered(now, before, 'handoff.edit_seen', {}, false)
          },
        },
      )
    throw error
  })
}
