// Runs the commands of docs/tutorials/first-handoff.md on a terminal and draws what it shows: docs/tutorials/first-handoff.svg.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { guideCommands, shellWords } from '../test/support/documents/guide-commands.ts'
import { onTerminal } from '../test/support/program/command.ts'
import { drawTerminal } from './terminal-svg.ts'

const COLUMNS = 96
const GUIDE = resolve(import.meta.dirname, '../docs/tutorials/first-handoff.md')

const home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-picture-')))
try {
  const cwd = join(home, 'shop')
  execFileSync('git', ['init', '--quiet', cwd])
  // Whoever makes the picture is not in it.
  const where = { cwd, env: { BATON_AGENT: 'maria' } }
  const screen = guideCommands(readFileSync(GUIDE, 'utf8')).map((command) => {
    const { raw, code } = onTerminal(where, shellWords(command).slice(1), { columns: COLUMNS })
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${raw}`)
    return { command, shown: raw }
  })
  writeFileSync(GUIDE.replace(/\.md$/, '.svg'), drawTerminal(screen, COLUMNS))
} finally {
  rmSync(home, { recursive: true, force: true })
}
