import type { Handoff } from '../domain/handoffs/handoff.ts'
import { present } from '../domain/present.ts'
import type { Call } from './deps.ts'
import { find } from './lookup.ts'
import { refuse, UseCases } from './write.ts'

/** A program that was not shown for so long has ended without a word. */
const SILENT_MS = 30_000

/** Programs that run for handoffs. Their output is shown meanwhile, outside the log; an artifact has it in the end. */
export class ProgramOutput extends UseCases {
  /** Of the caller's own attempt, also when it has handed in and its program goes on. */
  async show({ actor }: Call, ref: string, log: string | false, attempt?: number): Promise<Handoff> {
    const handoff = await find(this.deps, ref)
    const { uid, id } = handoff
    const held = handoff.attempts.filter((each) => each.attempt === (attempt ?? each.attempt))
    const own = held.findLast((each) => each.holder === actor.name && each.instance === actor.instance)
    if (!own) refuse('not_allowed', `${actor.name} does not hold ${id}`, { id })
    const at = this.deps.now().toISOString()
    const text = log === false ? undefined : log.replaceAll('\0', '')
    await this.deps.store.keepLive({ uid, attempt: own.attempt, at, ...present({ text }) }, this.#since())
    return handoff
  }

  /** All of them; of one handoff with the output, which the runner masked, where the caller may read artifacts. */
  async list({ may }: Call, ref?: string) {
    const { store } = this.deps
    const asked = ref === undefined ? undefined : (await find(this.deps, ref)).uid
    const rows = (await store.live(this.#since(), asked)).filter(({ uid }) => uid === (asked ?? uid))
    const found = await Promise.all(rows.map((row) => store.handoff(row.uid)))
    return rows.flatMap(({ attempt, text }, i) => {
      const handoff = found[i]
      const since = handoff?.attempts.findLast((each) => each.attempt === attempt)?.started_at
      if (!handoff || since === undefined) return []
      const { uid, id, title, from, to, state } = handoff
      const log = asked !== undefined && (may?.('artifact:read') ?? true) ? text : undefined
      return [{ uid, id, title, from, to, state, attempt, since, ...present({ log }) }]
    })
  }

  #since(): string {
    return new Date(this.deps.now().getTime() - SILENT_MS).toISOString()
  }
}
