import { BatonError } from '../../../../domain/errors.ts'
import { ANCHOR_REF, readAnchors, writeAnchor } from '../../../../git/anchor.ts'
import type { Repository } from '../../../../git/git.ts'
import { type AnchorReport, compareAnchors } from '../../../../service/audit/anchors.ts'
import { newestCheckpoint } from '../../../../service/audit/checkpoints.ts'
import { forked } from '../../../../service/audit/heads.ts'
import { logKeyOf } from '../../../../service/audit/log-key.ts'
import type { ServiceDeps } from '../../../../service/deps.ts'
import type { Command } from '../../command.ts'
import { refuseMoreWords } from '../../input/args.ts'
import type { Shell } from '../../shell.ts'
import { count } from '../../views/words.ts'
import { demandRepository } from '../task/repository.ts'

/** A checkpoint in git is remembered by everybody who fetches it: a log that was rewritten no longer fits. */
export const anchor: Command = {
  name: 'audit anchor',
  summary: `Notes the newest checkpoint at HEAD (${ANCHOR_REF}), so that git remembers the log.`,
  examples: ['baton audit anchor', `git push origin ${ANCHOR_REF}`, 'baton audit verify --anchored'],
  async run(shell) {
    const repository = await demandRepository(shell, 'audit anchor')
    const { service } = await shell.openLocal({ write: true })
    const { note, vkey, size } = await (await service.audit()).currentCheckpoint()
    await anchored(service.deps, repository, vkey)
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
  const audit = await service.audit()
  // Git may remember a checkpoint that is not here any more.
  const vkey = (await newestCheckpoint(service.deps))?.vkey
  const report = await anchored(service.deps, repository, vkey ?? (await logKeyOf(service.deps))?.vkey ?? '')
  if (vkey === undefined && report.held > 0)
    throw forked(
      service.deps,
      `git remembers ${report.newest} entries of it signed, and no checkpoint is here`,
      { ...report },
    )
  if (vkey === undefined) await audit.newestCheckpoint()
  shell.answer(report, () => `${shell.screen.tick} ${sentence(report)}`)
  return 0
}

/** Compares the log with the anchors in git; a log that was rolled back or rewritten is refused. */
async function anchored(deps: ServiceDeps, repository: Repository, vkey: string): Promise<AnchorReport> {
  const anchors = (await readAnchors(repository)).map(({ commit, note }) => ({ place: commit, note }))
  const report = await compareAnchors(deps, vkey, anchors)
  const [first] = report.broken
  if (!first) return report
  throw new BatonError(
    'store_refused',
    `the log is not the one that git remembers: at ${first.place.slice(0, 12)} ${first.reason}. It was rolled back or rewritten; compare it with a backup`,
    { ...report },
  )
}

const sentence = ({ held, newest, size }: AnchorReport): string =>
  held === 0
    ? 'no commit remembers anything of this log yet; note it with: baton audit anchor'
    : `the log extends ${count(held, 'checkpoint')} that git remembers, the newest of ${newest} entries; it has ${size}`
