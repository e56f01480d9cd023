import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { visibleDeep } from '../../domain/texts/visible.ts'
import type { Service } from '../../service/service.ts'
import { bytesOf, REPLY_BYTES } from './size.ts'

/** An agent needs these to begin. The refusal of an earlier attempt stands in the handoff itself. */
const FIRST = ['summary', 'deliverables', 'criteria', 'checks', 'constraints'] as const

/** The reply to accept with the package, so that an agent need not know how to ask for it. A long one is cut. */
export async function withPackage(answer: { readonly handoff: Handoff }, service: Service): Promise<object> {
  const content = await service.deps.store.content(answer.handoff.uid)
  if (content === undefined) return answer
  const pack = visibleDeep(content.package)
  const whole = { ...answer, package: pack, untrusted: ['handoff', 'package'] }
  if (bytesOf(whole) <= REPLY_BYTES) return whole
  const first = FIRST.flatMap((field) => (pack[field] === undefined ? [] : [[field, pack[field]]]))
  return { ...whole, package: Object.fromEntries(first), next: 'handoff_get shows the whole package' }
}
