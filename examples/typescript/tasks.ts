// Every operation by its name, here tasks. Keys make repeated calls harmless: run it as often as you like.
// node tasks.ts [address]
import { BatonError, HandoffLimitExceeded, openBaton } from 'batonpass'

const [address = ':memory:'] = process.argv.slice(2)
const baton = await openBaton(address)
const planner = baton.as('planner')

await planner.call('task_create', { id: 'P0.1.1', title: 'Set up the package' }, { key: 'setup' })
const { items } = await planner.call('task_next_actions', {})
console.log(items.map((task) => task.id))

// The second call answers what the first one did.
const first = await planner.send({ to: 'reviewer', title: 'Review it' }, { key: 'review-P0.1.1' })
const again = await planner.send({ to: 'reviewer', title: 'Review it' }, { key: 'review-P0.1.1' })
console.log(first.uid === again.uid)

// Agents may have limits. Those of grok are built in.
try {
  for (const n of [1, 2, 3, 4, 5, 6]) {
    await planner.send({ to: 'grok', title: `Review part ${n}` }, { key: `part-${n}` })
  }
} catch (error) {
  if (error instanceof HandoffLimitExceeded) console.log(error.message)
}
try {
  await planner.get('HO-1999-001')
} catch (error) {
  if (error instanceof BatonError) console.log(error.code, error.retry)
}
await baton.close()

// Prints:
// [ 'P0.1.1' ]
// true
// grok has 5 active incoming handoffs (max: 5)
// not_found false
