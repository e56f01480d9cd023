import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { BATON, cleanEnv } from '../support/program/command.ts'

const MOUNT = new URL('../support/store/fuse-mount.py', import.meta.url).pathname
/** Mounting is for root. An ordinary user is root in a namespace of its own. */
const ALONE = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])]

describe('a folder on a mounted FUSE file system', () => {
  it('is refused for a store, with the name of the file system', (t) => {
    const place = folders(t)
    const [cwd, mounted] = [place.folder('here'), place.folder('mounted')]
    const send = ['send', '--to', 'codex', '--title', 'Kept nowhere', '--store', `${mounted}/baton.db`]
    const command = ['python3', MOUNT, mounted, process.execPath, BATON, ...send]

    const { status, stderr } = spawnSync('unshare', [...ALONE, ...command], {
      cwd,
      env: cleanEnv({ cwd }),
      encoding: 'utf8',
      timeout: 60_000,
    })

    assert.equal(status, 17, stderr)
    assert.match(
      stderr,
      /is on a network file system \(FUSE\), where SQLite can lose data; use a local folder/,
    )
  })
})
