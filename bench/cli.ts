// What does a command cost, against starting Node with nothing to do? Built package, warm compile cache, same
// Node, same run. And does it cost more with 10,000 handoffs and tasks than with 100?
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../src/compose/main.ts'
import { uuid7 } from '../src/service/uuid7.ts'
import { tableRow } from '../src/storage/rows.ts'
import type { DumpRow } from '../src/storage/store.ts'
import { type Finding, inFolder, interleaved } from './support/measure.ts'
import { seededHandoff, seededTask } from './support/seeded.ts'

const ROUNDS = 21
const ROOT = join(import.meta.dirname, '..')

export async function cli(): Promise<readonly Finding[]> {
  if (!existsSync(join(ROOT, 'dist/cli.cjs'))) throw new Error('build first: npm run build')
  return inFolder(async (folder) => {
    // As it is installed: without the sources, which a clone would compare with the build.
    const installed = join(folder, 'installed')
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, part), join(installed, part), { recursive: true })
    const small = await workspace(join(folder, 'small'), 100)
    const large = await workspace(join(folder, 'large'), 10_000)
    const baton = (cwd: string, ...args: readonly string[]) =>
      run(cwd, [join(installed, 'bin/baton.js'), ...args])
    const send = ['send', '--as', 'sender-1', '--to', 'receiver-1', '--title', 'Measured', '--json']
    const inbox = ['inbox', '--as', 'receiver-1', '--json']
    const next = ['next', '--as', 'receiver-1', '--json']
    const time = await interleaved(ROUNDS, {
      nothing: () => run(folder, ['-e', '0']),
      version: () => baton(folder, '--version'),
      create: () => baton(small, ...send),
      inbox: () => baton(small, ...inbox),
      next: () => baton(small, ...next),
      createLarge: () => baton(large, ...send),
      inboxLarge: () => baton(large, ...inbox),
      nextLarge: () => baton(large, ...next),
    })
    const finding = (question: string, value: number, base: number, most: number): Finding => ({
      question,
      ratio: value / base,
      detail: `${value.toFixed(0)} ms against ${base.toFixed(0)} ms (median of ${ROUNDS})`,
      bound: { sign: '<=', value: most },
    })
    return [
      finding('baton --version against node -e 0', time.version, time.nothing, 1.6),
      finding('baton send against node -e 0', time.create, time.nothing, 3),
      finding('baton inbox against node -e 0', time.inbox, time.nothing, 3),
      finding('baton next against node -e 0', time.next, time.nothing, 3),
      finding('baton send at 10,000 against 100', time.createLarge, time.create, 1.15),
      finding('baton inbox at 10,000 against 100', time.inboxLarge, time.inbox, 1.15),
      finding('baton next at 10,000 against 100', time.nextLarge, time.next, 1.15),
    ]
  })
}

async function workspace(root: string, size: number): Promise<string> {
  mkdirSync(root)
  run(root, [join(ROOT, 'bin/baton.js'), 'init'])
  const store = await openStore({ engine: 'sqlite', path: join(root, '.baton', 'baton.db') })
  await store.restore(rows(size))
  await store.close()
  return root
}

async function* rows(size: number): AsyncIterable<DumpRow> {
  const at = new Date().toISOString()
  for (let i = 0; i < size; i++)
    yield {
      table: 'task',
      row: { ...tableRow('task')(seededTask(uuid7(), i, at)), open_deps: i % 10, height: 1 },
    }
  for (let i = 0; i < size; i++)
    yield { table: 'handoff', row: { ...tableRow('handoff')(seededHandoff(uuid7(), i + 1_000, at, 5)) } }
  yield { table: 'counter', row: { name: 'handoff', value: 1_000_000 } }
}

function run(cwd: string, args: readonly string[]): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return performance.now() - started
}
