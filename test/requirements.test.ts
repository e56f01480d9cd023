import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

/** How many requirements each document has. */
const COUNTS = { S0: 118, S1: 121, S2: 87, S3: 108, S4: 81 }
const MOST_IDS = 3

const ROOT = resolve(import.meta.dirname, '..')
const ROW = /^\| (?<id>S\d-\d+) \| .+ \| (?<covered>[^|]+) \|$/
const TITLE = /\b(?:it|test)\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/gs

const rows = readFileSync(join(ROOT, 'docs/reference/requirements.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const { id, covered } = ROW.exec(line)?.groups ?? {}
    return id && covered ? [{ id, tests: [...covered.matchAll(/`([^`]+)`/g)].map(([, file]) => file!) }] : []
  })
const titles = ['src', 'test', 'web/src'].flatMap(testsIn).flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(TITLE)].map(({ groups }) => {
    const title = groups?.title ?? ''
    return { file, title, ids: [...title.matchAll(/\[(S\d-\d+)\]/g)].map(([, id]) => id!) }
  }),
)

describe('docs/reference/requirements.md', () => {
  it('has a row for every requirement, each once and in order', () => {
    const all = Object.entries(COUNTS).flatMap(([document, count]) =>
      Array.from({ length: count }, (_, i) => `${document}-${String(i + 1).padStart(2, '0')}`),
    )

    assert.deepEqual(
      rows.map(({ id }) => id),
      all,
    )
  })

  it('names only tests that cite the requirement in a title', () => {
    const wrong = rows.flatMap(({ id, tests }) =>
      tests
        .filter((test) => !titles.some(({ file, ids }) => file === test && ids.includes(id)))
        .map((test) => `${test} does not cite ${id}`),
    )

    assert.deepEqual(wrong, [])
  })

  it('marks every requirement as covered that a test cites', () => {
    const covered = new Set(rows.filter(({ tests }) => tests.length > 0).map(({ id }) => id))
    const wrong = titles.flatMap(({ file, ids }) =>
      ids.filter((id) => !covered.has(id)).map((id) => `${file} cites ${id}`),
    )

    assert.deepEqual(wrong, [])
  })
})

describe('the titles of tests', () => {
  it('cite at most three requirements, so that a red test says which one is broken', () => {
    const wrong = titles
      .filter(({ ids }) => ids.length > MOST_IDS)
      .map(({ file, title }) => `${file}: ${title}`)

    assert.deepEqual(wrong, [])
  })
})

function testsIn(folder: string): string[] {
  try {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name).replaceAll('\\', '/'))
      .filter((file) => /\.(?:test|contract)\.tsx?$/.test(file))
  } catch (error) {
    // The dashboard is not there yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
