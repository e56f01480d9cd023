import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Present, present } from './present.ts'

interface Note {
  readonly id: string
  readonly text?: string
}

describe('present', () => {
  it('drops the fields that are undefined and keeps the order of the others', () => {
    const made = present({ last: 1, gone: undefined, first: 2 })

    assert.equal(JSON.stringify(made), '{"last":1,"first":2}')
    assert.equal(Object.hasOwn(made, 'gone'), false)
  })

  it('keeps null, false, zero and empty values', () => {
    const made = { nothing: null, no: false, zero: 0, text: '', list: [], fields: {} }

    assert.deepEqual(present(made), made)
  })

  it('keeps a field called __proto__ as a field, which gives the object no others', () => {
    const given = JSON.parse('{"__proto__":{"status":"passed"},"id":"a"}') as { status?: string }
    const made = present(given)

    assert.deepEqual([Object.keys(made), made.status], [['__proto__', 'id'], undefined])
  })

  it('leaves the given object as it was', () => {
    const given = { id: 'a', text: undefined }

    assert.deepEqual(present(given), { id: 'a' })
    assert.deepEqual(given, { id: 'a', text: undefined })
  })

  it('gives a type in which the field is optional and never undefined', () => {
    const text: string | undefined = ['said'][1]
    const note: Note = present({ id: 'a', text })
    const spread: Note = { id: 'a', ...present({ text }) }
    // @ts-expect-error the field may be undefined
    const plain: Note = { id: 'a', text }
    // @ts-expect-error a field that is not optional cannot be left out
    const required: { text: string } = present({ text })
    // @ts-expect-error a field that is never undefined stays required
    const absent: Present<{ id: string }> = {}
    const isNull: Present<{ at: string | null | undefined }> = { at: null }

    assert.deepEqual([note, spread, plain], [{ id: 'a' }, { id: 'a' }, { id: 'a', text: undefined }])
    assert.deepEqual([required, absent, isNull], [{}, {}, { at: null }])
  })
})
