// What do calls notice while a server takes a long log into its tree, and what do a backup and a look at every row cost?
// A server in a process of its own, eight agents, both engines. Calls while it catches up against calls after that, in
// turn; backup and doctor's checks against one bare pass over the same rows. `--short` asks it of a smaller log.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGzip } from 'node:zlib'
import { encodeRow } from '../../src/archive/row-digest.ts'
import { verifyStates } from '../../src/archive/state-verify.ts'
import { backup } from '../../src/archive/store-backup.ts'
import { verifyChains } from '../../src/archive/store-verify.ts'
import { createService, openStore, toStoreTarget } from '../../src/compose/main.ts'
import type { Service } from '../../src/service/service.ts'
import type { Store } from '../../src/storage/store.ts'
import { Crew, hangUp, type Member, quantile } from '../../test/support/servers/crew.ts'
import { startPostgres } from '../../test/support/servers/postgres.ts'
import { newDatabase } from '../../test/support/store/store-places.ts'
import { type Finding, inFolder, interleaved, throughput } from './measure.ts'

const isShort = process.argv.includes('--short')
const ENTRIES = isShort ? 20_000 : 80_000
const ROUNDS = isShort ? 2 : 4
const AGENTS = 8
const THINK_MS = 20
const SLICE_MS = 250
const PACKED_AT_ONCE = 65_536
const PASSES = 3
const ops = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } } as const
const ana = { actor: { name: 'ana', kind: 'agent', auth: 'os-user' } } as const

export async function catchUp(): Promise<readonly Finding[]> {
  const postgres = await startPostgres()
  try {
    return [
      ...(await inFolder((folder) => on('SQLite', join(folder, 'baton.db'), folder))),
      ...(await inFolder(async (folder) => on('PostgreSQL', await newDatabase(postgres.url), folder))),
    ]
  } finally {
    hangUp()
    await postgres.stop()
  }
}

async function on(engine: string, address: string, folder: string): Promise<readonly Finding[]> {
  const store = await openStore(toStoreTarget(address))
  const service = createService(store)
  const tokens = await service.tokens()
  const members: Member[] = []
  for (let i = 0; i < AGENTS; i += 1) {
    const { secret } = await tokens.create(ops, { agent: `agent-${i}`, scopes: ['*'] })
    members.push({ name: `agent-${i}`, token: secret })
  }
  let port = 0
  const crew = new Crew(members, () => [port])
  const work = async (side: keyof typeof calls) => {
    for (const times of (await crew.work(SLICE_MS, THINK_MS)).values()) calls[side].push(...times)
  }
  const calls = { beside: [] as number[], alone: [] as number[] }
  const taken = { entries: 0, ms: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    await writeLog(service)
    const { child, ...server } = await started(address)
    port = server.port
    // The first calls of a process compile its code, whatever else it does.
    await crew.work(2 * SLICE_MS, THINK_MS)
    const begun = performance.now()
    let slices = 0
    for (taken.entries += await behind(store); (await behind(store)) > AGENTS * 64; slices += 1)
      await work('beside')
    taken.ms += performance.now() - begun
    // As many calls after it, by a server that is as warm.
    for (; slices > 0; slices -= 1) await work('alone')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const passes = await timesOf(store, folder)
  await store.close()
  const rate = `${Math.round((taken.entries / taken.ms) * 1_000).toLocaleString('en')} entries/s`
  const about = (side: keyof typeof calls, share: number) => quantile(calls[side], share)
  return [
    ...([0.5, 0.95] as const).map((share) => ({
      question: `${engine}: calls at p${share * 100} while the tree catches up, against those after it`,
      ratio: about('beside', share) / about('alone', share),
      detail: `${about('beside', share).toFixed(1)}, ${about('alone', share).toFixed(1)} ms of ${calls.beside.length} and ${calls.alone.length} calls; ${rate}`,
      bound: { sign: '<=' as const, value: 2 },
    })),
    ...(['backup', 'doctor'] as const).map((name) => ({
      question: `${engine}: ${name} of ${(ENTRIES * ROUNDS).toLocaleString('en')} entries, against reading and packing all rows once`,
      ratio: passes[name] / passes.bare,
      detail: `${(passes[name] / 1_000).toFixed(1)} s, ${(passes.bare / 1_000).toFixed(1)} s`,
      bound: { sign: '<=' as const, value: 2.5 },
    })),
  ]
}

/** Handoffs that are sent and cancelled: two entries each. */
const writeLog = (service: Service) =>
  throughput(64, ENTRIES / 2, async (i) => {
    const { handoff } = await service.sending.send(ana, {
      to: 'codex',
      title: `Work ${i}`,
      summary: 'Do it.',
    })
    await service.sending.cancel(ana, handoff.id)
  })

const behind = async (store: Store): Promise<number> => {
  const [{ size }, { entries }] = await Promise.all([store.tree(), store.counts()])
  return entries - size
}

async function started(address: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'http-server.ts'), 'baton', address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, port: Number(line) }
}

function timesOf(store: Store, folder: string) {
  const timed = (work: () => Promise<unknown>) => async () => {
    const begun = performance.now()
    await work()
    return performance.now() - begun
  }
  let backups = 0
  return interleaved(PASSES, {
    bare: timed(async () => {
      const packed = createGzip()
      packed.resume()
      let text = ''
      for await (const row of store.dump()) {
        text += `${encodeRow(row)}\n`
        // Packing row by row would cost more than all else that is compared with it.
        if (text.length < PACKED_AT_ONCE) continue
        if (!packed.write(text)) await once(packed, 'drain')
        text = ''
      }
      packed.end(text)
      await once(packed, 'end')
    }),
    doctor: timed(async () => {
      await verifyChains(store)
      await verifyStates(store)
    }),
    backup: timed(() => backup(store, join(folder, `backup-${backups++}.gz`))),
  })
}
