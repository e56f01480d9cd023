import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { it } from 'node:test'

it('systemd-analyze finds nothing wrong with the unit', () => {
  const unit = resolve(import.meta.dirname, '../../docs/deploy/baton.service')
  const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })

  assert.deepEqual([error, status, stderr], [undefined, 0, ''], 'apt install systemd')
})
