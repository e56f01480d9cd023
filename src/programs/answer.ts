import type { Handoff } from '../domain/handoffs/handoff.ts'
import type { Package } from '../domain/handoffs/package.ts'
import type { StoredArtifact, WorkResult } from '../runner/work.ts'
import { WorkFailed, WorkKept } from '../runner/work-failure.ts'
import type { FoundBlock } from '../service/blocks/found-blocks.ts'
import type { ReadyRunner } from './known-programs.ts'
import type { ProgramRun } from './program.ts'

export interface AnswerOptions {
  readonly runner: ReadyRunner
  readonly handoff: Handoff
  readonly deliverables: NonNullable<Package['deliverables']>
  readonly run: ProgramRun
  /** It asked its sender something. The answer may have come before it ended. */
  readonly hasAsked: boolean
  /** The last handoff block of its output, where it answers by one. */
  readonly block: FoundBlock | undefined
  /** The proof of the work: the commit of its branch, or the log of the program. */
  readonly evidence: string
  readonly log: StoredArtifact | undefined
}

/** Characters of the output that are handed in as a note. */
const NOTE_LENGTH = 4_000

/** The answer of a program that has ended while it still held the work; throws why it is a failure. */
export function answerOf(options: AnswerOptions): WorkResult {
  const { runner, handoff, deliverables, run, hasAsked, block, evidence, log } = options
  const { end, ended, output } = run
  const program = runner.command[0]
  if (end.reason !== undefined)
    throw failure('DEPENDENCY_MISSING', `${program} could not be started: ${end.reason}`)
  if (ended === 'late')
    throw failure(
      'TIMEOUT',
      `${program} was ended after ${Math.round(runner.timeoutMs / 1_000)} s, its time limit`,
    )
  if (ended === 'too much output')
    throw failure(
      'PROCESSING_ERROR',
      `${program} printed more than ${runner.outputBytes / 1_000} KB and was ended`,
    )
  if (end.code !== 0)
    throw failure('PROCESSING_ERROR', `${program} ended with ${exitWords(end.code)}${lastWords(output)}`)
  // The answer goes into its next brief.
  if (hasAsked && runner.answer !== 'exit' && !block) throw new WorkKept()
  if (runner.answer === 'calls')
    throw failure('PROCESSING_ERROR', `${program} ended without handing in ${handoff.id}${lastWords(output)}`)
  const shown = deliverables.map((deliverable) => ({ deliverable, evidence }))
  const note = output.trim().slice(-NOTE_LENGTH) || `${program} ended with exit code 0 and printed nothing`
  if (runner.answer === 'exit') return { note, evidence: shown, ...(log && { artifact: log }) }
  if (!block) throw failure('VALIDATION_FAILED', `${program} ended without a handoff block in its output`)
  if (!block.said)
    throw failure(
      'VALIDATION_FAILED',
      `the handoff block of ${program} cannot be used: ${block.diagnostics[0]?.message ?? 'it has an error'}`,
    )
  const { status, metrics } = block.said
  if (status !== 'complete')
    throw failure('PROCESSING_ERROR', `the handoff block of ${program} says ${status}${lastWords(output)}`)
  return { note, evidence: shown, output: metrics }
}

const failure = (code: string, message: string) => new WorkFailed({ code, message })

const exitWords = (code: number | string | undefined): string =>
  typeof code === 'number' ? `exit code ${code}` : `the signal ${code}`

const lastWords = (output: string): string => {
  const last = output.trim().split('\n').slice(-3).join('\n').slice(-500)
  return last === '' ? '' : `; it said last: ${last}`
}
