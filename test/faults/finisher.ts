import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../../src/compose/main.ts'

/** Another process, which finishes each handoff that it is told of, after a pause, and tells how long it stood still. */
export interface Finish {
  readonly uid: string
  readonly afterMs: number
}

const service = createService(await openStore(JSON.parse(process.argv[2] ?? '')))
const by = { actor: { name: 'codex', kind: 'agent', auth: 'os-user' } } as const
const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
process.on('message', async (message: Finish | 'longest pause') => {
  if (message === 'longest pause') {
    process.send?.(delay.max / 1e6)
    return delay.reset()
  }
  const { uid, afterMs } = message
  await pause(afterMs)
  await service.receiving.accept(by, uid)
  await service.receiving.submit(by, uid, { output: { done: true } })
})
process.send?.('ready')
process.once('disconnect', () => void service.deps.store.close())
