import type { Context } from '../../../../compose/open.ts'
import { storeRefused } from '../../../../domain/errors.ts'
import { ANCHOR_REF, readAnchors, removeAnchors, writeAnchor } from '../../../../git/anchor.ts'
import type { Repository } from '../../../../git/git.ts'
import { type AnchorReport, compareAnchors } from '../../../../service/audit/anchors.ts'
import { forked } from '../../../../service/audit/heads.ts'
import type { ServiceDeps } from '../../../../service/deps.ts'
import type { Command } from '../../command.ts'
import { refuseMoreWords } from '../../input/args.ts'
import type { Extra } from '../../operation-command.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'
import { demandRepository, repositoryAt } from '../task/repository.ts'

/** A checkpoint in git is remembered by everybody who fetches it: a log that was rewritten no longer fits. */
export const anchor: Command = {
  name: 'audit anchor',
  summary: `Notes the newest checkpoint at HEAD (${ANCHOR_REF}), so that git remembers the log.`,
  examples: ['baton audit anchor', `git push origin ${ANCHOR_REF}`, 'baton audit verify --anchored'],
  async run(shell) {
    const repository = await demandRepository(shell, 'audit anchor')
    const { service } = await shell.openLocal({ write: true })
    const { note, size } = await (await service.audit()).currentCheckpoint()
    await anchored(service.deps, repository)
    const commit = await writeAnchor(repository, note)
    shell.answer({ commit, size, ref: ANCHOR_REF }, () => {
      shell.note(`share it with: git push origin ${ANCHOR_REF}`)
      return `${shell.screen.tick} ${commit.slice(0, 12)} remembers the first ${count(size, 'entry', 'entries')} of the log`
    })
  },
}

/** `audit verify --anchored`: the log here against every checkpoint that git remembers. */
export async function checkAnchors(shell: Shell): Promise<number> {
  refuseMoreWords(shell.args.words, 0, 'audit verify --anchored')
  const repository = await demandRepository(shell, 'audit verify --anchored')
  const { service } = await shell.openLocal({ write: false })
  const report = await anchored(service.deps, repository)
  await (await service.audit()).newestCheckpoint()
  shell.answer(report, () => `${shell.screen.tick} ${sentence(report)}`)
  return 0
}

/** Refuses a log that is not the one that git remembers, where git is here and remembers anything of it. */
export async function demandAnchors({ io }: Shell, { service, workspace }: Context): Promise<void> {
  const repository = await repositoryAt(workspace?.root ?? io.cwd).catch(() => undefined)
  if (repository) await anchored(service.deps, repository)
}

/** `audit checkpoint`: a log that git knows otherwise is not signed. */
export const checkpoint: Extra = {
  async before(shell, { context }, input) {
    if (context) await demandAnchors(shell, context)
    return { input }
  },
}

/** A person has looked: what git remembers of another history than this one is taken out of its notes. */
export async function forgetAnchors({ io }: Shell, { service, workspace }: Context): Promise<void> {
  const repository = await repositoryAt(workspace?.root ?? io.cwd).catch(() => undefined)
  // Entries that are not those of their tree fit no memory at all; the next look at the log says so.
  const { broken } = (repository && (await compared(service.deps, repository).catch(() => undefined))) ?? {}
  if (repository && broken?.length)
    await removeAnchors(
      repository,
      broken.map(({ place }) => place),
    )
}

/** Compares the log with the anchors in git; a log that was rolled back or rewritten is refused. */
async function anchored(deps: ServiceDeps, repository: Repository): Promise<AnchorReport> {
  const report = await compared(deps, repository)
  const [first] = report.broken
  if (first)
    throw storeRefused(
      `the log is not the one that git remembers: at ${first.place.slice(0, 12)} ${first.reason}. It was rolled back or rewritten; compare it with a backup, or let a person start over with: baton audit trust --reset`,
      { ...report },
    )
  if (report.held > 0 && (await deps.store.checkpoints({ limit: 1 })).length === 0)
    throw forked(deps, `git remembers ${report.newest} entries of it signed, and no checkpoint is here`, {
      ...report,
    })
  return report
}

async function compared(deps: ServiceDeps, repository: Repository): Promise<AnchorReport> {
  const anchors = (await readAnchors(repository)).map(({ commit, note }) => ({ place: commit, note }))
  return compareAnchors(deps, anchors)
}

const sentence = ({ held, newest, size }: AnchorReport): string =>
  held === 0
    ? 'no commit remembers anything of this log yet; note it with: baton audit anchor'
    : `the log extends ${count(held, 'checkpoint')} that git remembers, the newest of ${newest} entries; it has ${size}`
