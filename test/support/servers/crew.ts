import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

export interface Answer {
  readonly status: number
  readonly body: string
  readonly ms: number
}

const sockets = new Agent({ keepAlive: true, maxSockets: 512 })

/** One HTTP call to a server of this machine, with the milliseconds until the last byte of its answer. */
export function ask(
  port: number,
  token: string,
  path: string,
  body?: object,
  key?: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const started = performance.now()
  const sent = body && JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
    ...(key && { 'idempotency-key': key }),
  }
  const method = body ? 'POST' : 'GET'
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      headers,
      agent: sockets,
      ...(signal && { signal }),
    }
    const call = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, ms: performance.now() - started }),
      )
    })
    call.on('error', reject)
    call.end(sent)
  })
}

/** Lets the process end: no connection is kept. */
export const hangUp = (): void => sockets.destroy()

export interface Member {
  readonly name: string
  readonly token: string
}

/** Milliseconds of each call, by operation. */
export type Times = ReadonlyMap<string, readonly number[]>

interface Work {
  readonly uid: string
  readonly from: number
}

const EVIDENCE = [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }]
/** A sender waits with the next one until these are verified. */
const MOST_OPEN = 5

/**
 * Agents that hand work to each other through servers in turn: send, accept, heartbeat, submit and verify, with reads in
 * between. A write that was cut off is repeated with its key. Any other answer than 200 is an error.
 */
export class Crew {
  readonly #members: readonly Member[]
  readonly #ports: () => readonly number[]
  readonly #offered: Work[][]
  readonly #submitted: Work[][]
  readonly #open: number[]
  #turn = 0
  #calls = 0

  constructor(members: readonly Member[], ports: () => readonly number[]) {
    this.#members = members
    this.#ports = ports
    this.#offered = members.map(() => [])
    this.#submitted = members.map(() => [])
    this.#open = members.map(() => 0)
  }

  /** Everybody works for so long, and pauses up to twice `thinkMs` between calls. */
  async work(forMs: number, thinkMs: number): Promise<Times> {
    const until = performance.now() + forMs
    const times = new Map<string, number[]>()
    const step = async (me: number, operation: string, path: string, body?: object): Promise<string> => {
      const { ms, body: answer } = await this.#insist(me, path, body)
      const seen = times.get(operation) ?? []
      times.set(operation, seen)
      seen.push(ms)
      if (thinkMs > 0) await pause(thinkMs * 2 * Math.random())
      return answer
    }
    await Promise.all(
      this.#members.map(async (_, me) => {
        if (thinkMs > 0) await pause(thinkMs * 2 * Math.random())
        for (let turn = me; performance.now() < until; turn += 1) await this.#once(me, turn, step)
      }),
    )
    return times
  }

  async #once(me: number, turn: number, step: Step): Promise<void> {
    const submitted = this.#submitted[me]!.shift()
    const offered = submitted ? undefined : this.#offered[me]!.shift()
    if (submitted) {
      await step(me, 'verify', `/v1/handoffs/${submitted.uid}/verify`, { pass: true })
      this.#open[me]! -= 1
    } else if (offered) {
      const at = `/v1/handoffs/${offered.uid}`
      await step(me, 'accept', `${at}/accept`, {})
      await step(me, 'heartbeat', `${at}/heartbeat`, { progress: 50 })
      await step(me, 'submit', `${at}/submit`, { evidence: EVIDENCE })
      this.#submitted[offered.from]!.push({ uid: offered.uid, from: me })
    } else if (this.#open[me]! < MOST_OPEN && turn % 4 !== 0) {
      const to = (me + 1 + (turn % 7)) % this.#members.length
      this.#open[me]! += 1
      const { handoff } = JSON.parse(
        await step(me, 'send', '/v1/handoffs', {
          to: this.#members[to]!.name,
          title: `Piece of work ${turn}`,
          summary: 'The limiter is agreed; build the middleware and its tests.',
          deliverables: ['Middleware in src/'],
          criteria: ['npm test passes'],
        }),
      )
      this.#offered[to]!.push({ uid: handoff.uid, from: me })
    } else {
      const reads = ['inbox', `handoffs?from=${this.#members[me]!.name}`, 'inbox', 'status']
      const read = reads[turn % reads.length]!
      await step(me, read.split('?')[0]!, `/v1/${read}`)
    }
  }

  async #insist(me: number, path: string, body: object | undefined): Promise<Answer> {
    const { name, token } = this.#members[me]!
    this.#calls += 1
    const key = body && `${name}-${process.pid}-${this.#calls}`
    for (let left = 100; ; left -= 1) {
      this.#turn += 1
      const ports = this.#ports()
      try {
        const answer = await ask(ports[this.#turn % ports.length]!, token, path, body, key)
        if (answer.status === 200) return answer
        if (answer.status !== 503 || left === 0) throw new Refused(`${answer.status} ${answer.body}`)
      } catch (error) {
        if (error instanceof Refused || left === 0) throw error
      }
      await pause(50)
    }
  }
}

class Refused extends Error {}

type Step = (me: number, operation: string, path: string, body?: object) => Promise<string>

/** The value below which this share of them lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
