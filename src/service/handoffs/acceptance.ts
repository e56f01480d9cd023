import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, realpath, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BatonError } from '../../domain/errors.ts'
import { checkName } from '../../domain/handoffs/guards.ts'
import type { Check, CheckResult, Result } from '../../domain/handoffs/package.ts'
import type { ServiceDeps } from '../deps.ts'
import { checkForeign } from '../schema/foreign-schema.ts'
import { isInside } from '../schema/schema-folder.ts'
import { runCommand, toArguments } from './command.ts'

export interface CheckRunnerOptions {
  /** The project's folder: nothing outside it is looked at. */
  readonly root: string
  /** The commands that may run here, word for word: a check is the sender's and runs with the receiver's rights. */
  readonly commands: readonly string[]
  readonly commandTimeLimitMs?: number
}

type Outcome = Omit<CheckResult, 'name'>

const COMMAND_TIME_LIMIT_MS = 10 * 60_000
/** Error codes of the file system for a path without a file. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']

/**
 * Runs the acceptance checks of a handoff where the project is. Every check gets an answer: it holds, it does
 * not, or it has not run, and why. Without a result nothing runs: the answers tell what could not run here.
 */
export function createCheckRunner(options: CheckRunnerOptions): NonNullable<ServiceDeps['runChecks']> {
  const where = `${hostname()}:${basename(resolve(options.root))}`
  return async (checks, result) => {
    const results: CheckResult[] = []
    // One after the other: two test runs at once would disturb each other.
    for (const check of checks) {
      const outcome = await (result ? evaluate(check, result, options) : foreseen(check, options))
      results.push({ name: checkName(check), ...outcome, ...(outcome.ok !== undefined && { where }) })
    }
    return results
  }
}

/** The answers of a place without a project: what was handed in can be judged anywhere, files and commands cannot. */
export const withoutProject: NonNullable<ServiceDeps['runChecks']> = (checks, result) =>
  Promise.all(
    checks.map(async (check) => {
      const outcome =
        check.kind === 'json_schema'
          ? await (result ? matches(check.schema, result.output) : compiles(check.schema))
          : check.kind === 'evidence'
            ? result && evidenced(check.deliverable, result)
            : { detail: 'not run: there is no project' }
      return { name: checkName(check), ...outcome }
    }),
  )

async function foreseen(check: Check, options: CheckRunnerOptions): Promise<Outcome> {
  if (check.kind === 'command') return runs(check.command, options, false)
  return check.kind === 'json_schema' ? compiles(check.schema) : {}
}

/** Nothing where the schema can be used, else why not. */
async function compiles(schema: Readonly<Record<string, unknown>>): Promise<Outcome> {
  const tried = await matches(schema, null)
  return tried.ok === undefined ? tried : {}
}

async function evaluate(check: Check, result: Result, options: CheckRunnerOptions): Promise<Outcome> {
  switch (check.kind) {
    case 'file_exists':
      return withFile(options.root, check.path, async () => ({ ok: true }))
    case 'sha256':
      return withFile(options.root, check.path, async (file) => {
        const found = await sha256Of(file)
        return found === check.sha256 ? { ok: true } : { ok: false, detail: `it has ${found}` }
      })
    case 'json_schema':
      return matches(check.schema, result.output)
    case 'command':
      return runs(check.command, options)
    case 'evidence':
      return evidenced(check.deliverable, result)
  }
}

/** Calls `look` with the real place of a path inside the root; a link that leads out of it leads nowhere. */
async function withFile(
  root: string,
  path: string,
  look: (file: string) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const base = await realpath(root)
    // Documents write paths both ways.
    const file = await realpath(resolve(base, path.replaceAll('\\', '/')))
    if (!isInside(base, file)) return { ok: false, detail: 'outside the project' }
    return await look(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (!ABSENT.includes(code)) return { detail: `not run: ${code ?? String(error)}` }
    return {
      ok: false,
      detail: isInside(resolve(root), resolve(root, path)) ? 'not there' : 'outside the project',
    }
  }
}

async function sha256Of(file: string): Promise<string> {
  // A pipe or a device could be read for ever.
  if (!(await stat(file)).isFile()) return 'no hash: it is not a file'
  const hash = createHash('sha256')
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  await pipeline(handle.createReadStream(), hash)
  return hash.digest('hex')
}

async function matches(schema: Readonly<Record<string, unknown>>, output: unknown): Promise<Outcome> {
  if (output === undefined) return { ok: false, detail: 'no output was handed in' }
  try {
    const problems = await checkForeign(schema, output)
    if (problems.length === 0) return { ok: true }
    const first = problems.slice(0, 3).map(({ field, error }) => `${field}: ${error}`)
    const rest = problems.length > first.length ? ` and ${problems.length - first.length} more` : ''
    return { ok: false, detail: first.join('; ') + rest }
  } catch (error) {
    if (error instanceof BatonError) return { detail: `not run: ${error.message}` }
    throw error
  }
}

async function runs(command: string, options: CheckRunnerOptions, starts = true): Promise<Outcome> {
  if (!options.commands.includes(command))
    return { detail: 'not run: list it under checks.commands in baton.yaml, then: baton trust' }
  const split = toArguments(command)
  if ('problem' in split) return { detail: `not run: ${split.problem}` }
  if (!starts) return {}
  const timeLimitMs = options.commandTimeLimitMs ?? COMMAND_TIME_LIMIT_MS
  const end = await runCommand(split.words, { cwd: options.root, timeLimitMs })
  if (end.kind === 'not_started') return { ok: false, detail: `could not be started: ${end.reason}` }
  if (end.kind === 'late') return { ok: false, detail: `ended after ${timeLimitMs / 1_000} s` }
  return end.code === 0
    ? { ok: true }
    : { ok: false, detail: `exit code ${end.code}${end.tail && `: ${end.tail}`}` }
}

function evidenced(deliverable: string, result: Result): Outcome {
  const given = result.evidence?.find((item) => item.deliverable.trim() === deliverable.trim())
  return given?.evidence.trim() ? { ok: true } : { ok: false, detail: 'none was given' }
}
