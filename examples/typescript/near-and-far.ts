// One program for memory, a file, PostgreSQL or a server: only the address changes.
// node near-and-far.ts [address] [part]: without a part, this process plays all of them.
import { defineWork, openBaton } from 'batonpass'
import * as z from 'zod'

const userList = defineWork({
  to: 'list-specialist',
  input: z.object({ name: z.string() }),
  output: z.object({ files: z.array(z.string()) }),
})

const [address = ':memory:', part = 'all'] = process.argv.slice(2)
const baton = await openBaton(address) // :memory:, baton.db, postgres://…, https://…

if (part !== 'planner') {
  await baton.work(userList, async (work) => ({ files: [`${work.input.name}.tsx`] }))
}

if (part !== 'worker') {
  const planner = baton.as('planner')
  // Send now, wait later, and listen meanwhile.
  const sent = await planner.send(userList, { name: 'UserList' }, { priority: 'high', key: 'user-list' })
  for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
    console.log(event.act, event.by)
    if (event.state === 'completed') break
  }
  const { output } = await sent.wait({ timeout_s: 60 })
  console.log(output.files)
  await baton.close()
}

// Prints:
// handoff.send planner
// handoff.accept list-specialist
// handoff.submit list-specialist
// handoff.verify_pass baton
// [ 'UserList.tsx' ]
