import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import { BatonError } from '../../src/domain/errors.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/domain/policy.ts'
import type { Call } from '../../src/service/deps.ts'
import type { Service } from '../../src/service/service.ts'
import { openLogKeys } from '../../src/workspace/log-keys.ts'
import type { Acknowledged } from './check-invariants.ts'
import { type About, liveOn } from './life.ts'

/** What a worker can be told to do. */
export type Order =
  | {
      readonly do: 'open'
      readonly target: StoreTarget
      readonly policy?: Partial<Policy>
      /** Where the keys of the log are. */
      readonly home?: string
    }
  | { readonly do: 'close' }
  /** Calls a method of the service: `invoke: ['receiving', 'accept']`. */
  | { readonly do: 'call'; readonly method: readonly [string, string]; readonly args: readonly unknown[] }
  /** Full lifecycles, one after the other; each answer is noted on the file descriptor 3. */
  | { readonly do: 'live'; readonly name: string; readonly forMs?: number }

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** What a worker notes about its calls: before one, and after its answer. */
export type Note =
  | { readonly asked: { readonly op: string; readonly call: Call; readonly about: About } }
  | { readonly answered: Acknowledged | 'nothing' }

let service: Service | undefined

async function obey(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'open': {
      await service?.deps.store.close()
      const policy = { ...DEFAULT_POLICY, ...order.policy }
      const { home } = order
      service = createService(await openStore(order.target), {
        policy,
        ...(home !== undefined && { keys: async () => openLogKeys({ home }) }),
      })
      return service.deps.store.info.origin
    }
    case 'close':
      await service?.deps.store.close()
      service = undefined
      return undefined
    case 'call': {
      const [noun, verb] = order.method
      if (noun === 'audit') {
        const audit = (await opened().audit()) as unknown as Record<string, (...args: unknown[]) => unknown>
        return audit[verb]?.(...order.args)
      }
      const nouns = opened() as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>
      return noun === 'service'
        ? (nouns as unknown as Record<string, (...args: unknown[]) => unknown>)[verb]?.(...order.args)
        : nouns[noun]?.[verb]?.(...order.args)
    }
    case 'live':
      return liveOn(opened(), order.name, note, order.forMs)
  }
}

function opened(): Service {
  if (!service) throw new Error('the worker has no store yet')
  return service
}

/** Written at once: what was noted is known even when the next instruction is the last. */
const note = (noted: Note): void => void writeSync(3, `${JSON.stringify(noted)}\n`)

process.on('message', ({ id, order }: { id: number; order: Order }) => {
  obey(order).then(
    (value) => process.send?.({ id, reply: { ok: true, value } satisfies Reply }),
    (error: unknown) => {
      const code = error instanceof BatonError ? error.code : 'raw'
      process.send?.({ id, reply: { ok: false, code, message: String(error) } satisfies Reply })
    },
  )
})
process.once('disconnect', () => process.exit(0))
// A worker that is killed writes no cache at its end, and the next one would compile everything again.
await Promise.all([
  import('../../src/storage/sqlite/sqlite-store.ts'),
  import('../../src/storage/postgres/postgres-store.ts'),
  import('pg'),
  import('../../src/service/audit/audit.ts'),
])
flushCompileCache()
process.send?.('ready')
