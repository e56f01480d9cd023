import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { schemas } from './schema.ts'

const FOLDER = join(import.meta.dirname, 'fixtures/_handoffs')
const front = (file: string): Record<string, unknown> =>
  parse(readFileSync(join(FOLDER, file), 'utf8').split('---\n')[1]!)
const index = (): Record<string, unknown> => parse(readFileSync(join(FOLDER, '_index.yaml'), 'utf8'))

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })

describe('the JSON Schemas of the markdown dialect', () => {
  it('[S0-57] [S0-58] [S0-59] take the strict documents and refuse each missing key', () => {
    const isHandoff = ajv.compile(schemas.handoff)
    const value = front('active/handoff-grok-claude-BPRD-2026-0107-20260304.md')
    assert.ok(isHandoff(value), JSON.stringify(isHandoff.errors))
    assert.ok(isHandoff(front('archived/2026/03/handoff-claude-gemini-BPRD-2026-0099-20260301.md')))
    assert.ok(isHandoff(front('archived/2026/03/handoff-grok-gemini-BPRD-2026-0098-20260302.md')))
    for (const key of Object.keys(value).filter((each) => each !== 'budget_hours')) {
      const { [key]: _taken, ...rest } = value
      assert.ok(!isHandoff(rest), key)
    }
  })

  it('[S0-63] [S0-65] [S0-66] refuse times, lists and tasks in another form', () => {
    const isHandoff = ajv.compile(schemas.handoff)
    const value = front('active/handoff-grok-claude-BPRD-2026-0107-20260304.md')
    for (const change of [
      { created_at: '2026-03-04' },
      { deliverables: [] },
      { related_task: 'P0.1' },
      { status: 'open' },
    ])
      assert.ok(!isHandoff({ ...value, ...change }), JSON.stringify(change))
  })

  it('[S0-88] [S0-89] [S0-91] describe the index', () => {
    const isIndex = ajv.compile(schemas.index)
    assert.ok(isIndex(index()), JSON.stringify(isIndex.errors))
    assert.ok(!isIndex({ ...index(), counts_by_agent: { grok: { outgoing: 1 } } }))
    assert.ok(!isIndex({ ...index(), active_handoffs: [{ id: 'x' }] }))
  })
})
