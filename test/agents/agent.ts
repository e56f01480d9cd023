import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before } from 'node:test'
import type { StoreTarget } from '../../src/compose/main.ts'
import type { OperationName } from '../../src/operations/index.ts'
import type { Call } from '../../src/service/deps.ts'
import { messageOf } from '../faults/child.ts'
import type { Order, Reply } from './program.ts'

const PROGRAM = join(import.meta.dirname, 'program.ts')

/** Agents in a process of their own, on their own connection. */
export class AgentProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #asked = 0

  constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', ({ id, reply }: { id: number; reply: Reply }) => this.#waiting.get(id)?.(reply))
    child.on('exit', () => {
      for (const answer of this.#waiting.values())
        answer({ ok: false, code: 'ended', message: 'the process has ended' })
    })
  }

  tell(order: Order): Promise<Reply> {
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#child.send({ id, order })
    })
  }

  /** The answer of a call that must succeed. */
  async ask<T = Record<string, unknown>>(call: Call, name: OperationName, input: unknown = {}): Promise<T> {
    const reply = await this.tell({ do: 'ask', call, name, input })
    if (!reply.ok) throw new Error(`${name}: ${reply.code} ${reply.message}`)
    return reply.value as T
  }

  /** The refusal of a call that must not. */
  async refusal(call: Call, name: OperationName, input: unknown = {}) {
    const reply = await this.tell({ do: 'ask', call, name, input })
    if (reply.ok) throw new Error(`${name} was not refused`)
    return reply
  }

  /** Opens a store, on a connection of its own; one that was open is closed. */
  async open(target: StoreTarget): Promise<void> {
    const reply = await this.tell({ do: 'open', target })
    if (!reply.ok) throw new Error(reply.message)
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

/** Some processes for as long as a suite lasts; each test opens its own store in them. */
export function startAgents(count: number): { readonly agents: readonly AgentProcess[] } {
  const agents: AgentProcess[] = []
  before(async () => {
    const children = Array.from({ length: count }, () => fork(PROGRAM, { execPath: process.execPath }))
    await Promise.all(children.map(messageOf))
    agents.push(...children.map((child) => new AgentProcess(child)))
  })
  after(() => Promise.all(agents.map((agent) => agent.end())))
  return { agents }
}
