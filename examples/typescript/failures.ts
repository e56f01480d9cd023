// What can go wrong, and how it shows.
import { HandoffFailedException, HandoffTimeoutException, openBaton } from 'batonpass'

const baton = await openBaton({ store: ':memory:' })
const planner = baton.as('planner')
const codex = baton.as('codex')

// Nobody takes it in time.
const sent = await planner.send({ to: 'codex', title: 'Add rate limiting', home: 'queue' })
try {
  await sent.wait({ timeout_s: 0.1 })
} catch (error) {
  if (error instanceof HandoffTimeoutException) console.log('timed out')
}

// The receiver gives up, is asked again, and the work is taken back.
const { handoff } = await codex.claim()
console.log(`attempt ${handoff?.attempt} is ${handoff?.state}`)
await codex.fail(sent.id, { message: 'The build machine is down' })
await planner.retry(sent.id)
await planner.cancel(sent.id, { reason: 'no longer needed' })

// The receiver declines.
const declined = await planner.send({ to: 'codex', title: 'Change the billing service' })
await codex.reject(declined.id, { reason: 'I have no access to the billing service' })
try {
  await declined.wait()
} catch (error) {
  if (error instanceof HandoffFailedException) console.log(error.message)
}

// A specialist names one of the five error codes; any other exception is a PROCESSING_ERROR.
await baton.specialist('theme-specialist', {}, async (work) => {
  work.fail('DEPENDENCY_MISSING', 'the design tokens are not there yet')
})
const themed = await planner.send({ to: 'theme-specialist', title: 'Apply the theme', home: 'queue' })
try {
  await themed.wait()
} catch (error) {
  if (error instanceof HandoffFailedException) console.log(error.details.error)
}

await baton.close()

// Prints:
// timed out
// attempt 1 is in_progress
// I have no access to the billing service
// {
//   code: 'DEPENDENCY_MISSING',
//   message: 'the design tokens are not there yet',
//   severity: 'error',
//   recovery_actions: [ 'Generate dependency first' ]
// }
