import { resolve } from 'node:path'
import { keepFolders, type Opened, openAround, openNamed, serviceAt } from './compose/embedded.ts'
import { toStoreTarget } from './compose/main.ts'
import { BatonError, invalidInput } from './domain/errors.ts'
import { DEFAULT_POLICY, type Policy } from './domain/policy.ts'
import { Baton } from './runner/baton.ts'
import { localLink } from './runner/local-link.ts'

export interface OpenBatonOptions {
  /** The address; as the first argument or here. */
  readonly store?: string
  /** At a server: the token of one agent, or those of several. Without it, `BATON_TOKEN`. */
  readonly token?: string | readonly string[]
  /** Which workspace of a PostgreSQL database; `default` unless said. */
  readonly workspace?: string
  /** The folder to start looking in, and the base of relative paths; the current folder unless said. */
  readonly cwd?: string
  /** Rules that replace those of the workspace, one by one. */
  readonly policy?: Partial<Policy>
}

/**
 * Opens a workspace for this process. The address is a file, `:memory:`, `postgres://…`, or `https://…` of a server
 * (plain http only on this machine). Without one, the workspace is found as the command line finds it.
 *
 * ```ts
 * const baton = await openBaton(process.argv[2] ?? ':memory:') // or baton.db, postgres://…, https://…
 * ```
 */
export async function openBaton(
  address: string | OpenBatonOptions = {},
  more: OpenBatonOptions = {},
): Promise<Baton> {
  const options = typeof address === 'string' ? { ...more, store: address } : address
  demandOptions(options)
  if (/^https?:\/\//i.test(options.store ?? '')) return openServer(options)
  if (options.policy !== undefined) (await import('./config/policy-check.ts')).checkPolicy(options.policy)
  const cwd = resolve(options.cwd ?? '.')
  const { service, base, folders } =
    options.store === undefined ? await openAround(cwd, options.policy) : await open(options, cwd)
  const kept = folders && (await keepFolders(folders))
  const close = async () => {
    await kept?.stop()
    await service.deps.store.close()
  }
  return new Baton(localLink({ service, base, close }))
}

// biome-ignore format: read as a table
const TEXTS = {
  store:     'a file, :memory:, postgres://… or https://…',
  workspace: 'the name of a workspace in a database',
  cwd:       'the path of a folder',
} as const

/** A program without types may pass anything, and an invalid store would open another one. */
function demandOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw invalidInput("openBaton takes an address and an object of options: openBaton('baton.db', { … })")
  for (const [field, wanted] of Object.entries(TEXTS)) {
    const value: unknown = Reflect.get(options, field)
    if (value === undefined || (typeof value === 'string' && value !== '')) continue
    const what = value === '' ? 'empty' : 'not a string'
    throw new BatonError('invalid_input', `${field} is ${what}; give ${wanted}, or leave it out`, { field })
  }
}

async function openServer({ store: url = '', token, cwd, policy }: OpenBatonOptions): Promise<Baton> {
  if (policy !== undefined)
    throw new BatonError('invalid_input', 'a server has its own policy; leave it out', { field: 'policy' })
  const [{ remoteLink }, { readEnvironment }, { compileSchema }] = await Promise.all([
    import('./transports/http/client/remote-link.ts'),
    import('./config/config.ts'),
    import('./service/schema/json-schema.ts'),
  ])
  return new Baton(
    await remoteLink({
      url,
      token: token ?? readEnvironment().token ?? '',
      compile: (schema) => compileSchema(schema, resolve(cwd ?? '.')),
    }),
  )
}

/** The store that was named: no file of the folder has a say in it. */
async function open({ store = '', workspace, policy }: OpenBatonOptions, cwd: string): Promise<Opened> {
  const target = toStoreTarget(store, workspace)
  const isFile = target.engine === 'sqlite' && target.path !== ':memory:'
  const opened = await openNamed(isFile ? { ...target, path: resolve(cwd, target.path) } : target)
  return { service: serviceAt(opened, cwd, { policy: { ...DEFAULT_POLICY, ...policy } }), base: cwd }
}

export { validateHandoff } from './dialects/block/validate.ts'
export { PHASES, type Phase, STATUSES, type Status } from './domain/blocks/phases.ts'
export {
  BatonError,
  ERROR_CODES,
  type ErrorCode,
  HandoffFailedException,
  HandoffLimitExceeded,
  HandoffTimeoutException,
} from './domain/errors.ts'
export type { Handoff } from './domain/handoffs/handoff.ts'
export type {
  ArtifactRef,
  Check,
  CheckResult,
  Evidence,
  Package,
  Result,
  Validation,
} from './domain/handoffs/package.ts'
export type { KnownErrorCode } from './domain/handoffs/retry.ts'
export type { Notice } from './domain/people/notice.ts'
export type { Policy } from './domain/policy.ts'
export type { Task, ThoughtRecord } from './domain/tasks/task.ts'
export type { Baton } from './runner/baton.ts'
export type { BatonAgent } from './runner/baton-agent.ts'
export {
  type DefinedSendOptions,
  type DefinedWork,
  defineWork,
  type RequestOptions,
} from './runner/define-work.ts'
export type { AgentOptions, CallOptions, EventOptions, Outcome, WaitOptions } from './runner/link.ts'
export type * from './runner/operation-types.ts'
export type { Schema, StandardSchema } from './runner/schema.ts'
export type { SentHandoff } from './runner/sent-handoff.ts'
export type { CloseOptions, Specialist, SpecialistOptions, WorkerOptions } from './runner/specialist.ts'
export type { DefinedHandler, Handler, StoredArtifact, Work, WorkResult } from './runner/work.ts'
export type { Event } from './service/events.ts'
export type { JsonSchema } from './service/schema/json-schema.ts'
export type {
  ValueProblem,
  /** @deprecated The name is now `ValueProblem`. */
  ValueProblem as SchemaProblem,
} from './service/schema/schema-problems.ts'
