import type { AuditRecord } from '../../entry.ts'
import type { Sha256 } from '../../merkle.ts'
import { entryPlace } from '../chains.ts'
import { ownCopy } from '../files.ts'
import type { GoodEntry } from '../read-entry.ts'
import { amount, type LevelReport, Tally } from '../report.ts'
import { type Complain, SessionReplay } from './session-replay.ts'
import { TaskReplay } from './task-replay.ts'

/** Changed in place: a million steps make no garbage. */
interface KnownState {
  state: string
  rev: number
}

/** L6: what the log says could have happened: states follow each other as the rules say, nothing is done unrecorded. */
export class Replay {
  readonly #findings = new Tally()
  /** States and revisions of handoffs and agents: grows with what there is, not with what happened to it. */
  readonly #handoffs = new Map<string, KnownState>()
  readonly #agents = new Map<string, number>()
  readonly #tasks = new TaskReplay()
  readonly #sessions: SessionReplay
  #accepts = 0
  #unknown = 0

  constructor(sha256: Sha256) {
    this.#sessions = new SessionReplay(sha256)
  }

  step(index: number, { stream, seq, record, wrong, later }: GoodEntry, leaf: Uint8Array): void {
    const complain: Complain = (reason) => this.#findings.bad(entryPlace(index, stream, seq), reason, index)
    if (!record) {
      if (later) this.#unknown += 1
      else complain(`its record has no place in the log: ${wrong || 'it is not a record'}`)
      return
    }
    this.#sessions.step(index, stream, record, leaf, complain)
    if (record.sub.k === 'handoff') this.#handoff(record, complain)
    else if (record.sub.k === 'task') this.#tasks.step(record, complain)
    else if (record.act.startsWith('agent.')) this.#agent(record, complain)
  }

  report(isWhole: boolean): LevelReport {
    const { counts } = this.#findings
    counts.handoffs = this.#handoffs.size
    counts.tasks = this.#tasks.size
    counts.accepts = this.#accepts
    counts.sealed_sessions = this.#sessions.sealed
    counts.unknown_records = this.#unknown
    const unknown =
      this.#unknown === 0 ? '' : `; ${amount(this.#unknown, 'record')} of a later version were not understood`
    return this.#findings.report(
      'L6',
      isWhole && this.#unknown === 0 ? 'ok' : 'unverifiable',
      `${amount(this.#handoffs.size, 'handoff')}, ${amount(this.#tasks.size, 'task')} and ${amount(this.#sessions.sealed, 'sealed session')} follow the rules${unknown}`,
    )
  }

  #handoff(record: AuditRecord, complain: Complain): void {
    const { id, rev } = record.sub
    const before = this.#handoffs.get(id)
    // A refused version of its file leaves a handoff as it was.
    if (record.act === 'file.refused' && before && rev <= before.rev) return
    if (rev !== (before?.rev ?? 0) + 1)
      complain(`it is revision ${rev} of handoff ${id}, and ${(before?.rev ?? 0) + 1} is next`)
    const state = before ? this.#move(before.state, record, complain) : this.#birth(record, complain)
    if (state === 'completed' && before?.state !== 'completed') this.#tasks.handoffCompleted(record)
    if (before) {
      before.state = state
      before.rev = rev
    } else this.#handoffs.set(ownCopy(id), { state, rev })
  }

  #birth({ act, from, to, sub }: AuditRecord, complain: Complain): string {
    const states = Object.hasOwn(HANDOFF_BIRTHS, act) ? HANDOFF_BIRTHS[act] : undefined
    // A handoff that is sent at once has no entry for its time as a draft.
    const isSent = act === 'handoff.send' && from === 'draft' && to === 'offered'
    const isBorn = states && from === undefined && to && (states.length === 0 || states.includes(to))
    if (!isSent && !isBorn) complain(`handoff ${sub.id} begins with ${act}, and no handoff does`)
    return to ?? 'draft'
  }

  #move(state: string, { act, from, to, sub }: AuditRecord, complain: Complain): string {
    if (act === 'handoff.accept') this.#accepts += 1
    if (to === undefined) {
      if (act === 'handoff.heartbeat' && !UNDER_WAY.includes(state))
        complain(`a heartbeat of handoff ${sub.id}, which is ${state}`)
      return state
    }
    if (from !== state) complain(`handoff ${sub.id} is ${state}, and it says ${from ?? 'nothing'}`)
    else if (!isLegalStep(act, from, to))
      complain(`${act} leads handoff ${sub.id} from ${from} to ${to}, and there is no such step`)
    return to
  }

  #agent({ sub }: AuditRecord, complain: Complain): void {
    const next = (this.#agents.get(sub.id) ?? 0) + 1
    if (sub.rev !== next) complain(`it is revision ${sub.rev} of agent ${sub.id}, and ${next} is next`)
    this.#agents.set(ownCopy(sub.id), sub.rev)
  }
}

