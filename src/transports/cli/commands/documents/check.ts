import { ERROR_CODES, invalidInput } from '../../../../domain/errors.ts'
import type { Command } from '../../command.ts'
import { flag, isOn, textOf } from '../../input/args.ts'
import { safeJson } from '../../screen/plain-text.ts'
import { withProgress } from '../../screen/progress.ts'
import type { Shell } from '../../shell.ts'
import { filesAt, STDIN, type Target } from './files.ts'
import { formatsFor } from './output.ts'
import type { CheckedEntry } from './target-check.ts'

/** Fewer are looked at sooner than a thread has started. */
const MANY = 200

export const check: Command = {
  name: 'check',
  summary:
    'Checks handoff documents of every format. Each problem has its place and a fix. Needs no workspace.',
  words: ['files, folders or -'],
  takesMore: true,
  flags: [
    flag('strict', 'Warnings count as errors'),
    flag('git <since>', 'Files changed since this commit or branch; each must be an artifact of a package'),
    flag('sarif', 'Findings as SARIF 2.1.0, for code scanning'),
  ],
  examples: [
    'baton check _handoffs/active',
    'baton check handoffs/pending/*.json --strict',
    'baton check handoff.yaml --git main',
    'agent run | baton check -',
    'baton check . --sarif > baton.sarif',
  ],
  async run(shell, args) {
    if (args.words.includes(STDIN) && args.words.length > 1)
      throw invalidInput('- means standard input and cannot be combined with files')
    if (isOn(args, 'sarif') && shell.isJson)
      throw invalidInput('--json and --sarif cannot be combined; use one of them')
    const found = await checkTargets(shell, filesAt(args.words, shell.io.cwd))
    const entries = isOn(args, 'strict') ? found.map(strict) : found
    await printChecked(shell, entries)
    return entries.every(({ ok }) => ok) ? 0 : ERROR_CODES.unmet.exit
  },
}

async function checkTargets(shell: Shell, targets: readonly Target[]): Promise<readonly CheckedEntry[]> {
  const options = { changed: await changedFor(shell, targets), formats: await formatsFor(shell) }
  if (targets.length < MANY) {
    const [{ checkTarget }, { readFrom }] = await Promise.all([
      import('./target-check.ts'),
      import('./pipe.ts'),
    ])
    const entries: CheckedEntry[] = []
    for (const target of targets)
      entries.push(...checkTarget(target, options, await readFrom(target, shell.io.stdin)))
    return entries
  }
  const { checkOnThreads } = await import('./check-pool.ts')
  return withProgress(shell, (tell) =>
    checkOnThreads(targets, {
      options,
      signal: shell.io.lasting(),
      tell: (done, of) => tell(`checked ${done} of ${of} files`),
    }),
  )
}

/** The files that git says changed. The documents report the changes and are left out. */
async function changedFor({ io, args }: Shell, targets: readonly Target[]): Promise<readonly string[]> {
  const since = textOf(args, 'git')
  if (since === undefined) return []
  const { changedSince } = await import('./changed-files.ts')
  const own = new Set(targets.map(({ path }) => path))
  return (await changedSince(io.cwd, since)).flatMap(({ path, name }) => (own.has(path) ? [] : [name]))
}

const strict = (entry: CheckedEntry): CheckedEntry => ({
  ...entry,
  ok: entry.ok && entry.diagnostics.every(({ severity }) => severity !== 'warning'),
})

async function printChecked(shell: Shell, entries: readonly CheckedEntry[]): Promise<void> {
  if (isOn(shell.args, 'sarif')) {
    const { toSarif } = await import('./sarif.ts')
    shell.print(safeJson(toSarif(entries), 2))
    return
  }
  const documents = entries.map(({ file, form: _, lines: __, ...document }) => ({ file, ...document }))
  const { reportText } = await import('./report.ts')
  shell.answer({ documents }, () => reportText(shell.screen, entries))
}
