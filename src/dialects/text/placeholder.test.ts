import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPlaceholder } from './placeholder.ts'

const FORMATS = ['field', 'markdown', 'package', 'block'] as const
const ALL = 'field markdown package block'

// biome-ignore format: read as a table
const CASES: readonly (readonly [text: string, formats: string])[] = [
  ['[agent]', ALL],
  ['{name} ', ALL],
  ['<who>', ALL],
  [' [agent]', 'markdown package block'],
  ['[2-3 sentences]', 'field markdown package'],
  ['[]', 'field markdown package'],
  ['[a [b]', 'field package'],
  ['{{name}', ALL],
  ['{{name}}', 'markdown package block'],
  ['{name}}', 'markdown block'],
  ['{{a{b}', 'field package'],
  ['<a<b>', 'field'],
  ['[[name]]', 'markdown'],
  ['...', 'markdown package block'],
  ['…', 'markdown package block'],
  ['TBD', 'markdown'],
  ['xxxx', 'markdown'],
  ['??', 'markdown'],
  ['____', 'markdown'],
  ['[X]%', 'block'],
  ['@{name}', 'block'],
  ['[X] ms', 'block'],
  ['String', 'block'],
  ['@agent-name | None', 'block'],
  [`[${'a'.repeat(41)}]`, 'field markdown package'],
  [`[agent]${' '.repeat(120)}`, 'field markdown package'],
  ['', ''],
  ['see [agent]', ''],
  ['[a] and [b]', ''],
]

describe('isPlaceholder', () => {
  for (const [text, formats] of CASES)
    it(`takes ${JSON.stringify(text.slice(0, 50))} for a blank in: ${formats || 'no format'}`, () => {
      assert.equal(FORMATS.filter((format) => isPlaceholder(text, format)).join(' '), formats)
    })
})
