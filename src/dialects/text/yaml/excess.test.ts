import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { excessIn } from './excess.ts'

describe('excessIn', () => {
  // biome-ignore format: read as a table
  const cases: readonly (readonly [text: string, most: { depth: number; tokens?: number }, found: unknown])[] = [
    ['a: [[[x]]]\n', { depth: 3 }, undefined],
    ['a: b\nc: [[{d: [x]}]]\n', { depth: 3 }, { kind: 'depth', at: 14 }],
    ['a: b\nc:\n  - - - - x\n', { depth: 3 }, { kind: 'depth', at: 16 }],
    ['? ? ? ? x\n', { depth: 3 }, { kind: 'depth', at: 6 }],
    ['- - x\n- - y\n- - z\n', { depth: 3 }, undefined],
    ['[a]\n'.repeat(9), { depth: 3 }, undefined],
    ['a: 1\nb: 2\n', { depth: 3, tokens: 8 }, { kind: 'tokens', at: 5 }],
    ['a: 1\nb: 2\n', { depth: 3 }, undefined],
  ]
  for (const [text, most, found] of cases)
    it(`finds ${JSON.stringify(found) ?? 'nothing'} in ${JSON.stringify(text)} with ${JSON.stringify(most)}`, () => {
      assert.deepEqual(excessIn(text, most), found)
    })
})
