// The other process of wake.ts: claims what comes and says so, and answers bare signals.
import { watch } from 'node:fs'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import { waitFor, within } from '../../src/service/wait.ts'

interface Start {
  readonly target: StoreTarget
  readonly signal:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'notify'; readonly url: string }
}

const tell = (message: object): void => void process.send?.(message)

process.once('message', async ({ target, signal }: Start) => {
  if (signal.kind === 'file') watch(signal.path, () => tell({ kind: 'bare' }))
  else {
    const { Client } = (await import('pg')).default
    const client = new Client({ connectionString: signal.url })
    await client.connect()
    client.on('notification', () => tell({ kind: 'bare' }))
    await client.query('LISTEN bench_bare')
  }
  const service = createService(await openStore(target))
  const receiver = { actor: { name: 'receiver', kind: 'agent' as const, auth: 'os-user' as const } }
  process.on('message', ({ idle }: { idle: number }) => {
    const before = process.cpuUsage()
    setTimeout(() => {
      const { user, system } = process.cpuUsage(before)
      tell({ kind: 'idle', share: (user + system) / 1_000 / idle })
    }, idle)
  })
  tell({ kind: 'ready' })
  for (;;) {
    const handoff = await waitFor(service.deps, () => service.receiving.claim(receiver), within(3_600_000))
    if (handoff) tell({ kind: 'handoff' })
  }
})
