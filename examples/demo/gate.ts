import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../src/compose/open.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { loadOperation } from '../../src/operations/index.ts'
import { invoke } from '../../src/operations/operation.ts'

export interface GateOptions {
  readonly url: string
  readonly isAuto: boolean
  readonly signal: AbortSignal
  readonly say: (name: string, text: string) => void
}

const LOOK_MS = 250
/** A person who does not look at the browser is told again where to look. */
const REMIND_MS = 20_000

/**
 * Says that the gate waits for the person, until it is approved: what is rejected is done anew and comes back, and so
 * does what was asked about. With `isAuto` it is approved.
 */
export async function waitAtGate(context: Context, options: GateOptions): Promise<void> {
  const { signal, say, url, isAuto } = options
  const { name } = context.actor
  while (!signal.aborted) {
    const gate = await look(signal, async () => (await gates(context)).find(asksPerson))
    if (!gate) return
    if (isAuto) return approve(context, gate, say)
    say(name, `it is your turn: ${gate.title} waits at ${url}/inbox`)
    const decided = await decision(context, gate, options)
    if (decided?.state === 'completed') return say(name, 'you said yes')
    if (decided?.state === 'rejected') say(name, 'you said no: it is done anew')
  }
}

const asksPerson = ({ state, waiting_for, from }: Handoff): boolean =>
  state === 'needs_input' && waiting_for !== from

async function approve(context: Context, { id }: Handoff, say: GateOptions['say']): Promise<void> {
  const { actor, service } = context
  const comment = 'approved by --auto'
  await invoke(await loadOperation('gate_decide'), service, { actor }, { id, choice: 'approve', comment })
  say(actor.name, `approves ${id}, because of --auto`)
}

/** The gate after somebody did something about it: who asks may have been answered already. */
function decision(context: Context, gate: Handoff, options: GateOptions): Promise<Handoff | undefined> {
  let remindAt = Date.now() + REMIND_MS
  return look(options.signal, async () => {
    if (Date.now() >= remindAt) {
      remindAt = Date.now() + REMIND_MS
      options.say(context.actor.name, `nobody has decided yet; it goes on waiting at ${options.url}/inbox`)
    }
    return (await gates(context)).find(({ uid, rev }) => uid === gate.uid && rev !== gate.rev)
  })
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
