import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { StoreTarget } from '../../src/compose/main.ts'
import type { Policy } from '../../src/domain/policy.ts'
import { messageOf } from './child.ts'
import type { Note, Order, Reply } from './worker.ts'

const PROGRAM = join(import.meta.dirname, 'worker.ts')

const KILLED: Reply = { ok: false, code: 'killed', message: 'the worker has ended' }

/** A process with a service of its own, for as long as the suite. */
export class Worker {
  readonly name: string
  readonly notes: Note[] = []
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  readonly #ended: Promise<unknown>
  #asked = 0

  constructor(name: string, child: ChildProcess) {
    this.name = name
    this.#child = child
    this.#ended = once(child, 'close')
    child.on('message', (message: { id: number; reply: Reply }) => {
      this.#waiting.get(message.id)?.(message.reply)
      this.#waiting.delete(message.id)
    })
    child.on('exit', () => {
      for (const answer of this.#waiting.values()) answer(KILLED)
      this.#waiting.clear()
    })
    let rest = ''
    const pipe = child.stdio[3] as Readable
    pipe.setEncoding('utf8')
    pipe.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      this.notes.push(...lines.map((line) => JSON.parse(line) as Note))
    })
  }

  /** What came of the order; a worker that was killed answers `killed`. */
  tell(order: Order): Promise<Reply> {
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve) => {
      if (!this.#child.connected) return resolve(KILLED)
      this.#waiting.set(id, resolve)
      // A worker that dies on the way is told by its end.
      this.#child.send({ id, order }, () => undefined)
    })
  }

  async open(target: StoreTarget, policy: Partial<Policy> = {}): Promise<string> {
    const reply = await this.tell({ do: 'open', target, policy })
    if (!reply.ok) throw new Error(`${this.name} cannot open the store: ${reply.message}`)
    return String(reply.value)
  }

  call(noun: string, verb: string, ...args: readonly unknown[]): Promise<Reply> {
    return this.tell({ do: 'call', method: [noun, verb], args })
  }

  /** Ends the process between two of its instructions, and answers when all that it noted is known. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

/** Processes that were started ahead of time. Compiled code is shared, so that the second starts fast. */
export class Pool {
  readonly #workers = new Set<Worker>()
  #started = 0
  #first: Promise<Worker> | undefined

  /** The first one compiles for all: the others wait until it has. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<Worker> {
    if (this.#first) await this.#first
    const starting = this.#start(env)
    this.#first ??= starting
    return starting
  }

  async startMany(count: number): Promise<readonly Worker[]> {
    return Promise.all(Array.from({ length: count }, () => this.start()))
  }

  async #start(env: Readonly<Record<string, string>>): Promise<Worker> {
    this.#started += 1
    const child = fork(PROGRAM, {
      execPath: process.execPath,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'ipc'],
    })
    const worker = new Worker(`w${this.#started}`, child)
    this.#workers.add(worker)
    await messageOf(child)
    return worker
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.kill()))
  }
}
