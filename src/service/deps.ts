import type { Format } from '../dialects/relative.ts'
import type { Actor } from '../domain/agent.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Check, CheckResult, Result } from '../domain/handoffs/package.ts'
import type { Home } from '../domain/home.ts'
import type { Channel } from '../domain/people/delivery.ts'
import type { Policy } from '../domain/policy.ts'
import type { Problem } from '../domain/problem.ts'
import type { Trace } from '../domain/trace.ts'
import type { Store } from '../storage/store.ts'
import type { AgentKeys } from './agents/signature.ts'
import type { LogKeys } from './audit/keys.ts'
import type { Step } from './handoffs/moves.ts'
import type { Eraser } from './redaction/eraser.ts'
import type { Together } from './together.ts'

/** The service's world. Nothing here has a default that reads the real clock or chance: the composition root passes it. */
export interface ServiceDeps {
  readonly store: Store
  readonly now: () => Date
  readonly newUid: () => string
  readonly policy: Policy
  /** The home of handoffs that do not name one. */
  readonly home: Home
  /** The team's own formats. */
  readonly formats?: readonly Format[] | undefined
  /** Homes whose handoffs live in files here: what cannot be written there is not sent. */
  readonly live?: ReadonlySet<Home>
  /** Document 001's context files, which its handoffs share. */
  readonly shared?: () => Promise<Readonly<Record<string, unknown>> | undefined>
  /**
   * Document 001's live folder: whoever moves the file out of `pending/` has the work, so it is moved before the
   * claim is committed, and back when that is refused. Answers nothing where somebody else has moved it.
   */
  readonly pickUp?: (
    handoff: Handoff,
    commit: () => Promise<Handoff | undefined>,
  ) => Promise<Handoff | undefined>
  /** Lists artifacts of an output that document 001's live folder lacks; absent without such a folder. */
  readonly judgeOutput?: (handoff: Handoff, result: Result) => Promise<readonly Problem[]>
  /** Takes texts out of the live folders for good; answers which files that others wrote there may hold them. */
  readonly eraseFiles?: (erasing: Erasing) => Promise<readonly string[]>
  /** The project's own files; absent without a project. */
  readonly project?: () => Promise<Project>
  /** Runs declared acceptance checks in the project, without a result only in thought; absent without a project. */
  readonly runChecks?: (checks: readonly Check[], result?: Result) => Promise<readonly CheckResult[]>
  /** Ways out of the workspace, and what sends a message on one of them. Absent: nobody outside is told. */
  readonly notify?: Notifying
  /** Keys of logs and what the user remembers of them; without, the log can be read and not signed. */
  readonly keys?: () => Promise<LogKeys>
  /** Keys of agents that this process speaks for; without, nothing is signed by them. */
  readonly agentKeys?: () => Promise<AgentKeys>
  /** Tells the holders of work at once what others did to it; absent where no session can be reached. */
  readonly news?: (news: readonly News[]) => Promise<void>
  /** Advances the run of a handoff in the same transaction; the service sets it itself. */
  readonly follow?: (step: Step, before: Handoff, after: Handoff) => void
}

/** Something that another did to work that an agent holds. It has no text of others: the agent asks for that itself. */
export interface News {
  readonly agent: string
  /** The session that holds the work, where one does. */
  readonly instance?: string | undefined
  readonly id: string
  readonly act: string
  readonly by: string
}

/** Texts that go from files, and where they were. */
export interface Erasing {
  readonly eraser: Eraser
  /** Of the handoffs that held them. */
  readonly handoffs: ReadonlySet<string>
  /** Hashes of stored files that held them. */
  readonly blobs: ReadonlySet<string>
}

export interface Notifying {
  readonly channels: readonly Channel[]
  /** Throws with the reason when it could not be delivered. */
  send(channel: string, message: Message): Promise<void>
}

/** A message to the outside. It holds texts of agents unchanged: the channel cleans and quotes them. */
export interface Message {
  /** The same for every try, so that a receiver can tell a repeated message. */
  readonly uid: string
  readonly event: string
  readonly at: string
  readonly to: string
  readonly workspace: string
  readonly handoff: Pick<Handoff, 'uid' | 'id' | 'type' | 'state' | 'from' | 'to' | 'title' | 'trace'>
  /** The command that answers it; absent when the handoff has ended. */
  readonly command?: string
}

/** The readable parts of the project that the work is about. */
export interface Project {
  /** Whether it is a git repository: finished work is then on a branch and in a commit. */
  readonly git: boolean
  /** Says of a task whether another agent has a worktree for it. */
  taken(agent: string | undefined): (task: string) => boolean
  /** The text of a file inside the project; undefined when it is missing. */
  read(path: string): Promise<string | undefined>
  /** The section of the project's task-prompts about a task; undefined without one. */
  prompt(task: string): Promise<TaskPrompt | undefined>
}

export interface TaskPrompt {
  readonly path: string
  readonly text: string
  /** Files that it refers to. */
  readonly extractions: readonly string[]
}

/** One call of one operation. */
export interface Call {
  readonly actor: Actor
  /** Makes a repeated call harmless: the same key with the same input answers what the first one did. */
  readonly key?: string
  /** The revision that the caller has seen: what has changed since is not written over. */
  readonly rev?: number
  /** A person has checked text that looks like a secret and says it is not. Nobody else is believed. */
  readonly notSecret?: boolean
  /** The trace context of the caller, if it traces its calls; a handoff that is sent keeps it. */
  readonly trace?: Trace
  /** Whether the caller's token has a scope; absent where no token bounds the caller. */
  readonly may?: (scope: string) => boolean
  /** Bounds of a wait. */
  readonly hold?: Hold
  /** The calls that this one is a part of: their writes are committed as one. */
  readonly together?: Together
}

/** How a transport bounds the waits of a call. */
export interface Hold {
  /** Ends when the caller has gone. */
  readonly caller: AbortSignal
  /** Ends when the server stops. */
  readonly stopping?: AbortSignal | undefined
  readonly ms?: number | undefined
}
