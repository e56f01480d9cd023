import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Extra } from '../../operation-command.ts'

/** A server does not see the files here, so the definition travels with the call. */
export const fromFile: Extra = {
  async before(shell, session, input) {
    const { name, definition } = input
    if (session.context || typeof name !== 'string' || definition !== undefined) return { input }
    const file = fileOf(shell.io.cwd, name)
    return { input: file === undefined ? input : { ...input, definition: readFileSync(file, 'utf8') } }
  },
}

/** `workflows/<name>.yaml` here or above, as far as the repository goes. */
function fileOf(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = ['yaml', 'yml'].map((end) => join(folder, 'workflows', `${name}.${end}`)).find(existsSync)
    if (found !== undefined) return found
    if (existsSync(join(folder, '.git')) || folder === dirname(folder)) return undefined
  }
}