/**
 * Every step that a handoff can take, as the log names it: the states before and after. Written down a second time,
 * apart from the program that takes the steps, so that the one cannot hide a mistake of the other. A test compares.
 */
// biome-ignore format: read as a table
export const HANDOFF_STEPS: Readonly<Record<string, readonly string[]>> = {
  'handoff.send':           ['draft>offered'],
  'handoff.amend':          ['draft>draft', 'offered>offered', 'accepted>accepted', 'in_progress>in_progress', 'blocked>blocked', 'needs_input>offered'],
  'handoff.expire':         ['draft>expired', 'offered>expired', 'needs_input>expired'],
  'handoff.time_out':       ['offered>failed', 'accepted>failed', 'in_progress>failed', 'blocked>failed'],
  'handoff.accept':         ['offered>accepted', 'offered>in_progress'],
  'handoff.revive':         ['offered>in_progress', 'retry_wait>in_progress'],
  'handoff.start':          ['accepted>in_progress'],
  'handoff.ask':            ['offered>needs_input', 'accepted>needs_input', 'in_progress>needs_input'],
  'handoff.accept_partial': ['offered>needs_input', 'accepted>needs_input', 'in_progress>needs_input'],
  'handoff.await_person':   ['offered>needs_input'],
  'handoff.answer':         ['needs_input>offered', 'needs_input>accepted', 'needs_input>in_progress', 'needs_input>needs_input'],
  'gate.approve':           ['needs_input>completed'],
  'gate.question':          ['needs_input>needs_input'],
  'gate.reject':            ['needs_input>rejected'],
  'handoff.reject':         ['offered>rejected', 'accepted>rejected', 'in_progress>rejected', 'blocked>rejected', 'needs_input>rejected', 'in_review>rejected'],
  'handoff.block':          ['in_progress>blocked'],
  'handoff.unblock':        ['blocked>in_progress'],
  'handoff.submit':         ['accepted>in_review', 'in_progress>in_review', 'in_progress>completed', 'in_review>completed'],
  'handoff.complete':       ['in_progress>completed', 'in_review>completed'],
  'handoff.verify_pass':    ['in_progress>completed', 'in_review>completed'],
  'handoff.verify_fail':    ['in_review>in_progress'],
  'handoff.fail':           ['in_progress>failed', 'blocked>failed'],
  'handoff.retry_later':    ['accepted>retry_wait', 'in_progress>retry_wait', 'blocked>retry_wait'],
  'handoff.retry':          ['retry_wait>offered', 'failed>offered'],
  'handoff.reassign':       ['offered>offered', 'accepted>offered', 'in_progress>offered', 'blocked>offered', 'failed>offered'],
  'handoff.release':        ['accepted>offered', 'in_progress>offered', 'blocked>offered', 'needs_input>needs_input'],
  'handoff.cancel':         ['draft>cancelled', 'offered>cancelled', 'accepted>cancelled', 'in_progress>cancelled', 'blocked>cancelled', 'needs_input>cancelled', 'in_review>cancelled', 'retry_wait>cancelled'],
}

/** How a handoff comes into being, and in which state. A document from elsewhere is taken as it stands. */
const HANDOFF_BIRTHS: Readonly<Record<string, readonly string[]>> = {
  'handoff.create': ['draft'],
  'handoff.return': ['offered'],
  'handoff.imported': [],
}

/** States in which a sign of life makes sense. */
const UNDER_WAY: readonly string[] = ['accepted', 'in_progress', 'blocked']

/** Whether the step is in the table; a name that the table does not know may take any step that some name may. */
function isLegalStep(act: string, from: string, to: string): boolean {
  const steps = BY_ACT.get(act) ?? ALL
  return steps.get(from)?.has(to) ?? false
}

type Steps = ReadonlyMap<string, ReadonlySet<string>>

const BY_ACT: ReadonlyMap<string, Steps> = new Map(
  Object.entries(HANDOFF_STEPS).map(([act, steps]) => [act, byState(steps)]),
)
const ALL: Steps = byState(Object.values(HANDOFF_STEPS).flat())

function byState(steps: readonly string[]): Steps {
  const states = new Map<string, Set<string>>()
  for (const step of steps) {
    const [from = '', to = ''] = step.split('>')
    states.set(from, (states.get(from) ?? new Set()).add(to))
  }
  return states
}
