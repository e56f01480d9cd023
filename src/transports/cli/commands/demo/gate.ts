import { setTimeout as sleep } from 'node:timers/promises'
import type { Handoff } from '../../../../domain/handoff.ts'
import type { Context } from '../../../../open.ts'
import { loadOperation } from '../../../../operations/index.ts'
import { invoke } from '../../../../operations/operation.ts'

export interface GateOptions {
  readonly url: string
  readonly isAuto: boolean
  readonly signal: AbortSignal
  readonly say: (name: string, text: string) => void
}

const LOOK_MS = 250
/** A person who does not look at the browser is told again where to look. */
const REMIND_MS = 20_000

/** Says that the gate waits for the person, until it is decided. With `isAuto` it is approved. */
export async function waitAtGate(context: Context, options: GateOptions): Promise<void> {
  const { signal, say, url, isAuto } = options
  const { name } = context.actor
  const gate = await look(signal, async () =>
    (await gates(context)).find(({ state }) => state === 'needs_input'),
  )
  if (!gate) return
  if (isAuto) {
    await invoke(
      await loadOperation('gate_decide'),
      context.service,
      { actor: context.actor },
      {
        id: gate.id,
        choice: 'approve',
        comment: 'approved by --auto',
      },
    )
    say(name, `approves ${gate.id}, because of --auto`)
    return
  }
  say(name, `it is your turn: ${gate.title} waits at ${url}/inbox`)
  let remindAt = Date.now() + REMIND_MS
  const decided = await look(signal, async () => {
    if (Date.now() >= remindAt) {
      remindAt = Date.now() + REMIND_MS
      say(name, `nobody has decided yet; it goes on waiting at ${url}/inbox`)
    }
    return (await gates(context)).find(({ uid, state }) => uid === gate.uid && state !== 'needs_input')
  })
  if (decided) say(name, `you said ${decided.choice ?? decided.state}`)
}

const gates = async ({ service }: Context): Promise<readonly Handoff[]> =>
  (await service.looking.list({ type: 'gate' }, { limit: 20 })).items

async function look<T>(signal: AbortSignal, find: () => Promise<T | undefined>): Promise<T | undefined> {
  while (!signal.aborted) {
    const found = await find()
    if (found !== undefined) return found
    await sleep(LOOK_MS)
  }
  return undefined
}
