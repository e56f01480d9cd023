import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick } from '../support/program/command.ts'

describe('baton doctor --bundle', () => {
  it('tells versions, numbers and findings, and nothing that was written here', async (t) => {
    const cwd = folders(t).repository('shop-canary')
    const title = 'Parser canary'
    await ask({ cwd }, 'send', '--as', 'codex-canary', '--to', 'gemini-canary', '--title', title)
    writeFileSync(
      join(cwd, 'baton.yaml'),
      'agents:\n  codex-canary: {}\n  gemini-canary: {}\nstore: postgres://canary:canary@db.canary.example/x\n',
    )
    const { stdout } = await quick({ cwd }, 'doctor', '--bundle')
    const report = JSON.parse(stdout)

    assert.doesNotMatch(stdout, /canary/i)
    assert.equal(report.node, process.version)
    assert.match(report.baton, /^\d+\.\d+\.\d+$/)
    assert.deepEqual(report.store, { engine: 'sqlite', schema: report.store.schema, read_only: false })
    assert.equal(report.counts.handoffs.offered, 1)
    assert.deepEqual(report.settings, ['agents', 'store'])
    const settings = report.checks.find(({ name }: { name: string }) => name === 'settings')
    assert.deepEqual(settings, { name: 'settings', ok: false })
  })

  it('tells no address of a store that does not answer', async (t) => {
    const cwd = folders(t).repository('away')
    const store = 'postgres://canary:canary@canary.invalid:5432/canary'
    const { stdout } = await quick({ cwd }, 'doctor', '--bundle', '--store', store)

    assert.doesNotMatch(stdout, /canary/)
    assert.match(stdout, /"code": "unavailable"/)
  })

  it('can be made where nothing works', async (t) => {
    const cwd = folders(t).repository('broken')
    writeFileSync(join(cwd, 'baton.yaml'), 'agents: 5\nnonsense: canary\n')
    const { code, stdout } = await quick({ cwd }, 'doctor', '--bundle')

    assert.notEqual(code, 0)
    assert.doesNotMatch(stdout, /canary/)
    assert.ok(JSON.parse(stdout).checks.some(({ ok }: { ok: boolean }) => !ok))
  })
})
