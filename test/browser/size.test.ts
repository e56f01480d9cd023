import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

const WEB = resolve(import.meta.dirname, '../../web/dist')
const KILOBYTE = 1_024
const MOST = 150 * KILOBYTE

describe('the dashboard as it is built', () => {
  it('loads less than 150 KB before its first page, and nothing of others', (t) => {
    const page = readFileSync(join(WEB, 'index.html'), 'utf8')
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
    const first = ['/index.html', ...named.filter((address) => address.startsWith('/assets/'))]

    const bytes = first.reduce((sum, name) => sum + gzipSync(readFileSync(join(WEB, name))).length, 0)

    t.diagnostic(`${Math.round(bytes / KILOBYTE)} KB gzip in ${first.length} files`)
    assert.ok(first.some((name) => name.endsWith('.js')) && first.some((name) => name.endsWith('.css')))
    assert.deepEqual(
      named.filter((address) => !address.startsWith('/')),
      [],
    )
    assert.ok(bytes < MOST, `${bytes} bytes`)
  })
})
