import { invalidInput, notAllowed, notFound } from '../domain/errors.ts'
import { kindOf } from '../domain/policy.ts'
import { present } from '../domain/present.ts'
import { jsonProblem } from '../domain/texts/json-problem.ts'
import { visibleDeep } from '../domain/texts/visible.ts'
import { isOperationName, loadOperation } from '../operations/index.ts'
import { invoke } from '../operations/operation.ts'
import type { Call } from '../service/deps.ts'
import { queueArtifactPath } from '../service/documents/artifact.ts'
import type { Service } from '../service/service.ts'
import { waitFor, waitForResult } from '../service/wait.ts'
import type { AgentLink, Link } from './link.ts'
import type { OperationInput, OperationName, OperationOutput } from './operation-types.ts'

export interface LocalLinkOptions {
  readonly service: Service
  /** Relative schema paths are looked for here. */
  readonly base: string
  readonly close: () => Promise<void>
  /** Why it is in doubt that a person began all this. */
  readonly doubt?: string | undefined
}

/** A workspace whose store this process has open. */
export function localLink({ service, base, close, doubt }: LocalLinkOptions): Link {
  return {
    // Nothing proves the name: one system user is one trust domain.
    as: (name, options = {}) =>
      localAgent(service, {
        actor: {
          name,
          kind: options.kind ?? kindOf(service.deps.policy, name),
          auth: 'os-user',
          ...present({ instance: options.instance, doubt }),
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

/** Calls one operation by its name, as every transport does. */
async function callOperation<Name extends OperationName>(
  service: Service,
  call: Call,
  name: Name,
  input: OperationInput<Name>,
): Promise<OperationOutput<Name>> {
  if (!isOperationName(name)) throw notFound(`${name} is not an operation`, { operation: name })
  const operation = await loadOperation(name)
  // A name that a program gives cannot be a person's. Only the kit for tests has people.
  if (operation.peopleOnly && call.actor.auth !== 'tty')
    throw notAllowed(`${name} is for people only; a person must run it at a terminal or in the dashboard`, {
      operation: name,
    })
  // Over the other surfaces input comes as JSON; a program may give anything.
  const fault = jsonProblem(input)
  if (fault)
    throw invalidInput(`${fault.field || 'the input'} ${fault.what}`, {
      operation: name,
      field: fault.field,
    })
  // The list of operations is looked up by name, which is what ties this answer to this type.
  return (await invoke(operation, service, call, input)) as OperationOutput<Name>
}
