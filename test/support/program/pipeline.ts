import { existsSync } from 'node:fs'
import { type Baton, type BatonAgent, openBaton } from '../../../src/index.ts'

/** Four receivers with a delegation and a question, or the planner that leads jobs through them and a gate. */
const [store = '', role = '', stop = '', lease = ''] = process.argv.slice(2)

/** Work is tried again at once; a dead holder is noticed after its lease. */
const AGAIN = {
  timeout_s: Number(lease),
  retry: { max: 100, delay_s: 0, multiplier: 1 },
  home: 'queue' as const,
}
const WAIT = { timeout_s: 600 }

/** Long enough to be hit by the end of its program. */
const slowly = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(resolve, 150, value))

async function work(baton: Baton): Promise<void> {
  const options = { concurrency: 3 }
  await baton.specialist('plan', options, ({ input }) => slowly({ output: `plan(${input})` }))
  await baton.specialist('api', options, async ({ input, ask }) =>
    slowly({ output: `api(${input}, ${await ask('Which colour?')})` }),
  )
  await baton.specialist('icons', options, ({ input }) => slowly({ output: `icons(${input})` }))
  await baton.specialist('page', options, async ({ input, delegate }) => {
    const icons = await delegate({ ...AGAIN, to: 'icons', title: 'Draw', input: 'page' }, WAIT)
    return { output: `page(${input}, ${icons.output})` }
  })
  await baton.specialist('review', options, ({ input }) => slowly({ output: `review(${input})` }))
}

/** Sends a step, or finds the one that an earlier run of this program sent. */
async function step(planner: BatonAgent, job: string, to: string, input: unknown): Promise<unknown> {
  const sent = await planner.send({ ...AGAIN, to, title: `${to} of ${job}`, input }, { key: `${job}-${to}` })
  return (await sent.wait(WAIT)).output
}

async function plan(planner: BatonAgent): Promise<void> {
  for (let n = 1; ; n += 1) {
    const job = `job-${n}`
    // A job that an earlier run of this program began is brought to its end.
    if (n > 1 && existsSync(stop) && !(await isBegun(planner, job))) return
    const planned = await step(planner, job, 'plan', job)
    const made = await step(planner, job, 'api', planned)
    const page = await step(planner, job, 'page', made)
    const gate = { to: 'human', type: 'gate' as const, title: `gate of ${job}` }
    await (await planner.send(gate, { key: `${job}-gate` })).wait(WAIT)
    await step(planner, job, 'review', page)
  }
}

async function isBegun(planner: BatonAgent, job: string): Promise<boolean> {
  const { items } = await planner.call('handoff_list', { text: `plan of ${job}`, limit: 200 })
  return items.some(({ title }) => title === `plan of ${job}`)
}

/** Answers every question, each once. */
async function answer(planner: BatonAgent): Promise<void> {
  for (;;) {
    const { items } = await planner.inbox({ limit: 50 })
    for (const { id, need } of items)
      if (need === 'clarification') await planner.answer(id, 'blue').catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const baton = await openBaton({ store })
process.once('SIGTERM', () => void baton.close({ timeout_s: 0 }).then(() => process.exit(0)))
if (role === 'workers') await work(baton)
else {
  const planner = baton.as('planner')
  void answer(planner).catch(() => undefined)
  await plan(planner)
  process.exit(0)
}
