import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { OperationName } from '../../src/operations/index.ts'
import type { Call } from '../../src/service/deps.ts'
import type { Service } from '../../src/service/service.ts'
import { run } from '../support/program/invoke.ts'
import { workAlone } from './work.ts'

/** What an agent in a process of its own can be told. */
export type Order =
  | { readonly do: 'open'; readonly target: StoreTarget }
  | { readonly do: 'ask'; readonly call: Call; readonly name: OperationName; readonly input: unknown }
  /** Takes tasks and finishes them until none is left, as each of these agents at once. */
  | { readonly do: 'work'; readonly names: readonly string[]; readonly tasks: number }

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly details?: unknown }

let service: Service | undefined

async function obey(order: Order): Promise<unknown> {
  if (order.do === 'open') {
    // A fresh connection for every test, in a process that is there already.
    await service?.deps.store.close()
    service = createService(await openStore(order.target))
    return undefined
  }
  const here = service
  if (!here) throw new Error('the agents have no store yet')
  return order.do === 'ask'
    ? run(here, order.call, order.name, order.input)
    : Promise.all(order.names.map((name) => workAlone(here, name, order.tasks)))
}

process.on('message', ({ id, order }: { id: number; order: Order }) => {
  obey(order).then(
    (value) => process.send?.({ id, reply: { ok: true, value } satisfies Reply }),
    (error: Error) => {
      const known =
        error instanceof BatonError ? { code: error.code, details: error.details } : { code: 'raw' }
      process.send?.({ id, reply: { ok: false, message: error.message, ...known } satisfies Reply })
    },
  )
})
process.once('disconnect', () => process.exit(0))
process.send?.('ready')
