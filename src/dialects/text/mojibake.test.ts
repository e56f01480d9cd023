import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { repairMojibake } from './mojibake.ts'

describe('text in the wrong code page', () => {
  // biome-ignore format: read as a table
  const cases: readonly (readonly [string, string, number])[] = [
    ['â€” it â€™s â€œxâ€\u009d', '— it ’s “x”', 4],
    ['âœ… done', '✅ done', 1],
    ['â\u009dŒ no, â\u008f³ wait', '❌ no, ⏳ wait', 2],
    ['âŒ no, â³ wait', '❌ no, ⏳ wait', 2],
    ['a â†’ b', 'a → b', 1],
    ['Ã©tÃ© dÃ©jÃ\u00a0', 'été déjà', 4],
    ['ðŸš€ and ğŸš€', '🚀 and 🚀', 2],
    ['3Â°C', '3°C', 1],
  ]
  for (const [garbled, text, count] of cases)
    it(`[A1-28] is put right: ${text}`, () => {
      assert.deepEqual(repairMojibake(garbled), { text, count })
    })

  it('stays as it is where nothing is wrong', () => {
    for (const text of ['', 'plain', 'été — “x” → ✅', 'Âme, Ãlvaro, âge, ğ', '日本語 👍'])
      assert.deepEqual(repairMojibake(text), { text, count: 0 })
  })

  it('is put right once and for all', () => {
    for (const [garbled] of cases) {
      const { text } = repairMojibake(garbled)
      assert.deepEqual(repairMojibake(text), { text, count: 0 })
    }
  })
})
