import { join, resolve } from 'node:path'
import { keepFolders, type Opened, openAround } from './compose/embedded.ts'
import { AgentName } from './domain/agent.ts'
import { BatonError, invalidInput, onRefusal } from './domain/errors.ts'
import type { Handoff } from './domain/handoffs/handoff.ts'
import { present } from './domain/present.ts'
import { demandSeconds } from './domain/wait-limits.ts'
import { Tree } from './folders/files/tree.ts'
import { hashAt } from './folders/queue/artifacts.ts'
import { queueFolder } from './folders/queue/kind.ts'
import { requestTitle } from './folders/queue/queue-draft.ts'
import { writeQueueFile } from './folders/queue/write.ts'
import { BatonAgent } from './runner/baton-agent.ts'
import { localAgent } from './runner/local-link.ts'
import { toFailing, toWritable } from './runner/work-failure.ts'
import { draftOf } from './service/documents/export.ts'

const ID_HINT = "give the handoff's id, for example hoff-001-1768298400000"
const ARTIFACT = 'give { id, path } of the artifact, with the path from the project'

/** A file of document 001 as parsed JSON: request, response or failure. */
export type HandoffFile = Readonly<Record<string, unknown>>

/** A worker's answer: the path of its artifact, and its notes on it. */
export interface WorkerArtifact {
  readonly id: string
  readonly path: string
  readonly type?: string
  readonly validation?: Readonly<Record<string, unknown>>
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly next_steps?: readonly string[]
}

export interface QueueOptions {
  /** The search for the workspace starts here; the current folder unless said. */
  readonly cwd?: string
  /** Gets the document's lines; standard output unless said. */
  readonly print?: (line: string) => void
}

export interface RequestOptions extends QueueOptions {
  readonly context?: Readonly<Record<string, unknown>>
  readonly timeout_seconds?: number
  readonly priority?: 'low' | 'normal' | 'high' | 'critical'
  readonly retry_policy?: {
    readonly max_retries: number
    readonly retry_delay_seconds?: number
    readonly backoff_multiplier?: number
  }
}

export type Worker = (data: unknown, handoff: HandoffFile) => WorkerArtifact | Promise<WorkerArtifact>

/** Writes a request to `handoffs/pending/` and answers its id. */
export async function createHandoffRequest(
  source: string,
  target: string,
  input: unknown,
  options: RequestOptions = {},
): Promise<string> {
  const { context, timeout_seconds, priority, retry_policy: retry } = options
  const from = demandAgent('source', source, '@frontend-specialist')
  const to = demandAgent('target', target, '@react-specialist')
  return inWorkspace(options, async (opened) => {
    const { id } = await agent(opened, from, 'orchestrator').send({
      to,
      title: requestTitle(to),
      home: 'queue',
      input,
      ...(context && { data: { ...context } }),
      ...(timeout_seconds !== undefined && { timeout_s: timeout_seconds }),
      ...(priority && { priority }),
      ...(retry && {
        retry: {
          max: retry.max_retries,
          delay_s: retry.retry_delay_seconds ?? 30,
          multiplier: retry.backoff_multiplier ?? 2,
        },
      }),
    })
    printLine(options, `✅ Handoff created: ${id}`)
    return id
  })
}

/**
 * Picks a request up for the agent that it is addressed to; null if it cannot be picked up. With a worker the
 * work is done and handed in too: what it throws is the failure. Answers the file as it is then.
 */
