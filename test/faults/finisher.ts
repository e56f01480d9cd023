import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../../src/compose/main.ts'

/** Another process, which finishes each handoff that it is told of, after a pause. */
export interface Finish {
  readonly uid: string
  readonly afterMs: number
}

const service = createService(await openStore(JSON.parse(process.argv[2] ?? '')))
const by = { actor: { name: 'codex', kind: 'agent', auth: 'os-user' } } as const
process.on('message', async ({ uid, afterMs }: Finish) => {
  await pause(afterMs)
  await service.receiving.accept(by, uid)
  await service.receiving.submit(by, uid, { output: { done: true } })
})
process.send?.('ready')
process.once('disconnect', () => void service.deps.store.close())
