// One program for a file, PostgreSQL or a server: only the address changes.
import { defineWork, openBaton } from 'batonpass'
import * as z from 'zod'

const userCard = defineWork({
  to: 'react-specialist',
  input: z.object({ name: z.string() }),
  output: z.object({ files: z.array(z.string()) }),
})

const baton = await openBaton(':memory:') // or baton.db, postgres://…, https://…
await baton.work(userCard, async (work) => ({ files: [`${work.input.name}.tsx`] }))

const planner = baton.as('planner')
const { files } = await planner.request(userCard, { name: 'UserCard' })
console.log(files)

// Send now, wait later, and listen meanwhile.
const sent = await planner.send(userCard, { name: 'UserList' }, { priority: 'high', key: 'user-list' })
for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
  console.log(event.act, event.by)
  if (event.state === 'completed') break
}
const { output } = await sent.wait({ timeout_s: 60 })
console.log(output.files)

await baton.close()

// Prints:
// [ 'UserCard.tsx' ]
// handoff.send planner
// handoff.accept react-specialist
// handoff.submit react-specialist
// handoff.verify_pass baton
// [ 'UserList.tsx' ]
