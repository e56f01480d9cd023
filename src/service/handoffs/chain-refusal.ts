import { BatonError, toError } from '../../domain/errors.ts'
import { describeChain, type Link } from '../../domain/handoffs/chain.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { ServiceDeps } from '../deps.ts'

/** The deepest chain that a workspace can have is longer than anybody reads. */
const MOST_LINKS = 32

/** The same refusal with the chain that led to it, where one did: who handed to whom, and in which handoffs. */
export async function withChain(
  deps: ServiceDeps,
  error: unknown,
  parent: Handoff | undefined,
  to: string,
): Promise<unknown> {
  if (!parent || !(error instanceof BatonError) || !isAboutChain(error)) return error
  const links = await linksTo(deps, parent)
  return toError(error.code, `${error.message}; the chain is ${describeChain(links, to)}`, {
    ...error.details,
    chain: links,
  })
}

/** Refusals of the depth and of the cycle rule say how deep, or what was before. */
const isAboutChain = ({ code, details }: BatonError): boolean =>
  (code === 'limit_exceeded' && details.depth !== undefined) ||
  (code === 'conflict' && details.before !== undefined && details.task !== undefined)

/** Oldest first. */
async function linksTo({ store }: ServiceDeps, last: Handoff): Promise<readonly Link[]> {
  const links: Link[] = []
  let handoff: Handoff | undefined = last
  while (handoff && links.length < MOST_LINKS) {
    const { id, from, to, parent }: Handoff = handoff
    links.unshift({ id, from, to })
    handoff = parent === undefined ? undefined : await store.handoff(parent)
  }
  return links
}
