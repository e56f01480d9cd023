import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { newDatabase } from '../store/store-places.ts'

/** Half of a log of so many entries goes into an archive. In a process of its own: the runner of tests follows each promise. */
export function describeArchive(engine: 'sqlite' | 'postgres', entries: number): void {
  describe(`a log of ${entries.toLocaleString('en')} entries on ${engine}`, () => {
    it('verifies, proves, redacts and restores as before when half of it is archived', async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'baton-archive-'))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      const places =
        engine === 'sqlite'
          ? [join(folder, 'log.db'), join(folder, 'restored.db')]
          : [await newDatabase(), await newDatabase()]
      const program = join(import.meta.dirname, 'archive-run.ts')
      const child = spawn(process.execPath, [program, folder, String(entries), ...places], {
        stdio: ['ignore', 'pipe', 'pipe'],
        signal: t.signal,
      })
      let wrong = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        wrong += text
      })
      createInterface({ input: child.stdout }).on('line', (line) => t.diagnostic(line))
      const [code] = await once(child, 'close')
      assert.deepEqual([code, wrong], [0, ''])
    })
  })
}
