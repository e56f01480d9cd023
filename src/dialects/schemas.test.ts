import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { anyDraft } from '../../test/support/documents/drafts.ts'
import { complete, FULL } from '../../test/support/documents/full-draft.ts'
import { DIALECTS, type Draft, dialectOf, schemasOf } from './index.ts'

const validatorsOf = (id: (typeof DIALECTS)[number]) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  return Object.values(schemasOf(id)).map((schema) => ajv.compile(schema))
}

const filled = (draft: Draft): Draft => ({
  ...FULL,
  ...draft,
  package: { ...FULL.package, ...draft.package },
  record: { ...FULL.record, ...draft.record },
  acknowledgment: { handoff_id: 'HO-2026-001', from: 'claude', understood: 'yes', starting: true },
})

describe('the published JSON Schemas', () => {
  for (const id of DIALECTS) {
    it(`accept what ${id} prints of a draft that leaves nothing out`, () => {
      const validators = validatorsOf(id)
      fc.assert(
        fc.property(anyDraft, (draft) => {
          const native = dialectOf(id).toNative(complete(dialectOf(id), filled(draft)))
          assert.ok(native.ok)
          const accepted = validators.some((isValid) => isValid(JSON.parse(JSON.stringify(native.value))))
          assert.ok(accepted, JSON.stringify([native.value, validators.map(({ errors }) => errors)]))
        }),
        { numRuns: 50 },
      )
    })

    it(`of ${id} refuse an empty document or name what it must have`, () => {
      const strict = validatorsOf(id).filter((isValid) => !isValid({}))
      assert.ok(strict.length > 0)
    })
  }
})
