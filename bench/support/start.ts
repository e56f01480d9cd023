// How soon after it was sent does work begin under `baton run`, against a worker's? Four runners and four workers in two
// folders share one PostgreSQL. The time ends when the program has been started, or when the worker calls its handler. The
// next piece is sent when the one before has ended and all are waiting again: two cores do one thing at a time.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openBaton } from '../../src/index.ts'
import { BATON, cleanEnv, type Where } from '../../test/support/program/command.ts'
import { runnersIn } from '../../test/support/program/runners.ts'
import { startPostgres } from '../../test/support/servers/postgres.ts'
import { type Finding, median } from './measure.ts'

const TRIES = 60
const EACH = 2
const REST_MS = 300
const SIDES = ['coder', 'worker'] as const

export async function start(): Promise<readonly Finding[]> {
  const after: (() => unknown)[] = []
  const t = { after: (undo: () => unknown) => after.push(undo) } as unknown as TestContext
  const server = await startPostgres()
  const children: ChildProcess[] = []
  const waiting = new Map<string, (at: number) => void>()
  try {
    const env = { BATON_STORE: server.url }
    const script = "appendFileSync(home + '/done', 'x')"
    const machines = [false, true].map((isStoreOfOthers) =>
      runnersIn(t, { coder: { script, starts_per_hour: 10 * TRIES } }, { env, isStoreOfOthers }),
    )
    const begin = async ({ cwd, ...rest }: Where, ...args: readonly string[]) => {
      const child = spawn(process.execPath, args, { cwd, env: cleanEnv({ cwd, ...rest }) })
      children.push(child)
      createInterface(child.stdout).on('line', (line) => {
        const [, id = '', ...words] = line.split('\t')
        if (words.some((word) => word.startsWith('started'))) waiting.get(id)?.(performance.now())
      })
      // It says on its error stream that it waits.
      await once(child.stderr, 'data')
    }
    const worker = join(import.meta.dirname, 'start-worker.ts')
    for (const { where } of machines)
      for (let n = 0; n < EACH; n++)
        await Promise.all([begin(where, BATON, 'run'), begin(where, worker, server.url)])

    const baton = await openBaton(server.url)
    const planner = baton.as('planner')
    const times = { coder: [] as number[], worker: [] as number[] }
    for (let n = 0; n < TRIES; n++)
      for (const to of SIDES) {
        const { promise, resolve } = Promise.withResolvers<number>()
        const { id } = await planner.send({
          to,
          title: 'Begin',
          summary: 'It is measured how soon this begins.',
        })
        const sent = performance.now()
        waiting.set(id, resolve)
        times[to].push(Math.max(0, (await promise) - sent))
        while ((await planner.get(id)).handoff.state === 'in_progress') await pause(20)
        await pause(REST_MS)
      }
    await baton.close()
    const [ours, theirs] = [median(times.coder), median(times.worker)]
    return [
      {
        question: 'PostgreSQL, four runners on two machines: from sent to started, against a worker',
        ratio: ours / theirs,
        detail: `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms at the median of ${TRIES}`,
        bound: { sign: '<=', value: 2 },
      },
    ]
  } finally {
    for (const child of children) child.kill('SIGKILL')
    for (const undo of after.reverse()) await undo()
    await server.stop()
  }
}
