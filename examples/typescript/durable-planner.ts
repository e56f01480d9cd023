// A planner that may be killed at any step and started again: each step has a key of its own.
// node durable-planner.ts [address] [part] [job]: without a part, this process plays all of them.
import { openBaton } from 'batonpass'

const [address = ':memory:', part = 'all', job = 'job-1'] = process.argv.slice(2)
const baton = await openBaton(address)
const planner = baton.as('planner')

// The receivers usually are other programs. Their work is tried again soon, because they may die too.
const again = { timeout_s: 2, retry: { max: 20, delay_s: 0, multiplier: 1 }, home: 'queue' as const }
if (part !== 'planner') {
  for (const name of ['plan', 'api', 'page']) {
    await baton.work(name, {}, (work) => ({ output: `${name}(${work.input})` }))
  }
}

async function step(to: string, input: unknown): Promise<unknown> {
  const sent = await planner.send({ ...again, to, title: `${to} of ${job}`, input }, { key: `${job}-${to}` })
  console.log(`${to} is sent`)
  const { output } = await sent.wait({ timeout_s: 60 })
  console.log(`${to} is done`)
  return output
}

if (part !== 'worker') {
  const plan = await step('plan', job)
  const api = await step('api', plan)
  console.log(await step('page', api))
  await baton.close()
}

// Prints:
// plan is sent
// plan is done
// api is sent
// api is done
// page is sent
// page is done
// page(api(plan(job-1)))
