import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gitEnvironment } from '../../../../config/config.ts'
import { invalidInput, notAllowed, notFound } from '../../../../domain/errors.ts'
import { type Checkout, checkoutAbove } from '../../../../git/checkout.ts'
import { printQuestions, readAnswers } from '../../../../migrate/answers.ts'
import { applyMigration, hasWork } from '../../../../migrate/apply.ts'
import { hiddenHandoffs } from '../../../../migrate/hidden.ts'
import { INDEX_PATH, planMigration } from '../../../../migrate/plan.ts'
import { scan } from '../../../../migrate/scan.ts'
import { planSummary } from '../../../../migrate/summary.ts'
import { readText } from '../../../../setup/file-edit.ts'
import { hasBatonFolder } from '../../../../workspace/find.ts'
import { makeFolder } from '../../../../workspace/workspace.ts'
import type { Command } from '../../command.ts'
import { type Arguments, CONSENT, flag, isConsented, textOf } from '../../input/args.ts'
import type { Shell } from '../../shell.ts'
import { migrationText } from '../../views/migration.ts'

/** Not an error: it ran, and something is left for a person to decide. */
const LEFT = 1

/** Document 000's consolidation: scattered handoffs of version 1 into `_handoffs/`, one file each. */
export const migrate: Command = {
  name: 'migrate',
  summary:
    'Moves handoffs of version 1 into _handoffs/, the newest of each, with the keys of version 2. Shows the plan; --yes does it.',
  words: ['[folder]'],
  flags: [
    flag('from <version>', 'The format of the files now', { required: true, choices: ['v1'] }),
    ...CONSENT,
    flag(
      'answers <file>',
      'Answers for missing fields; if the file does not exist, it is written for you to fill in',
    ),
  ],
  examples: [
    'baton migrate --from v1 .',
    'baton migrate --from v1 . --answers answers.yaml',
    'baton migrate --from v1 . --yes',
  ],
  async run(shell, args) {
    const from = textOf(args, 'from')
    if (from?.toLowerCase() !== 'v1')
      throw invalidInput(`there is no way from ${from}; write: baton migrate --from v1 .`, { option: 'from' })
    const { root, checkout } = folderToMigrate(shell, args)
    const answers = answersOf(shell, args)
    const apply = isConsented(args)
    const plan = planMigration(scan(root), {
      now: new Date().toISOString(),
      index: readText(join(root, INDEX_PATH)),
      ...(answers.text !== undefined && { answers: readAnswers(answers.text, answers.file) }),
    })
    const hidden = await hiddenHandoffs(root, gitEnvironment())
    if (hidden.length > 0)
      shell.warn(
        `${hidden.length} handoffs are in git and not in this folder, because the checkout is sparse: git sparse-checkout disable shows them`,
      )
    const backup = apply && hasWork(plan) ? await backupFolder(root, checkout) : undefined
    if (backup !== undefined) await applyMigration(plan, backup)
    if (answers.isNew) writeFileSync(answers.file, printQuestions(plan.undecided), { flag: 'wx' })
    const asked = answers.isNew ? answers.file : undefined
    const outcome = { applied: backup !== undefined, backup, questions: asked, hidden }
    shell.answer({ ...planSummary(plan), ...outcome }, () =>
      migrationText(shell, plan, outcome, args.words[0] ?? '.'),
    )
    return apply && plan.undecided.length > 0 ? LEFT : 0
  },
}

/** `_handoffs/` stands at the root of the repository, so that is where everything starts. */
function folderToMigrate(shell: Shell, { words }: Arguments) {
  const wanted = resolve(shell.io.cwd, words[0] ?? '.')
  if (!statSync(wanted, { throwIfNoEntry: false })?.isDirectory())
    throw notFound(`there is no folder ${wanted}`, { folder: wanted })
  const root = realpathSync(wanted)
  const checkout = checkoutAbove(root)
  if (checkout && checkout.root !== root)
    throw invalidInput(
      `${root} is a part of the repository ${checkout.root}, and _handoffs/ stands at its root; run: baton migrate --from v1 ${checkout.root}`,
      { folder: root, root: checkout.root },
    )
  return { root, checkout }
}

function answersOf(shell: Shell, args: Arguments) {
  const given = textOf(args, 'answers')
  if (given === undefined) return { file: '', isNew: false }
  const file = resolve(shell.io.cwd, given)
  if (existsSync(file)) return { file, text: readFileSync(file, 'utf8'), isNew: false }
  if (isConsented(args))
    throw notFound(
      `${file} does not exist; type the same without --yes first, which writes it for you to fill in`,
      { file },
    )
  return { file, isNew: true }
}

/** Out of git's sight. A linked worktree has no `.baton` of its own. */
async function backupFolder(root: string, checkout: Checkout | undefined): Promise<string> {
  const base = checkout?.linked ? checkout.main : root
  if (base === undefined)
    throw notAllowed(
      `${root} is a linked worktree, and its repository, where copies are kept, cannot be reached; use the main worktree`,
      { folder: root },
    )
  hasBatonFolder(base)
  await makeFolder(join(base, '.baton'))
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const above = join(base, '.baton', 'migrated')
  mkdirSync(above, { recursive: true })
  for (let i = 1; ; i++) {
    const folder = join(above, i === 1 ? time : `${time}-${i}`)
    // Two at the same time must not share one.
    if (mkdirSync(folder, { recursive: true }) !== undefined) return folder
  }
}
