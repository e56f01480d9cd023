// A sender for browsers, workers and other runtimes: the same API at a server, without an engine.
import { createClient, defineWork, openBaton } from 'batonpass/client'
import * as z from 'zod'

export const greeting = defineWork({
  to: 'greeter',
  input: z.object({ name: z.string() }),
  output: z.object({ text: z.string() }),
})

/** Sends, listens and waits, as the agent of the token. */
export async function greet(address: string, token: string, name: string): Promise<string[]> {
  const baton = await openBaton(address, { token })
  // Programs that need single operations call them by their names.
  const client = createClient({ url: address, token })
  const me = await client.whoami()

  const sent = await baton.as(me.name).send(greeting, { name })
  const seen: string[] = []
  for await (const event of baton.events({ handoff: sent.id, since: '0' })) {
    seen.push(`${event.act} ${event.by}`)
    if (event.state === 'completed') break
  }
  const { output } = await sent.wait({ timeout_s: 60 })
  const { handoff } = await client.handoff_get({ id: sent.id })
  await baton.close()
  return [...seen, `${output.text} (attempt ${handoff.attempt})`]
}
