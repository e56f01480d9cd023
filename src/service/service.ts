import { Agents } from './agents/agents.ts'
import { Tokens } from './agents/tokens.ts'
import type { Audit } from './audit/audit.ts'
import type { Hold, ServiceDeps } from './deps.ts'
import { Events } from './events.ts'
import { Artifacts } from './handoffs/artifacts.ts'
import { Closing } from './handoffs/closing.ts'
import { Looking } from './handoffs/inbox.ts'
import { Receiving } from './handoffs/receiving.ts'
import { Sending } from './handoffs/sending.ts'
import type { Sendings } from './people/deliveries.ts'
import { settlingUnits } from './settling.ts'
import { TaskHistory } from './tasks/task-history.ts'
import { Tasks } from './tasks/tasks.ts'
import { type WaitOptions, waitForEnd, waitHeld } from './waiting.ts'
import { followRun } from './workflows/follow.ts'
import { Workflows } from './workflows/workflows.ts'

/** The use cases of one workspace, by noun. Each takes its caller as an argument, never from outside. */
export class Service {
  readonly deps: ServiceDeps
  readonly agents: Agents
  readonly artifacts: Artifacts
  readonly history: TaskHistory
  readonly closing: Closing
  readonly events: Events
  readonly looking: Looking
  readonly receiving: Receiving
  readonly sending: Sending
  readonly tasks: Tasks
  readonly tokens: Tokens
  readonly workflows: Workflows

  constructor(given: ServiceDeps) {
    const deps: ServiceDeps = { ...given, follow: followRun }
    this.deps = deps
    this.agents = new Agents(deps)
    this.artifacts = new Artifacts(deps)
    this.history = new TaskHistory(deps)
    this.closing = new Closing(deps)
    this.events = new Events(deps)
    this.looking = new Looking(deps)
    this.receiving = new Receiving(deps)
    this.sending = new Sending(deps)
    this.tasks = new Tasks(deps)
    this.tokens = new Tokens(deps)
    this.workflows = new Workflows(deps)
    deps.store.onDue(settlingUnits(deps))
  }

  /** The log as a whole. Few calls need it, so it is loaded by the first that does. */
  async audit(): Promise<Audit> {
    const { Audit } = await import('./audit/audit.ts')
    return new Audit(this.deps)
  }

  wait(ref: string, options: WaitOptions = {}, hold?: Hold) {
    return hold ? waitHeld(this.deps, ref, options, hold) : waitForEnd(this.deps, ref, options)
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

export type { Artifact, LogEntry, Store, TaskRow, Token } from '../storage/store.ts'
