import { invalidInput } from '../domain/errors.ts'
import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { ArtifactRef, Evidence, Package, Validation } from '../domain/handoffs/package.ts'
import type { KnownErrorCode } from '../domain/handoffs/retry.ts'
import { present } from '../domain/present.ts'
import type { DefinedWork, RequestOptions } from './define-work.ts'
import type { CallOptions, Outcome, WaitOptions } from './link.ts'
import type { OperationInput } from './operation-types.ts'
import type { AfterSchema, BeforeSchema, StandardSchema } from './schema.ts'

/** An artifact that a specialist made: what document 001 asks a worker to answer. */
export interface StoredArtifact {
  readonly id: string
  readonly path: string
  /** The name that it was stored under. */
  readonly type?: string
  readonly sha256?: string
}

/** The answer of a handler. Leave out the fields that the handoff does not ask for. */
export interface WorkResult<Output = unknown> {
  /** Checked by the output schema. Without it, the data of `artifact` is. */
  readonly output?: Output
  readonly artifact?: StoredArtifact
  readonly artifacts?: readonly ArtifactRef[]
  /** Failing tests, type errors or too little coverage make the attempt fail, whatever else is said. */
  readonly validation?: Validation
  readonly evidence?: readonly Evidence[]
  readonly note?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly next_steps?: readonly string[]
}

/** One attempt at a handoff, as its handler sees it. */
export interface Work<Input = unknown> {
  readonly handoff: Handoff
  /** Everything that travels with the handoff. */
  readonly package: Package
  /** The handoff's input, as the input schema passed it. */
  readonly input: Input
  /** From 1. */
  readonly attempt: number
  /** Why the verifier gave the work back, when it was handed in before. */
  readonly refusal?: string
  /** Aborted when this specialist has lost the work: cancelled, given away, its lease lost, or on closing. */
  readonly signal: AbortSignal

  /**
   * Stores data as a file of this handoff, as JSON unless it is bytes, and answers what to return as `artifact`.
   *
   * ```ts
   * const file = await work.artifact('react-components', { files: [`${work.input.name}.tsx`] })
   * return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 } }
   * ```
   */
  artifact(name: string, data: unknown): Promise<StoredArtifact>

  /**
   * Tells how far the work is, 0 to 100.
   *
   * ```ts
   * await work.progress(50)
   * ```
   */
  progress(percent: number): Promise<void>

  /**
   * Hands a part of the work to another agent and waits for its result. A handler that runs again after a crash gets
   * the result of the first time: each call has a key of its own, by its order in the handler, unless `key` is given.
   * It is completed when it is handed in, unless `home` or `review` says otherwise.
   *
   * ```ts
   * const font = await work.delegate({ to: 'font-specialist', title: 'Choose the font' })
   * return { output: { icons: output, font: font.output } }
   * ```
   *
   * Defined work has its input checked before it is sent, and its output is typed:
   *
   * ```ts
   * const { output } = await work.delegate(drawIcons, { names: [`user-${colour}`] })
   * ```
   */
  delegate<In extends StandardSchema, Out extends StandardSchema>(
    work: DefinedWork<In, Out>,
    input: BeforeSchema<In>,
    options?: RequestOptions,
  ): Promise<Outcome & { readonly output: AfterSchema<Out> }>
  delegate(input: OperationInput<'handoff_create'>, options?: CallOptions & WaitOptions): Promise<Outcome>

  /**
   * Asks the sender and waits for the answer. A question that was answered before is not asked again.
   *
   * ```ts
   * const colour = await work.ask('Which colour do the icons have?')
   * ```
   */
  ask(question: string): Promise<string>

  /**
   * Ends the attempt with one of document 001's error codes. Any other error that a handler throws is a
   * `PROCESSING_ERROR`.
   *
   * ```ts
   * work.fail('DEPENDENCY_MISSING', 'the design tokens are not there yet')
   * ```
   */
  fail(code: KnownErrorCode, message: string, details?: readonly Readonly<Record<string, unknown>>[]): never
}

export type Handler<Input = unknown, Output = unknown> = (
  work: Work<Input>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer is an async function without return
) => Promise<WorkResult<Output> | void> | WorkResult<Output> | void

/** The handler of a defined work answers the output itself. */
export type DefinedHandler<Input = unknown, Output = unknown> = (
  work: Work<Input>,
) => Promise<Output> | Output

/** The path and the bytes of a handler's data. */
export function toStoredFile(handoff: Handoff, name: string, data: unknown) {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(name))
    throw invalidInput(
      `"${name}" cannot name an artifact; use up to 40 letters, digits, dots, dashes and underscores`,
      { name },
    )
  const folder = handoff.id.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^\.+/, '')
  if (data instanceof Uint8Array) return { path: `artifacts/${folder}/${name}`, bytes: data }
  const text = JSON.stringify(data, undefined, 2)
  if (text === undefined) throw invalidInput(`the data of ${name} cannot be written as JSON`, { name })
  const file = name.endsWith('.json') ? name : `${name}.json`
  return { path: `artifacts/${folder}/${file}`, bytes: new TextEncoder().encode(`${text}\n`) }
}

/** The problem with a handler's answer, and what to return; an untyped program may return anything. */
export function answerProblem(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    const what = typeof answer === 'string' ? 'text' : Array.isArray(answer) ? 'list' : typeof answer
    return `the handler answered a ${what}; return { output: … }, with what it made as output`
  }
  const { artifact } = answer as { readonly artifact?: Partial<StoredArtifact> | null }
  if (artifact === undefined || (typeof artifact?.id === 'string' && typeof artifact.path === 'string'))
    return undefined
  return 'artifact is not { id, path }; return the result of work.artifact'
}

/** Document 001: what a worker answers is copied into the output under these names. */
export const outputOf = ({ id, path, type }: StoredArtifact) =>
  present({ artifact_id: id, artifact_path: path, artifact_type: type })

export const refOf = ({ path, type, sha256 }: StoredArtifact) =>
  present({ path, role: 'output', type, sha256 })
