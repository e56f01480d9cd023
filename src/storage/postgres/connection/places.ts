import type { PoolClient } from 'pg'
import { BatonError } from '../../../domain/errors.ts'
import type { PoolState } from '../../pools.ts'

const PLACE_WITHIN_MS = 10_000

/** A part of the connections of the pool, so that one use of them never takes those of another. */
export class Places {
  readonly #size: number
  readonly #waiting: (() => void)[] = []
  #used = 0

  constructor(size: number) {
    this.#size = size
  }

  get state(): PoolState {
    return { size: this.#size, used: this.#used, waiting: this.#waiting.length }
  }

  /** The place is free again when the connection was given back. */
  async lend(connect: () => Promise<PoolClient>, isFirst = false): Promise<PoolClient> {
    if (this.#used < this.#size) this.#used++
    else await this.#turn(isFirst)
    try {
      const client = await connect()
      const release = client.release
      client.release = (failed) => {
        release(failed)
        this.#free()
      }
      return client
    } catch (error) {
      this.#free()
      throw error
    }
  }

  #turn(isFirst: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        reject(new BatonError('unavailable', 'every connection to the store is in use; repeat the call'))
      }, PLACE_WITHIN_MS)
      if (isFirst) this.#waiting.unshift(turn)
      else this.#waiting.push(turn)
    })
  }

  #free(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#used--
  }
}
