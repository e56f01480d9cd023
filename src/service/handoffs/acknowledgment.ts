import type { Draft } from '../../dialects/draft.ts'
import type { Kinds } from '../../dialects/package/artifacts.ts'
import { checkAcknowledgment } from '../../dialects/package/files/acknowledgment.ts'
import { checkReceiving, type Received } from '../../dialects/package/receiver-checks.ts'
import { nativeAcknowledgment } from '../../dialects/package/write.ts'
import type { Agent } from '../../domain/agent.ts'
import { incompatibleWith } from '../../domain/handoffs/capabilities.ts'
import { needsAcknowledgment } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { AcceptInput } from '../../domain/handoffs/inputs.ts'
import type { Acknowledgment, CheckResult, Content, ThreadItem } from '../../domain/handoffs/package.ts'
import { HOME_RULES } from '../../domain/home.ts'
import { present } from '../../domain/present.ts'
import { refuse } from '../write.ts'

/** Facts about the receiver that its acknowledgment depends on, beside the package. */
export interface ReceiverFacts {
  readonly by: string
  readonly at: string
  readonly agent: Agent | undefined
  readonly capabilities: readonly string[]
  readonly kinds: Kinds | undefined
}

/** An acceptance with the checks of document 004 and the acknowledgment in its words. */
export type Accepted = Handoff & {
  readonly checks?: readonly CheckResult[]
  readonly acknowledgment?: Readonly<Record<string, unknown>>
}

const PARTIAL = 'partial'

/** The receiver's acknowledgment and the findings of its checks; a blocker makes it partial. */
export function acknowledge(
  handoff: Handoff,
  content: Content,
  input: AcceptInput,
  facts: ReceiverFacts,
): Acknowledgment {
  const { begins } = HOME_RULES[handoff.home]
  const checked = begins === 'understood' ? checksOf(handoff, content, facts) : undefined
  const found = (checked?.blockers ?? []).filter((text) => !answeredIn(content.thread).has(text))
  const blockers = [...new Set([...(input.blockers ?? []), ...found])]
  const questions = [...(input.questions ?? [])]
  const understanding = understandingOf(input.understood)
  const starts = input.start ?? true
  const partial = input.understood === PARTIAL || blockers.length > 0 || (questions.length > 0 && !starts)
  return {
    by: facts.by,
    at: facts.at,
    understood: partial ? PARTIAL : 'yes',
    ...(understanding.length > 0 && { understanding }),
    ...(questions.length > 0 && { questions }),
    ...(blockers.length > 0 && { blockers }),
    starting: !partial && starts,
    ...present({ checks: checked && [...checked.checks] }),
  }
}

/** Refuses an acknowledgment that is not one: nothing understood, nothing asked, or about another package. */
export function refuseUnclear(handoff: Handoff, said: Acknowledgment, input: AcceptInput): void {
  const needed = needsAcknowledgment(handoff) && (input.start ?? true)
  const findings = checkAcknowledgment(
    { acknowledgment: { ...draftAcknowledgment(said), ...present({ from: input.from }) } },
    { from: handoff.from, id: handoff.id, to: handoff.to },
  ).filter(({ code }) => needed || code !== 'missing_understood_task')
  if (findings.length === 0) return
  const how = findings.some(({ code }) => code === 'missing_understood_task')
    ? `; for example: baton accept ${handoff.id} --understood "…"`
    : ''
  refuse('unmet', `${handoff.id} is not begun yet: ${findings.map((f) => f.message).join('; ')}${how}`, {
    id: handoff.id,
    problems: findings.map(({ code, field, message }) => ({ code, field, message })),
    ...present({ checks: said.checks }),
  })
}

/** The answer to whoever accepted: the handoff, each check, and the acknowledgment as document 004 writes it. */
export function accepted(handoff: Handoff, { acknowledgment }: Content): Accepted {
  if (!acknowledgment) return handoff
  const { checks, by } = acknowledgment
  const draft: Draft = {
    from: handoff.from,
    accepted_by: by,
    acknowledgment: draftAcknowledgment(acknowledgment),
  }
  return { ...handoff, ...present({ checks }), acknowledgment: { ...nativeAcknowledgment(draft) } }
}

/** As a draft holds it. */
export const draftAcknowledgment = ({
  by,
  checks,
  ...said
}: Acknowledgment): NonNullable<Draft['acknowledgment']> => said

function checksOf(handoff: Handoff, content: Content, facts: ReceiverFacts): Received {
  const { from, to, type } = handoff
  const incompatible = incompatibleWith(content.package.constraints ?? [], [
    ...(facts.agent?.capabilities ?? []),
    ...facts.capabilities,
  ])
  return checkReceiving(
    { from, to, type, package: content.package },
    present({ kinds: facts.kinds, incompatible }),
  )
}

/** A question that was answered before does not stop the work again. */
function answeredIn(thread: readonly ThreadItem[]): ReadonlySet<string> {
  const last = thread.findLastIndex(({ kind }) => kind === 'answer')
  const asked = thread.slice(0, last + 1).filter(({ kind }) => kind === 'question')
  return new Set(asked.flatMap(({ text }) => text.split('\n')))
}

function understandingOf(understood: AcceptInput['understood']): string[] {
  if (understood === undefined || understood === PARTIAL) return []
  if (typeof understood === 'string') return [understood.trim()].filter((text) => text !== '')
  return [understood.task, ...[understood.constraints ?? []].flat()]
    .map((text) => text.trim())
    .filter((text) => text !== '')
}