export async function processHandoffRequest(
  id: string,
  worker?: Worker,
  options: QueueOptions = {},
): Promise<HandoffFile | null> {
  demandId(id)
  demandWorker(worker)
  return inWorkspace(options, async (opened) => {
    const { store } = opened.service.deps
    const found = await store.handoff(id)
    // Undefined where another program was faster, or where it is not to be had yet.
    const taken =
      found?.state === 'offered' &&
      (await agent(opened, found.to).accept(found.uid).catch(onRefusal(undefined, 'wrong_state')))
    if (!found || !taken) {
      printLine(options, `❌ Handoff not found: ${id}`)
      return null
    }
    printLine(options, `🔄 Processing handoff: ${id}`)
    const content = await store.content(found.uid)
    if (!worker || taken.handoff.state !== 'in_progress') return fileOf(opened, id)
    try {
      const artifact = await worker(content?.package.input, await fileOf(opened, id))
      demandResult(artifact)
      await succeed(opened, id, artifact, options)
    } catch (error) {
      await fail(opened, id, failureOf(error), options)
    }
    return fileOf(opened, id)
  })
}

/** Hands the artifact in; what is not in progress is refused and stays as it is. */
export async function completeHandoffSuccess(
  id: string,
  artifact: WorkerArtifact,
  options: QueueOptions = {},
): Promise<HandoffFile> {
  demandId(id)
  demandArtifact(artifact)
  return inWorkspace(options, async (opened) => {
    await succeed(opened, id, artifact, options)
    return fileOf(opened, id)
  })
}

/** Reports that the work failed; what is not in progress is refused and stays as it is. */
export async function completeHandoffFailure(
  id: string,
  message: string,
  options: QueueOptions & { readonly code?: string } = {},
): Promise<HandoffFile> {
  demandId(id)
  demandText('message', message, 'say why the work failed')
  return inWorkspace(options, async (opened) => {
    await fail(opened, id, { message, code: options.code ?? 'PROCESSING_ERROR' }, options)
    return fileOf(opened, id)
  })
}

/**
 * Waits for the end and answers the completed file. Throws `HandoffFailedException` with the message of the failure as
 * long as its file is in `failed/`, and `HandoffTimeoutException` after the time given, else the request's own, else 300 seconds.
 */
export async function waitForHandoffCompletion(
  id: string,
  timeoutSeconds?: number,
  options: QueueOptions & { readonly signal?: AbortSignal } = {},
): Promise<HandoffFile> {
  demandId(id)
  demandSeconds(timeoutSeconds, 'timeout_seconds')
  return inWorkspace(options, async (opened) => {
    const { signal } = options
    const { uid } = await opened.service.wait(id, { untilFailure: true, timeout_s: timeoutSeconds, signal })
    return fileOf(opened, uid)
  })
}

export { BatonError, HandoffFailedException, HandoffTimeoutException } from './domain/errors.ts'
/** The names that document 001 gives them. */
export {
  completeHandoffFailure as complete_handoff_failure,
  completeHandoffSuccess as complete_handoff_success,
  createHandoffRequest as create_handoff_request,
  processHandoffRequest as process_handoff_request,
  waitForHandoffCompletion as wait_for_handoff_completion,
}

/** Each call opens the workspace, takes in what others wrote, and leaves the files as the engine has them. */
async function inWorkspace<T>({ cwd = '.' }: QueueOptions, work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await openAround(resolve(cwd))
  if (opened.folders) await (await import('./folders/sync.ts')).syncFolders(opened.folders)
  const kept = opened.folders && (await keepFolders(opened.folders))
  try {
    return await work(opened)
  } finally {
    await kept?.stop()
    await opened.service.deps.store.close()
  }
}

const agent = ({ service }: Opened, name: string, kind: 'orchestrator' | 'specialist' = 'specialist') =>
  new BatonAgent(localAgent(service, { actor: { name, kind, auth: 'os-user' } }))

const printLine = ({ print = console.log }: QueueOptions, text: string): void => print(text)

/** An output that the guard refuses is document 001's VALIDATION_FAILED; all else is what the worker threw. */
const failureOf = (error: unknown): { readonly code: string; readonly message: string } =>
  error instanceof BatonError && error.code === 'unmet'
    ? { code: 'VALIDATION_FAILED', message: error.message }
    : toWritable(toFailing(error))

