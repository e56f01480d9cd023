import { Agents } from './agents.ts'
import { Artifacts } from './artifacts.ts'
import type { Audit } from './audit/audit.ts'
import { Closing } from './closing.ts'
import type { ServiceDeps } from './deps.ts'
import { Looking } from './inbox.ts'
import { Receiving } from './receiving.ts'
import { Sending } from './sending.ts'
import { settlingUnits } from './settling.ts'
import { TaskHistory } from './task-history.ts'
import { Tasks } from './tasks.ts'
import { Tokens } from './tokens.ts'
import { type WaitOptions, waitForEnd } from './waiting.ts'

/** The use cases of one workspace, by noun. Each takes its caller as an argument: there is no ambient user. */
export class Service {
  readonly deps: ServiceDeps
  readonly agents: Agents
  readonly artifacts: Artifacts
  readonly history: TaskHistory
  readonly closing: Closing
  readonly looking: Looking
  readonly receiving: Receiving
  readonly sending: Sending
  readonly tasks: Tasks
  readonly tokens: Tokens

  constructor(deps: ServiceDeps) {
    this.deps = deps
    this.agents = new Agents(deps)
    this.artifacts = new Artifacts(deps)
    this.history = new TaskHistory(deps)
    this.closing = new Closing(deps)
    this.looking = new Looking(deps)
    this.receiving = new Receiving(deps)
    this.sending = new Sending(deps)
    this.tasks = new Tasks(deps)
    this.tokens = new Tokens(deps)
    deps.store.onDue(settlingUnits(deps))
  }

  /** The log as a whole. Few calls need it, so it is loaded by the first that does. */
  async audit(): Promise<Audit> {
    const { Audit } = await import('./audit/audit.ts')
    return new Audit(this.deps)
  }

  wait(ref: string, options: WaitOptions = {}) {
    return waitForEnd(this.deps, ref, options)
  }

  /** Settles what is due; a server calls it on a timer. */
  settle(): Promise<number> {
    return this.deps.store.settle(this.deps.now().toISOString())
  }
}

export type { Artifact, LogEntry, Store, TaskRow, Token } from '../storage/store.ts'
