import { kindOf } from '../domain/policy.ts'
import { present } from '../domain/present.ts'
import { visibleDeep } from '../domain/texts/visible.ts'
import type { Call } from '../service/deps.ts'
import { queueArtifactPath } from '../service/documents/artifact.ts'
import type { Service } from '../service/service.ts'
import { waitFor, waitForResult } from '../service/wait.ts'
import { callOperation } from './calls.ts'
import type { AgentLink, Link } from './link.ts'

export interface LocalLinkOptions {
  readonly service: Service
  /** Relative schema paths are looked for here. */
  readonly base: string
  readonly close: () => Promise<void>
}

/** A workspace whose store this process has open. */
export function localLink({ service, base, close }: LocalLinkOptions): Link {
  return {
    // Nothing proves the name: one system user is one trust domain.
    as: (name, options = {}) =>
      localAgent(service, {
        actor: {
          name,
          kind: options.kind ?? kindOf(service.deps.policy, name),
          auth: 'os-user',
          ...present({ instance: options.instance }),
        },
      }),
    compile: async (schema) => {
      const { compileSchema } = await import('../service/schema/json-schema.ts')
      return compileSchema(schema, base)
    },
    async *events({ since, signal = new AbortController().signal, ...filter } = {}) {
      const { isWanted } = await import('../service/events.ts')
      const events = await service.events()
      for await (const event of events.follow({ since: await events.startOf(since), signal }))
        if (isWanted(event, filter)) yield event
    },
    close,
  }
}

export function localAgent(service: Service, call: Call): AgentLink {
  const { deps } = service
  const { name, instance } = call.actor
  return {
    name,
    instance,
    call: (operation, input, { key } = {}) =>
      callOperation(service, key === undefined ? call : { ...call, key }, operation, input),
    wait: (ref, options) => waitForResult(deps, ref, options),
    claim: async (lease_s) => {
      const claimed = await service.receiving.claimed(call, { lease_s })
      return claimed && { ...claimed, handoff: visibleDeep(claimed.handoff) }
    },
    handoff: (uid) => deps.store.handoff(uid),
    content: async (uid) => (await deps.store.content(uid)) ?? { package: {}, verifications: [] },
    inbox: (limit) => deps.store.inbox(name, { limit }),
    artifactPath: (handoff, type) => queueArtifactPath(deps, handoff, type),
    until(about, look, signal) {
      const name = 'handoff' in about ? about.handoff : about.agent
      return waitFor(deps, look, () => Number.POSITIVE_INFINITY, signal, name)
    },
  }
}
