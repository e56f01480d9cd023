import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { folders } from '../../test/support/documents/folders.ts'
import { webRemote } from './checkout.ts'

const FORMS: Readonly<Record<string, string | undefined>> = {
  'git@github.com:acme/shop.git': 'https://github.com/acme/shop',
  'https://github.com/acme/shop.git': 'https://github.com/acme/shop',
  'https://maria:secret@gitlab.example.com/acme/shop': 'https://gitlab.example.com/acme/shop',
  'ssh://git@git.example.com:2222/acme/team/shop.git/': 'https://git.example.com/acme/team/shop',
  '../elsewhere': undefined,
  '/srv/git/shop.git': undefined,
  'javascript://x/%0aalert(1)': undefined,
}

describe('the address of a repository on the web', () => {
  it('is made from its remote, without a name or a password', (t) => {
    const cwd = folders(t).repository('shop')
    assert.equal(webRemote(cwd), undefined)
    spawnSync('git', ['remote', 'add', 'other', 'https://example.com/other'], { cwd })
    spawnSync('git', ['remote', 'add', 'origin', 'x'], { cwd })
    for (const [remote, address] of Object.entries(FORMS)) {
      spawnSync('git', ['remote', 'set-url', 'origin', remote], { cwd })
      assert.equal(webRemote(cwd), address, remote)
    }
  })
})
