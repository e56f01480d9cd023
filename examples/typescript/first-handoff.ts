// A handoff from one agent to another, with evidence and verification.
import { openBaton } from 'batonpass'

const baton = await openBaton({ store: ':memory:' })
const planner = baton.as('planner')
const codex = baton.as('codex', { instance: 'laptop' })

const sent = await planner.send({
  to: 'codex',
  title: 'Add rate limiting',
  summary: 'The API needs limits before launch; the plan was agreed in the standup',
  deliverables: ['Middleware in src/'],
  criteria: ['npm test passes'],
})

const { items, notices } = await codex.inbox()
console.log(`codex has ${items.length} handoff and ${notices.length} notices`)
await codex.accept(sent.id)
await codex.ask(sent.id, 'Which endpoints are public?')
await planner.answer(sent.id, 'Only those under /v1')
await codex.submit(sent.id, {
  evidence: [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }],
  note: '12 tests',
})
const { package: travels, timeline } = await codex.get(sent.id)
console.log(`${travels.criteria?.length} criterion, ${timeline.length} entries`)
await planner.verify(sent.id, { pass: true })
const { handoff } = await planner.wait(sent.id, { timeout_s: 60 })
console.log(`${handoff.title}: ${handoff.state}, verified by ${handoff.verified_by}`)

await baton.close()

// Prints:
// codex has 1 handoff and 0 notices
// 1 criterion, 5 entries
// Add rate limiting: completed, verified by planner
