import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { BATON, cleanEnv, type Where } from '../support/program/command.ts'

/** A process that watches the live folders of a project, once it says so. */
export async function aWatcher(t: { after(clean: () => void): void }, where: Where): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BATON, 'folders', 'watch', '--as', 'grok'], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  return child
}
