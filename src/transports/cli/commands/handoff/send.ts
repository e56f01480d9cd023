import type { Handoff } from '../../../../domain/handoffs/handoff.ts'
import type { FieldFlag } from '../../input/flags.ts'
import type { Extra } from '../../operation-command.ts'

const CHECK_FILES: FieldFlag = {
  name: 'check-files',
  field: 'check_files',
  kind: 'word',
  takes: 'value',
  placeholder: 'since',
  about: 'Point out files changed since this commit or branch that are not among the artifacts',
}

/** Git knows which files were made; the sender need not list them twice. */
export const send: Extra = {
  flags: (flags) => [...flags, CHECK_FILES],
  async before(shell, _, { check_files, ...input }) {
    if (typeof check_files !== 'string') return { input }
    const { changedSince } = await import('../documents/changed-files.ts')
    const made = changedSince(shell.io.cwd, check_files, CHECK_FILES.name).map(({ name }) => name)
    const given = Array.isArray(input.created_files) ? (input.created_files as readonly string[]) : []
    return { input: { ...input, created_files: [...new Set([...given, ...made])] } }
  },
  async after(shell, output) {
    const { handoff } = output as { readonly handoff: Handoff }
    const left = (await shell.live?.leftOut(handoff)) ?? []
    if (left.length > 0)
      shell.warn(
        `the file does not say ${left.join(', ')}: its format has no place for it; the receiver sees it with: baton show ${handoff.id}`,
      )
    return false
  },
}
