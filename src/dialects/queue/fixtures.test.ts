import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { byPlace, type PlacedProblem } from '../../domain/problem.ts'
import { Draft } from '../draft.ts'
import type { Source } from '../text/source.ts'
import { sourcesOf } from '../text/sources.ts'
import { queue } from './index.ts'

const FOLDER = join(import.meta.dirname, 'fixtures')
const EXPECTED = '.expected.json'

const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.includes('.json') && !name.endsWith(EXPECTED))
  .sort()

/** `x.json` and `x.json.processed` are both expected to be as `x.expected.json` says. */
const expectedFile = (name: string): string => join(FOLDER, name.replace(/\.json[^/]*$/, EXPECTED))

function answerTo(source: Source): unknown {
  const form = queue.formOf(source)
  const { draft, diagnostics, places } =
    form === undefined ? { diagnostics: [] } : queue.interpret(source, form)
  if (draft) assert.ok(Draft().safeParse(draft).success)
  const answer = {
    form,
    draft,
    diagnostics: [...source.diagnostics, ...diagnostics],
    places: Object.fromEntries(places ?? []),
  }
  return JSON.parse(JSON.stringify(answer))
}

/** In the order in which readers get the diagnostics. */
const inOrder = (answers: readonly unknown[]): unknown =>
  answers.map((each) => {
    const { diagnostics, ...answer } = each as { readonly diagnostics: PlacedProblem[] }
    return { ...answer, diagnostics: diagnostics.toSorted(byPlace) }
  })

describe('the fixtures of the queue dialect', () => {
  for (const name of names)
    it(`reads ${name} as ${name.replace(/\.json[^/]*$/, EXPECTED)} says`, () => {
      const text = readFileSync(join(FOLDER, name), 'utf8')
      const answers = sourcesOf(text, { path: name }).map(answerTo)

      assert.ok(existsSync(expectedFile(name)), `write ${expectedFile(name)}`)
      assert.deepEqual(inOrder(answers), inOrder(JSON.parse(readFileSync(expectedFile(name), 'utf8'))))
    })

  it('covers every form, and both good documents and bad ones', () => {
    const expected = names.flatMap((name) => JSON.parse(readFileSync(expectedFile(name), 'utf8')))
    const forms = new Set(expected.map(({ form }: { form: string }) => form))
    const severities = new Set(
      expected.map(({ diagnostics }: { diagnostics: { severity: string }[] }) =>
        diagnostics.some(({ severity }) => severity === 'error') ? 'bad' : 'good',
      ),
    )

    assert.deepEqual([...forms].sort(), ['artifact', 'board', 'context', 'failure', 'request', 'response'])
    assert.deepEqual([...severities].sort(), ['bad', 'good'])
  })
})
