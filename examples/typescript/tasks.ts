// Every operation by its name: here tasks, and the rules of the workspace.
import { BatonError, openBaton } from 'batonpass'

const baton = await openBaton({
  store: ':memory:',
  policy: { agents: { planner: {}, codex: { limits: { incoming: 1 } } } },
})
const planner = baton.as('planner')

await planner.call('task_create', { id: 'P0.1.1', title: 'Set up the package' })
const { items } = await planner.call('task_next_actions', {})
console.log(items.map((task) => task.id))

// A key makes a repeated call harmless.
const first = await planner.send({ to: 'codex', title: 'Review it' }, { key: 'review-P0.1.1' })
const again = await planner.send({ to: 'codex', title: 'Review it' }, { key: 'review-P0.1.1' })
console.log(first.uid === again.uid)

try {
  await planner.send({ to: 'codex', title: 'Review that too' })
} catch (error) {
  if (error instanceof BatonError) console.log(error.code, '-', error.message)
}

await baton.close()

// Prints:
// [ 'P0.1.1' ]
// true
// limit_exceeded - codex has 1 active incoming handoffs (max: 1)
