import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { NODE_PLATFORM } from '../../../src/archive/audit-platform.ts'
import { verifyExport } from '../../../src/audit/levels/index.ts'
import { type Files, memoryFiles } from './export-log.ts'

const FOLDER = resolve(import.meta.dirname, '../../../examples/verify-python')

/** What both implementations say of the levels that both have. */
export type Said = Readonly<Record<string, string>>
const BOTH = ['L0', 'L1', 'L2', 'L5']

/** Runs Python in the folder of the second implementation. */
export function python(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-B', ...args], {
    cwd: FOLDER,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (stderr !== '') throw new Error(stderr)
  return status === 0 || status === 1 || status === 2 ? stdout : `exit ${status}`
}

/** What the second implementation says of each folder. */
export function saidInPython(folders: readonly string[], seen?: string): readonly Said[] {
  const answers = python(['verify.py', '--json', ...(seen === undefined ? [] : ['--seen', seen]), ...folders])
  return answers
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { levels: Said }).levels)
}

/** What the first says, in the same words. */
export async function said(files: Files): Promise<Said> {
  const { levels, origin } = await verifyExport(memoryFiles(files), NODE_PLATFORM)
  if (origin === undefined) return {}
  const both = levels.filter(({ level, verdict }) => BOTH.includes(level) && verdict !== 'not_asked')
  return Object.fromEntries(both.map(({ level, verdict }) => [level, verdict]))
}

export function writeFiles(files: Files, folder: string): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, bytes] of files) {
    const path = join(folder, ...name.split('/'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  return folder
}
