import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withContext } from './hint.ts'

const CODEX = { as: 'codex' }

// biome-ignore format: read as a table
const COMPLETED: readonly (readonly [shown: string, completed: string])[] = [
  ['see: baton inbox', 'see: baton inbox --as codex'],
  ['with: baton agent add NAME, or ask', 'with: baton agent add NAME --as codex, or ask'],
  ['look (baton list), then', 'look (baton list --as codex), then'],
  ['use: baton reject 1 --reason "a, b; c" or baton cancel 1?', 'use: baton reject 1 --reason "a, b; c" --as codex or baton cancel 1 --as codex?'],
  ['with: baton show v1.2, which', 'with: baton show v1.2 --as codex, which'],
  ['next: baton audit proof T1 --json   (for a verifier)', 'next: baton audit proof T1 --json --as codex   (for a verifier)'],
  ['it does with: baton submit 1 --as gemini', 'it does with: baton submit 1 --as gemini'],
  ['see: baton send --help', 'see: baton send --help'],
  ['run: baton init', 'run: baton init'],
  ['the log baton keeps: baton has no word', 'the log baton keeps: baton has no word'],
  ['a person gives it with: baton agent add codex --role pm', 'a person gives it with: baton agent add codex --role pm'],
  ['a person has to look; see: baton inbox', 'a person has to look; see: baton inbox --as codex'],
]

describe('withContext', () => {
  for (const [shown, completed] of COMPLETED)
    it(`repeats the caller's --as in: ${shown}`, () => assert.equal(withContext(shown, CODEX), completed))

  it('repeats a store as a shell takes it, without its password', () => {
    const told = (store: string) => withContext('see: baton inbox', { store })

    assert.equal(told('../a b.db'), "see: baton inbox --store '../a b.db'")
    assert.equal(
      told('postgres://me:se/cret@db:5432/b?x=1'),
      "see: baton inbox --store 'postgres://me@db:5432/b?x=1'",
    )
    assert.equal(
      withContext('see: baton inbox', { as: 'codex', store: 'a.db' }),
      'see: baton inbox --as codex --store a.db',
    )
  })

  it('completes a command once', () => {
    const once = withContext('see: baton inbox', CODEX)

    assert.equal(withContext(once, CODEX), once)
  })
})
