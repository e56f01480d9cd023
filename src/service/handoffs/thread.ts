import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { ThreadItem } from '../../domain/handoffs/package.ts'
import { enterHandoff } from '../log-record.ts'
import { mustContent } from '../lookup.ts'
import { finish, noteNews, notify, type Step } from './moves.ts'

/** Adds to what sender, receiver and people say to each other about a handoff. */
export function talk(step: Step, handoff: Handoff, item: Pick<ThreadItem, 'kind' | 'text' | 'choice'>): void {
  const content = mustContent(step.view, handoff.uid)
  const said: ThreadItem = { ...item, by: step.actor.name, at: step.at }
  step.view.putContent(handoff.uid, { ...content, thread: [...content.thread, said] })
}

/** Asks without waiting: the work goes on, and the sender is told. */
export function askBeside(step: Step, handoff: Handoff, questions: readonly string[]): void {
  for (const text of questions) talk(step, handoff, { kind: 'question', text })
  const text = `${handoff.to} began ${handoff.id} and asks: ${questions.join(' ')}`
  notify(step, handoff.from, 'asked', handoff, text)
}

/** Whether the sender answers something that was asked while the work goes on. */
export function isAnswerBeside({ view, actor }: Step, handoff: Handoff): boolean {
  const thread = view.content(handoff.uid)?.thread ?? []
  const asked = thread.findLastIndex(({ kind }) => kind === 'question')
  return (
    (handoff.state === 'in_progress' || handoff.state === 'blocked') &&
    actor.name === handoff.from &&
    asked > thread.findLastIndex(({ kind }) => kind === 'answer')
  )
}

/** An answer that moves nothing: the receiver is at work and is told. */
export function answerBeside(step: Step, before: Handoff, text: string): Handoff {
  talk(step, before, { kind: 'answer', text })
  const next = entered(step, before, 'handoff.answer', { answer: text })
  tellAnswer(step, next, text)
  return next
}

/** Enters what somebody said of a handoff that stays where it is. */
export function entered(step: Step, before: Handoff, act: string, fields: object, progress = true): Handoff {
  const next = finish(step, before, before)
  noteNews(step, before, act)
  enterHandoff(step, act, next, { fields: { ...fields }, progress })
  step.view.putHandoff(next)
  return next
}

/** The asker goes on with the answer, and may have begun another session since. */
export function tellAnswer(step: Step, handoff: Handoff, text: string): void {
  const asker = handoff.waiting_for ?? handoff.to
  notify(step, asker, 'answered', handoff, `${step.actor.name} answered about ${handoff.id}: ${text}`)
}
