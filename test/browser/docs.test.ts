import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { PAGES } from '../../web/src/ui/pages.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const text = readFileSync(join(DOCS, 'how-to/dashboard.md'), 'utf8')

describe('the guide to the dashboard', () => {
  it('lists every page with its address and keys', () => {
    const rows = [...text.matchAll(/^\| (\w+) \| `(\S+)` \| `g` `(\w)` \|/gm)].map(([, name, path, key]) => ({
      path,
      name,
      key,
    }))

    assert.deepEqual(
      rows,
      PAGES.map(({ path, name, key }) => ({ path, name, key })),
    )
  })

  it('shows pictures that are there, in the light and in the dark', () => {
    const shown = [...text.matchAll(/\]\([^)]*\/(screenshots\/\w+)-(?:light|dark)\.png\)/g)].map(
      ([, path = '']) => path,
    )

    const pages = [...PAGES.map(({ name }) => `screenshots/${name.toLowerCase()}`), 'screenshots/handoff']
    assert.deepEqual(
      pages.filter((page) => !shown.includes(page)),
      [],
    )
    for (const path of shown)
      for (const look of ['light', 'dark']) assert.ok(existsSync(join(DOCS, `${path}-${look}.png`)), path)
  })
})
