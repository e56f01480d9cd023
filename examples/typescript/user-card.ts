// The shortest whole story: typed work, its worker and its sender. Several processes may run it at the same address.
// node user-card.ts [address]
import { defineWork, openBaton } from 'batonpass'
import * as z from 'zod'

const userCard = defineWork({
  to: 'react-specialist',
  input: z.object({ name: z.string() }),
  output: z.object({ files: z.array(z.string()) }),
})

const baton = await openBaton(process.argv[2] ?? ':memory:') // or baton.db, postgres://…, https://…
await baton.work(userCard, async (work) => ({ files: [`${work.input.name}.tsx`] }))

const planner = baton.as('planner')
const { files } = await planner.request(userCard, { name: 'UserCard' })
console.log(files)
await baton.close()

// Prints:
// [ 'UserCard.tsx' ]
