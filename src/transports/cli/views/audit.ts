import type { ChainReport, Proof, Sealed } from '../../../domain/audit-answers.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import type { Cell } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { count } from './words.ts'

/** How the log looks to people. What can be checked by programs is printed as it stands. */
export function startView(shell: Shell, session: OperationOutput<'audit_session_start'>): string {
  const { screen } = shell
  shell.next('baton audit verify-chain')
  return `${screen.tick} ${screen.bold(session.id)} is open; the work of ${session.by} from here belongs to it`
}

export function sessionsView(shell: Shell, page: OperationOutput<'audit_sessions'>): string {
  const none = 'No audit session yet; begin one with: baton audit session-start'
  return shell.list(page, none, ['ID', 'STATE', 'OF', 'HOLDS', 'BEGAN'], (session) => [
    { text: session.id, style: 'bold' },
    { text: session.state, style: session.state === 'sealed' ? 'green' : 'cyan' },
    session.by,
    session.seal ? count(session.seal.n, 'entry', 'entries') : '-',
    { text: shell.screen.when(session.started_at), style: 'dim' },
  ])
}

export function chainView(shell: Shell, { session, entries, head, levels }: ChainReport): string {
  const { screen } = shell
  const lines = levels.map(
    ({ holds, says, does_not_prove }) =>
      `${holds ? screen.tick : screen.mark} ${says}\n  ${screen.dim(`not proven: ${does_not_prove}`)}`,
  )
  const held = `${screen.bold(session)} holds ${count(entries, 'entry', 'entries')}, the last is ${head}`
  return screen.fit([held, ...lines].join('\n'))
}

export function sealedView(shell: Shell, sealed: Sealed): string {
  const { screen } = shell
  return [
    `${screen.tick} ${screen.bold(sealed.session)} is sealed`,
    screen.fields([
      ['Root', sealed.session_root],
      ['Holds', count(sealed.n, 'entry', 'entries')],
      [
        'Seal',
        `leaf ${sealed.seal_index} of the tree, by ${sealed.sealed_by}, ${screen.when(sealed.sealed_at)}`,
      ],
    ]),
    '',
    sealed.checkpoint.trimEnd(),
  ].join('\n')
}

export function proofView(shell: Shell, proof: Proof): string {
  const { screen } = shell
  if (proof.pending > 0)
    shell.note(`${count(proof.pending, 'entry', 'entries')} more will be in the next checkpoint`)
  const table = screen.table(
    proof.entries.map((entry): Cell[] => [
      { text: String(entry.number), style: 'bold' },
      entry.signed === undefined ? entry.act : `${entry.act} (${entry.signed ? 'signed' : 'unsigned'})`,
      { text: screen.when(entry.at), style: 'dim' },
    ]),
    ['ENTRY', 'ACT', 'WHEN'],
  )
  shell.next(`baton audit proof ${proof.subject.id} --json   (entries, paths and key, for a verifier)`)
  return [table, '', proof.checkpoint.trimEnd()].join('\n')
}

export const checkpointView = (_: Shell, { note }: OperationOutput<'audit_checkpoint'>): string =>
  note.trimEnd()

export const logView = (shell: Shell, page: OperationOutput<'audit_log'>): string =>
  shell.list(page, 'Nothing has happened yet.', ['ENTRY', 'ACT', 'BY', 'ABOUT', 'WHEN'], (entry) => [
    { text: String(entry.number), style: 'bold' },
    entry.act,
    entry.by ?? '-',
    { text: entry.subject, fill: true },
    { text: shell.screen.when(entry.at), style: 'dim' },
  ])

export function keyView(shell: Shell, key: OperationOutput<'audit_key'>): string {
  shell.note(
    key.here
      ? `the secret is in ${key.file}; keep a copy of it away from the store`
      : `the secret is in ${key.file} on ${key.host}, and not here: the log can be verified here, not signed`,
  )
  return key.vkey
}
