import { once } from '../domain/once.ts'
import { Agents } from './agents/agents.ts'
import type { Bound } from './audit/changed.ts'
import type { Hold, ServiceDeps } from './deps.ts'
import { Artifacts } from './handoffs/artifacts.ts'
import { Closure } from './handoffs/closure.ts'
import { Inbox } from './handoffs/inbox.ts'
import { Receiver } from './handoffs/receiver.ts'
import { Sender } from './handoffs/sender.ts'
import type { Sendings } from './people/deliveries.ts'
import { settlementUnits } from './settlement.ts'
import { Tasks } from './tasks/tasks.ts'
import type { WaitOptions } from './wait.ts'
import { followRun } from './workflows/follow.ts'
import { UseCases } from './write.ts'

/** The use cases of one workspace, by noun. Each takes its caller as an argument, never from outside. */
export class Service extends UseCases {
  readonly agents = new Agents(this.deps)
  readonly artifacts = new Artifacts(this.deps)
  readonly closing = new Closure(this.deps)
  readonly looking = new Inbox(this.deps)
  readonly receiving = new Receiver(this.deps)
  readonly sending = new Sender(this.deps)
  readonly tasks = new Tasks(this.deps)

  /** These are loaded by the first call that needs one: a command must not pay for all of them. */
  readonly audit = once(async () => new (await import('./audit/audit.ts')).Audit(this.deps))
  readonly events = once(async () => new (await import('./events.ts')).Events(this.deps))
  readonly history = once(async () => new (await import('./tasks/task-history.ts')).TaskHistory(this.deps))
  readonly programs = once(async () => new (await import('./program-output.ts')).ProgramOutput(this.deps))
  readonly tokens = once(async () => new (await import('./agents/tokens.ts')).Tokens(this.deps))
  readonly workflows = once(async () => new (await import('./workflows/workflows.ts')).Workflows(this.deps))

  constructor(deps: ServiceDeps) {
    super({ ...deps, follow: followRun })
    deps.store.onDue((due, at) => settlementUnits(this.deps, due, at))
  }

  async wait(ref: string, options: WaitOptions = {}) {
    return (await import('./wait.ts')).waitForEnd(this.deps, ref, options)
  }

  async waitHeld(ref: string, options: WaitOptions, hold: Hold) {
    return (await import('./wait.ts')).waitHeld(this.deps, ref, options, hold)
  }

  /** Says that a row that is shown was changed outside Baton; nothing where it is as the log says. */
  async changedOutside(kind: Bound, uid: string): Promise<string | undefined> {
    const { changedOutside } = await import('./audit/changed.ts')
    return changedOutside(this.deps.store, kind, uid)
  }

  /** Sends the messages that are due, once; a server calls it on a timer. */
  async deliver(stopping?: AbortSignal): Promise<Sendings> {
    const { sendDeliveries } = await import('./people/deliveries.ts')
    return sendDeliveries(this.deps, stopping)
  }

  /** Settles what is due; a server calls it on a timer. */
  settle(): Promise<number> {
    return this.deps.store.settle(this.deps.now().toISOString())
  }
}

export {
  type Artifact,
  itemsOf,
  type LogEntry,
  type Store,
  type TaskRow,
  type Token,
} from '../storage/store.ts'
