import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'

describe('a run of the tests', () => {
  it('fails for every test and suite that is skipped or still to be written, and names each', () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const run = spawnSync(process.execPath, ['scripts/test.mjs', 'test/fixtures/left-out.mjs'], {
      cwd: resolve(import.meta.dirname, '..'),
      env,
      encoding: 'utf8',
    })

    assert.equal(run.status, 1, run.stderr)
    assert.match(run.stdout, /^1 passed, 5 failed, 5 skipped$/m)
    const named = run.stdout.matchAll(/^✖ (.+) \(test\/fixtures\/left-out\.mjs:\d+\) was left out/gm)
    assert.deepEqual(
      [...named].map(([, name]) => name),
      [
        'has an option that skips it',
        'skips itself while it runs',
        'is still to be written',
        'is to be written, and fails',
        'a suite that is skipped',
      ],
    )
  })
})