/** The artifact is the worker's output: an invalid one fails as output that did not pass. */
function demandResult(artifact: unknown): void {
  try {
    demandArtifact(artifact)
  } catch (error) {
    throw error instanceof BatonError ? new BatonError('unmet', error.message, error.details) : error
  }
}

async function succeed(
  opened: Opened,
  id: string,
  { id: artifact_id, path, type, validation, metadata, next_steps }: WorkerArtifact,
  options: QueueOptions,
): Promise<void> {
  const { to } = await held(opened, id)
  const tree = treeOf(opened)
  await agent(opened, to).submit(id, {
    output: { artifact_id, artifact_path: path, ...present({ artifact_type: type }) },
    artifacts: [{ path, role: 'output', ...present({ type }), ...(tree && hashAt(tree, path)) }],
    schema_compliance: 'valid',
    ...(validation && { validation: { status: 'passed', ...validation } }),
    ...(metadata && { metadata: { ...metadata } }),
    ...(next_steps && { next_steps: [...next_steps] }),
  })
  printLine(options, `✅ Handoff completed: ${id}`)
}

function treeOf({ folders }: Opened): Tree | undefined {
  const live = folders?.folders.find(({ kind }) => kind.dialect === 'queue')
  return folders && live && new Tree(join(folders.root, live.path))
}

async function fail(
  opened: Opened,
  id: string,
  { code, message }: { readonly code: string; readonly message: string },
  options: QueueOptions,
): Promise<void> {
  const { to } = await held(opened, id)
  await agent(opened, to).fail(id, { code, message })
  printLine(options, `❌ Handoff failed: ${id}`)
}

async function held({ service }: Opened, id: string): Promise<Handoff> {
  const found = await service.deps.store.handoff(id)
  if (found) return found
  throw new BatonError('not_found', `there is no handoff ${id}; see what is there with: baton list`, { id })
}

/** The file as it lies there when the engine and the folder agree; without a folder as it would be written. */
async function fileOf(opened: Opened, id: string): Promise<HandoffFile> {
  const { deps } = opened.service
  const tree = treeOf(opened)
  if (opened.folders && tree) await (await import('./folders/sync.ts')).syncFolders(opened.folders)
  const handoff = await held(opened, id)
  const path = queueFolder.place(handoff)
  const file = path === undefined ? undefined : tree?.read(path)
  if (file) return JSON.parse(file.bytes.toString('utf8'))
  const { draft } = await draftOf(deps, handoff)
  const made = writeQueueFile({ handoff, draft, policy: deps.policy })
  return made.ok ? JSON.parse(made.text) : {}
}

/** The agent's one name. What a program without types gives may be anything. */
function demandAgent(field: string, value: unknown, example: string): string {
  const wanted = `give the name of an agent, for example ${example}`
  const text = demandText(field, value, wanted)
  const read = AgentName.safeParse(text)
  if (read.success) return read.data
  throw refused(field, `is ${JSON.stringify(text.slice(0, 100))}; ${wanted}`)
}

const demandId = (value: unknown): string => demandText('id', value, ID_HINT)

function demandWorker(value: unknown): void {
  if (value === undefined || value === null || typeof value === 'function') return
  throw refused(
    'worker',
    'is not a function; give one that returns { id, path } of its artifact, or leave it out',
  )
}

function demandArtifact(value: unknown): void {
  if (value === undefined || value === null) throw refused('artifact', `is missing; ${ARTIFACT}`)
  if (typeof value !== 'object') throw refused('artifact', `is not an object; ${ARTIFACT}`)
  for (const field of ['id', 'path']) demandText(`artifact.${field}`, Reflect.get(value, field), ARTIFACT)
}

function demandText(field: string, value: unknown, wanted: string): string {
  if (value === undefined || value === null || value === '') throw refused(field, `is missing; ${wanted}`)
  if (typeof value === 'string') return value
  throw refused(field, `is not a string; ${wanted}`)
}

const refused = (field: string, what: string): BatonError => invalidInput(`${field} ${what}`, { field })
