import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { describe, it } from 'node:test'

/** Who may import whom in the dashboard. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  app: ['pages', 'features', 'ui', 'api', 'style'],
  pages: ['features', 'ui', 'api', 'style'],
  features: ['ui', 'api', 'style'],
  ui: ['style'],
  api: [],
}
/** What runs in the browser is pure; the rest of the program is known there by its types only. */
const RUNS_IN_BROWSER = /^\.\.\/\.\.\/src\/(?:domain|pictures|audit)\//
const LINES = 400

const WEB = resolve(import.meta.dirname, '../web/src')
const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(?:tsx?|css)$/.test(file),
)
const textOf = (file: string): string => readFileSync(join(WEB, file), 'utf8')
const layerOf = (file: string): string => (file.includes('/') ? file.split('/')[0]! : 'app')
const imports = files
  .filter((file) => !file.endsWith('.css'))
  .flatMap((file) =>
    [
      ...textOf(file).matchAll(/(?:^import\s+(?<type>type\s)?[^'"]*|\bimport\(\s*)['"](?<to>\.[^'"]+)['"]/gm),
    ].map(({ groups }) => ({
      file,
      typeOnly: groups?.type !== undefined,
      to: posix.normalize(posix.join(posix.dirname(file), groups?.to ?? '')),
    })),
  )

describe('the layers of the dashboard', () => {
  it('let imports point inwards only', () => {
    const wrong = imports.filter(
      ({ file, to }) =>
        !to.startsWith('..') &&
        layerOf(to) !== layerOf(file) &&
        !MAY_IMPORT[layerOf(file)]?.includes(layerOf(to)),
    )

    assert.ok(imports.length > 50, 'the imports were found')
    assert.deepEqual(
      wrong.map(({ file, to }) => `${file} imports ${to}`),
      [],
    )
  })

  it('take into the browser what is pure, and of the rest only types', () => {
    const wrong = imports.filter(
      ({ to, typeOnly }) => to.startsWith('..') && !typeOnly && !RUNS_IN_BROWSER.test(to),
    )

    assert.deepEqual(
      wrong.map(({ file, to }) => `${file} imports ${to}`),
      [],
    )
  })

  it('ask the server in one place, and never put markup into the page', () => {
    const asking = files.filter(
      (file) => layerOf(file) !== 'api' && /\bfetch\(|new EventSource|XMLHttpRequest/.test(textOf(file)),
    )
    const markup = files.filter((file) =>
      /dangerouslySetInnerHTML|\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write/.test(textOf(file)),
    )

    assert.deepEqual([asking, markup], [[], []])
  })

  it('keep every file under its ceiling', () => {
    assert.deepEqual(
      files.filter((file) => textOf(file).split('\n').length > LINES + 1),
      [],
    )
  })
})
