import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import {
  markdownDocument,
  packageDocument,
  queueDocument,
  summaryDocument,
} from '../support/documents/documents.ts'
import { folders } from '../support/documents/folders.ts'
import { baton, onTerminal } from '../support/program/command.ts'

const FILES = 10_000

describe('a folder of ten thousand documents', () => {
  it('is checked with progress on a terminal, and with the same answer through a pipe', async (t) => {
    const cwd = folders(t).folder('desk')
    const makers = [
      (n: number) => [`${n}.md`, markdownDocument({ task: `BPRD-2026-${String(n).padStart(4, '0')}` })],
      (n: number) => [`${n}.json`, queueDocument(`hoff-${n}`)],
      (n: number) => [`${n}-report.md`, summaryDocument({ from: `a${n}` })],
      (n: number) => [`${n}.yaml`, packageDocument(`HO-2026-${n}`, '2026-02-21T09:00:00Z')],
    ] as const
    mkdirSync(join(cwd, 'all'))
    for (let n = 0; n < FILES; n++) {
      const [name, text] = makers[n % makers.length]!(n)
      writeFileSync(join(cwd, 'all', name!), text!)
    }

    const shown = onTerminal({ cwd }, ['check', 'all'])
    const { stdout, stderr } = await baton({ cwd }, 'check', 'all', '--json')

    assert.match(shown.raw, /checked \d+ of 10000 files/)
    assert.match(shown.shown, /10000 files, 10000 documents, 0 errors/)
    assert.equal(stderr, '')
    const { documents } = JSON.parse(stdout) as { documents: { file: string; ok: boolean }[] }
    const names = documents.map(({ file }) => file)
    assert.equal(documents.length, FILES)
    assert.deepEqual(names, names.toSorted())
    assert.ok(documents.every(({ ok }) => ok))
  })
})
