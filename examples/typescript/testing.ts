// A test of one's own agents: a clock that the test moves, and a person who decides.
import { openTestBaton } from 'batonpass/testing'

const test = await openTestBaton()
const { baton, clock } = test
const planner = baton.as('planner')

console.log(clock.now().toISOString())
const late = await planner.send({ to: 'codex', title: 'Add rate limiting' })
await clock.pass(24 * 3600)
const { handoff } = await planner.get(late.id)
console.log(`nobody took it: ${handoff.state}`)

const maria = test.person('maria')
const gate = await planner.send({
  to: 'human',
  type: 'gate',
  title: 'Release 1.2',
  summary: 'Everything in the plan is done; the release notes are written',
})
await maria.decide(gate.id, 'approve', 'ship it')
const { handoff: decided } = await gate.wait()
console.log(`the gate is ${decided.state}`)

await baton.close()

// Prints:
// 2026-01-01T00:00:00.000Z
// nobody took it: expired
// the gate is completed
