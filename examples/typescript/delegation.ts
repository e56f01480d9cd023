// A specialist that asks, has parts of its work done by another, and a sender that has the last word.
// node delegation.ts [address] [part]: without a part, this process plays all of them.
import { defineWork, HandoffTimeoutException, openBaton } from 'batonpass'
import * as z from 'zod'

const drawIcons = defineWork({
  to: 'icon-specialist',
  input: z.object({ names: z.array(z.string()) }),
  output: z.array(z.string()),
})

const [address = ':memory:', part = 'all'] = process.argv.slice(2)
const baton = await openBaton(address)

if (part === 'all' || part === 'icons') {
  await baton.work(drawIcons, ({ input }) => input.names.map((name) => `${name}.svg`))
  await baton.specialist('font-specialist', {}, async () => ({ output: 'sans.woff2' }))
}

if (part === 'all' || part === 'page') {
  await baton.specialist('page-specialist', {}, async (work) => {
    const colour = await work.ask('Which colour do the icons have?')
    const { output } = await work.delegate(drawIcons, { names: [`user-${colour}`] })
    const font = await work.delegate({ to: 'font-specialist', title: 'Choose the font' })
    return { output: { icons: output, font: font.output } }
  })
}

if (part === 'all' || part === 'planner') {
  const planner = baton.as('planner')
  // Without `home` it is native: handed in, it waits for its sender.
  const sent = await planner.send({ to: 'page-specialist', title: 'User page' })
  for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
    if (event.state === 'needs_input') await planner.answer(sent.id, 'blue')
    if (event.state === 'in_review') break
  }
  try {
    await sent.wait({ timeout_s: 0.1 })
  } catch (error) {
    if (error instanceof HandoffTimeoutException) console.log(error.message.replace(sent.id, '…'))
  }
  await planner.verify(sent.id, { pass: true })
  const { output } = await sent.wait({ timeout_s: 60 })
  console.log(output)
  await baton.close()
}

// Prints:
// Handoff … timed out after 0.1s; it is in review, and waits for planner to verify it
// { icons: [ 'user-blue.svg' ], font: 'sans.woff2' }
