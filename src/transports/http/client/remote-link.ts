import { type BatonError, invalidInput, notAllowed, onRefusal } from '../../../domain/errors.ts'
import { present } from '../../../domain/present.ts'
import { jsonProblem } from '../../../domain/texts/json-problem.ts'
import type { AgentLink, Link, Outcome, Subject } from '../../../runner/link.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import type { Event } from '../../../service/events.ts'
import { createRemote, type Remote, type RemoteOptions } from './remote.ts'
import { rest } from './rest.ts'

export interface RemoteLinkOptions extends Pick<RemoteOptions, 'url'> {
  /** The token of one agent, or those of several. Made with: baton token create --agent NAME */
  readonly token: string | readonly string[]
  readonly compile: Link['compile']
}

export interface RemoteLink extends Link {
  /** The token of each agent that it can be, for programs that act for themselves. */
  readonly tokens: ReadonlyMap<string, string>
}

/** A workspace at a server. The server says which agent each token stands for. */
export async function remoteLink({ token, compile, ...options }: RemoteLinkOptions): Promise<RemoteLink> {
  const tokens = typeof token === 'string' ? tokensIn(token) : token
  const known = await Promise.all((tokens.length === 0 ? [''] : tokens).map((each) => know(options, each)))
  const byName = new Map(known.map((each) => [each.name, each]))
  return {
    as: (name, { instance } = {}) => {
      const found = byName.get(name)
      if (!found) throw unknownAgent(name, [...byName.keys()])
      const { feed, remote } = found
      const own = instance === undefined ? remote : createRemote({ ...options, token: found.token, instance })
      return remoteAgent(own, feed, name, instance)
    },
    tokens: new Map(known.map((each) => [each.name, each.token])),
    compile,
    events: (filter) => known[0]!.remote.events(filter),
    close: async () => {
      for (const { feed } of known) feed.close()
    },
  }
}

const tokensIn = (token: string): readonly string[] => token.split(/[\s,]+/).filter((each) => each !== '')

async function know(options: Pick<RemoteOptions, 'url'>, token: string) {
  const remote = createRemote({ ...options, token })
  const { name } = await remote.whoami()
  return { token, name, remote, feed: new Feed(remote, name) }
}

function unknownAgent(name: string, names: readonly string[]): BatonError {
  return notAllowed(
    `no token here is for ${name}, only for ${names.join(', ')}; give openBaton one more: baton token create --agent ${name}`,
    { name },
  )
}

function remoteAgent(remote: Remote, feed: Feed, name: string, instance: string | undefined): AgentLink {
  // The table of operations ties each answer to its type.
  const call: AgentLink['call'] = async (operation, input, { key } = {}) => {
    const fault = jsonProblem(input)
    if (fault) throw invalidInput(`${fault.field || 'the input'} ${fault.what}`, { operation })
    return (await remote.call(operation, input, present({ key }))) as OperationOutput<typeof operation>
  }
  return {
    name,
    instance,
    call,
    wait: async (ref, { timeout_s, signal }) => {
      const given = { id: typeof ref === 'string' ? ref : ref.uid, ...present({ timeout_s }) }
      const answer = await remote.call('handoff_wait', given, present({ signal }))
      const { done: _, untrusted: __, ...outcome } = answer as Outcome & Record<string, unknown>
      return outcome
    },
    claim: async (lease_s) => {
      const { handoff } = await call('handoff_claim', { lease_s })
      return handoff && { handoff }
    },
    handoff: async (id) =>
      (await call('handoff_get', { id }).catch(onRefusal(undefined, 'not_found')))?.handoff,
    content: (id) => call('handoff_get', { id }),
    inbox: (limit) => call('handoff_inbox', { limit }),
    artifactPath: async () => undefined,
    until: (about, look, signal) => feed.until(about, look, signal),
  }
}

/** With a stream of events a look without one is for what no event names; without a stream there is nothing else. */
const LOOK_AGAIN_MS = 10_000
const LOOK_BLINDLY_MS = 1_000

interface Waiting {
  readonly about: Subject
  wake(): void
}

/** Wakes everything in this process that waits for changes around one agent, by one stream of events. */
class Feed {
  readonly #remote: Remote
  readonly #agent: string
  readonly #waiting = new Set<Waiting>()
  #stream: AbortController | undefined
  /** Whether the stream is open. */
  #hears = false

  constructor(remote: Remote, agent: string) {
    this.#remote = remote
    this.#agent = agent
  }

  until: AgentLink['until'] = async (about, look, signal) => {
    let wake: AbortController
    let woken = false
    const waiting: Waiting = {
      about,
      wake: () => {
        woken = true
        wake?.abort()
      },
    }
    // Added before the first look: a change between look and sleep must not be missed.
    this.#waiting.add(waiting)
    this.#listen()
    try {
      for (;;) {
        signal.throwIfAborted()
        woken = false
        const found = await look()
        if (found !== undefined) return found
        wake = new AbortController()
        if (!woken)
          await rest(this.#hears ? LOOK_AGAIN_MS : LOOK_BLINDLY_MS, AbortSignal.any([signal, wake.signal]))
      }
    } finally {
      this.#waiting.delete(waiting)
      if (this.#waiting.size === 0) this.close()
    }
  }

  close(): void {
    this.#stream?.abort()
    this.#stream = undefined
    this.#hears = false
  }

  #listen(): void {
    if (this.#stream) return
    const stream = new AbortController()
    this.#stream = stream
    // A token that may not hear of events looks every second instead.
    void this.#follow(stream.signal).catch(() => undefined)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onState = (open: boolean) => {
      if (signal.aborted) return
      this.#hears = open
      // Something may have happened while nobody listened.
      if (open) for (const waiting of this.#waiting) waiting.wake()
    }
    for await (const event of this.#remote.events({ agent: this.#agent, kind: 'handoff', signal, onState }))
      for (const waiting of this.#waiting) if (concerns(event, waiting.about)) waiting.wake()
  }
}

const concerns = ({ subject, kind }: Event, about: Subject): boolean =>
  'handoff' in about ? subject === about.handoff : kind === 'handoff'
