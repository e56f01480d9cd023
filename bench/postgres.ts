// How many handoffs a second does PostgreSQL carry, against job queues on the same server in the same run? Our
// lifecycle has five transitions with a log entry each; their cycle has three steps (enqueue, claim, complete).
// Everything is durable: the server runs with its own defaults. Not measured: a network between the two.
import { createService, openStore } from '../src/compose/main.ts'
import { startPostgres } from '../test/support/servers/postgres.ts'
import { lifecycle } from './support/lifecycle.ts'
import { type Finding, median, perSecond, throughput } from './support/measure.ts'
import { loadPeers } from './support/peers.ts'

const ROUNDS = 7
const CALLERS = 32
const OURS = 1_500
const JOBS = 600
/** Their best one-job-at-a-time setting is looked for among these: the one with the better median. */
const PEER_CALLERS = [10, 32]

export async function postgres(): Promise<readonly Finding[]> {
  const peers = loadPeers()
  const server = await startPostgres()
  const store = await openStore({ engine: 'postgres', url: server.url, workspace: 'bench' })
  const service = createService(store)
  try {
    await throughput(CALLERS, 500, (i, c) => lifecycle(service, i, c))
    const ours: number[] = []
    const alone: number[] = []
    const theirs = peers.map((peer) => ({
      peer,
      settings: PEER_CALLERS.map((callers) => ({ callers, rates: [] as number[] })),
    }))
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await throughput(CALLERS, OURS, (i, c) => lifecycle(service, i, c)))
      alone.push(await throughput(1, 100, (i, c) => lifecycle(service, i, c)))
      for (const { peer, settings } of theirs)
        for (const { callers, rates } of settings) rates.push(await peer.run(server.url, callers, JOBS))
    }
    return [
      ...theirs.map(({ peer, settings }): Finding => {
        const rates = best(settings.map((setting) => setting.rates))
        return {
          question: `PostgreSQL, ${CALLERS} callers: our lifecycles against ${peer.name}'s jobs`,
          // Round by round: what slows the machine for a while slows all sides of the round.
          ratio: median(ours.map((rate, round) => rate / rates[round]!)),
          detail: `${perSecond(median(ours))} lifecycles of five transitions against ${perSecond(median(rates))} jobs of three steps`,
          ...(peer.name !== 'BullMQ on PostgreSQL' && { bound: { sign: '>=', value: 1.5 } as const }),
        }
      }),
      {
        question: 'PostgreSQL: 32 callers against one',
        ratio: median(ours) / median(alone),
        detail: `${perSecond(median(alone))} lifecycles with one caller`,
      },
    ]
  } finally {
    await store.close()
    await server.stop()
  }
}

/** The setting with the better median. */
const best = (settings: readonly (readonly number[])[]): readonly number[] =>
  settings.reduce((better, rates) => (median(rates) > median(better) ? rates : better))
