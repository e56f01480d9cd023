// What can go wrong, and how it shows.
// node failures.ts [address] [part]: without a part, this process plays all of them.
import { ERROR_CODES, HandoffFailedException, HandoffTimeoutException, openBaton } from 'batonpass'

const [address = ':memory:', part = 'all'] = process.argv.slice(2)
const baton = await openBaton(address)

if (part !== 'planner') {
  // A worker names one of the five error codes; any other exception is a PROCESSING_ERROR.
  await baton.work('theme-specialist', {}, async (work) => {
    work.fail('DEPENDENCY_MISSING', 'the design tokens are not there yet')
  })
}

if (part !== 'worker') {
  const planner = baton.as('planner')
  const builder = baton.as('builder')

  // Nobody takes it in time.
  const sent = await planner.send({ to: 'builder', title: 'Add rate limiting', home: 'queue' })
  try {
    await sent.wait({ timeout_s: 0.1 })
  } catch (error) {
    if (error instanceof HandoffTimeoutException) console.log(ERROR_CODES[error.code].title)
  }

  // The receiver gives up, is asked again, and the work is taken back.
  const { handoff } = await builder.claim()
  console.log(`attempt ${handoff?.attempt} is ${handoff?.state}`)
  await builder.fail(sent.id, { message: 'The build machine is down' })
  await planner.retry(sent.id)
  await planner.cancel(sent.id, { reason: 'no longer needed' })

  // The receiver declines.
  const declined = await planner.send({ to: 'builder', title: 'Change the billing service' })
  await builder.reject(declined.id, { reason: 'I have no access to the billing service' })
  try {
    await declined.wait()
  } catch (error) {
    if (error instanceof HandoffFailedException) console.log(error.message)
  }

  // The worker fails.
  const themed = await planner.send({ to: 'theme-specialist', title: 'Apply the theme', home: 'queue' })
  try {
    await themed.wait()
  } catch (error) {
    if (error instanceof HandoffFailedException) console.log(error.details.error)
  }
  await baton.close()
}

// Prints:
// Timed out
// attempt 1 is in_progress
// I have no access to the billing service
// {
//   code: 'DEPENDENCY_MISSING',
//   message: 'the design tokens are not there yet',
//   severity: 'error',
//   recovery_actions: [ 'Generate dependency first' ]
// }
