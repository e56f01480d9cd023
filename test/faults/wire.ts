import { connect, createServer, type Server, type Socket } from 'node:net'
import { until } from '../support/store/store-units.ts'

/** Cut the connection at this message between client and server, counted from the moment it was armed. */
export interface Cut {
  readonly at: number
  /** Whether the message itself still arrives. */
  readonly when: 'before' | 'after'
}

/** Stands between a client and its server and breaks connections on purpose. */
export class Wire {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #cut: Cut | undefined
  #held: Promise<void> | undefined
  #messages = 0
  #lastMs = performance.now()

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer(async (client) => {
      await this.#held
      const upstream = connect(target)
      this.#pipe(client, upstream)
      this.#pipe(upstream, client)
    })
  }

  static async before(url: string): Promise<{ readonly wire: Wire; readonly url: string }> {
    const address = new URL(url)
    const wire = new Wire({ host: address.hostname, port: Number(address.port) })
    address.port = String(await wire.#listen())
    return { wire, url: address.href }
  }

  /** Until the answer is called, new connections get nowhere. */
  holdNew(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    return resolve
  }

  /** From now on messages are counted; the connection on which the one named comes is cut. */
  arm(cut: Cut): void {
    this.#messages = 0
    this.#cut = cut
  }

  /** Whether the cut was made. */
  get isDone(): boolean {
    return this.#cut === undefined
  }

  /** How many messages came through since it was armed. */
  get messages(): number {
    return this.#messages
  }

  disarm(): void {
    this.#cut = undefined
  }

  isQuietFor(ms: number): boolean {
    return performance.now() - this.#lastMs > ms
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    return new Promise((closed) => this.#server.close(() => closed()))
  }

  #listen(): Promise<number> {
    return new Promise((listening) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address()
        listening(typeof address === 'object' && address ? address.port : 0)
      })
    })
  }

  #pipe(from: Socket, to: Socket): void {
    this.#sockets.add(from)
    from.on('error', () => to.destroy())
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
    from.on('data', (chunk) => {
      this.#lastMs = performance.now()
      this.#messages += 1
      const cut = this.#cut
      if (cut?.at !== this.#messages) return void to.write(chunk)
      this.#cut = undefined
      if (cut.when === 'before') {
        from.destroy()
        to.destroy()
      } else if (to.write(chunk)) {
        // The message arrives, and nothing more after it.
        to.end()
        from.destroy()
      }
    })
  }
}

/** How many messages a call takes, at the least of some tries: a notification of the one before may come between. */
export async function messages(wire: Wire, call: () => Promise<unknown>, tries = 5): Promise<number> {
  const counts: number[] = []
  for (let i = 0; i < tries; i++) {
    await until('nothing is under way any more', () => wire.isQuietFor(30))
    wire.arm({ at: 0, when: 'before' })
    await call()
    counts.push(wire.messages)
  }
  return Math.min(...counts)
}
