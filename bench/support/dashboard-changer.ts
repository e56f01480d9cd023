// Changes of bench/dashboard.ts from a process of its own: `node dashboard-changer.ts PATH CHANGES_A_MINUTE SECONDS`.
// Handoffs go from sent to verified, four changes each, evenly through time. Prints how many changes it made and the
// title of the last handoff.
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../../src/compose/main.ts'
import { localAgent } from '../../src/runner/local-link.ts'

const [path = '', perMinute = '1000', seconds = '60'] = process.argv.slice(2)
const AT_ONCE = 8
const store = await openStore({ engine: 'sqlite', path })
const service = createService(store)
const as = (name: string) => localAgent(service, { actor: { name, kind: 'agent', auth: 'os-user' } })

const [from, to] = [as('sender-1'), as('receiver-2')]
const under: { id: string; step: number }[] = []
let made = 0
let title = ''

async function change(): Promise<void> {
  if (under.length < AT_ONCE) {
    title = `Change number ${made}`
    const { handoff } = await from.call('handoff_send', { to: to.name, title })
    under.push({ id: handoff.id, step: 0 })
    return
  }
  const next = under.shift()!
  const { id, step } = next
  if (step === 0) await to.call('handoff_accept', { id })
  else if (step === 1) await to.call('handoff_submit', { id, note: 'done' })
  else await from.call('handoff_verify', { id, pass: true })
  if (step < 2) under.push({ id, step: step + 1 })
}

const total = Math.round((Number(perMinute) * Number(seconds)) / 60)
const started = performance.now()
while (made < total) {
  const due = started + (made * 60_000) / Number(perMinute)
  if (due > performance.now()) await pause(due - performance.now())
  await change()
  made += 1
}
await store.close()
console.log(JSON.stringify({ made, seconds: (performance.now() - started) / 1_000, title }))
