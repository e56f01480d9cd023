// The shortest whole story: a specialist, a sender, and what came of it.
import { openBaton } from 'batonpass'

const baton = await openBaton({ store: ':memory:' }) // without store: the workspace around this folder
await baton.specialist('react-specialist', {}, async (work) => ({ output: { built: work.input } }))

const planner = baton.as('planner')
const input = { name: 'UserCard' }
// home 'queue': what passes the checks is completed. Without it, the sender has the last word: planner.verify(…)
const sent = await planner.send({ to: 'react-specialist', title: 'User card', home: 'queue', input })
const done = await sent.wait({ timeout_s: 600 }) // throws HandoffFailedException or HandoffTimeoutException

console.log(done.output)
await baton.close()

// Prints:
// { built: { name: 'UserCard' } }
