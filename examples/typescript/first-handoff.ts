// A handoff from one agent to another, with a question, evidence and verification.
// node first-handoff.ts [address] [part]: without a part, this process plays both agents.
import { openBaton } from 'batonpass'

const [address = ':memory:', part = 'all'] = process.argv.slice(2)
const baton = await openBaton(address)
const planner = baton.as('planner')
const codex = baton.as('codex', { instance: 'laptop' })

async function plan() {
  const sent = await planner.send({
    to: 'codex',
    title: 'Add rate limiting',
    summary: 'The API needs limits before launch; the plan was agreed in the standup',
    deliverables: ['Middleware in src/'],
    criteria: ['npm test passes'],
  })
  for await (const { state } of baton.events({ handoff: sent.id, since: '0' })) {
    if (state === 'in_review') break
    if (state !== 'needs_input') continue
    await planner.answer(sent.id, 'Only those under /v1')
  }
  const { package: travels, timeline } = await planner.get(sent.id)
  console.log(`${travels.criteria?.length} criterion, ${timeline.length} entries`)
  await planner.verify(sent.id, { pass: true })
  const { handoff } = await planner.wait(sent.id, { timeout_s: 60 })
  console.log(`${handoff.title}: ${handoff.state}, verified by ${handoff.verified_by}`)
}

async function code() {
  for await (const event of baton.events({ agent: 'codex', since: '0' })) {
    if (event.act === 'handoff.send') break
  }
  const { items, notices } = await codex.inbox()
  console.log(`codex has ${items.length} handoff and ${notices.length} notices`)
  const sent = items[0]!
  await codex.accept(sent.id)
  await codex.ask(sent.id, 'Which endpoints are public?')
  for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
    if (event.act === 'handoff.answer') break
  }
  await codex.submit(sent.id, {
    evidence: [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }],
    note: '12 tests',
  })
}

await Promise.all([part !== 'codex' && plan(), part !== 'planner' && code()])
await baton.close()

// Prints:
// codex has 1 handoff and 0 notices
// 1 criterion, 5 entries
// Add rate limiting: completed, verified by planner
