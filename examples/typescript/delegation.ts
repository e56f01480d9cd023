// A specialist that asks, has a part of its work done by another, and a sender that has the last word.
import { HandoffTimeoutException, openBaton } from 'batonpass'

const baton = await openBaton({ store: ':memory:' })
const planner = baton.as('planner')

await baton.specialist('icon-specialist', {}, async () => ({ output: ['user.svg'] }))
await baton.specialist('react-specialist', {}, async (work) => {
  const colour = await work.ask('Which colour do the icons have?')
  console.log(colour)
  const icons = await work.delegate({ to: 'icon-specialist', title: 'Draw the icons' })
  return { output: { icons: icons.output } }
})

// Without `home` it is native: handed in, it waits for its sender.
const sent = await planner.send({ to: 'react-specialist', title: 'User card' })
for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
  if (event.state === 'needs_input') break
}
await planner.answer(sent.id, 'Blue')
try {
  await sent.wait({ timeout_s: 2 })
} catch (error) {
  if (error instanceof HandoffTimeoutException) console.log(error.message)
}
await planner.verify(sent.id, { pass: true })
const { output } = await sent.wait({ timeout_s: 60 })
console.log(output)

await baton.close()

// Prints:
// Blue
// Handoff HO-2026-001 timed out after 2s; it is in review, and waits for planner to verify it
// { icons: [ 'user.svg' ] }
