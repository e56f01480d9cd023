import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fieldsOf } from '../fields.ts'
import { sourcesOf } from '../text/sources.ts'
import * as is from './codecs.ts'
import { fieldsThat, keyOfField, liveOf, reasonIn, schemaOf } from './derive.ts'
import { readRows } from './read.ts'
import { tableFor } from './row.ts'
import { askedIn, leftOver, writeRows } from './write.ts'

const { row, kept, bundle, table } = tableFor<'open' | 'closed'>()

/** The least that a table needs to be whole: reasons for every field that has no row. */
// biome-ignore format: read as a table
const LOST = {
  uid: '', type: '', state: '', from_role: '', to_role: '', to_reason: '', from_phase: '', to_phase: '', phase: '',
  from_step: '', to_step: '', project: '', in_reply_to: '', supersedes: '', created_at: '', updated_at: '',
  accepted_by: '', ack_notes: '', ack_deadline: '', target_completion: '', timeout_s: '', retry_count: '',
  retry: '', retry_available: '', review: '', not_before: '', on_failure: '', error: '', rejection: '', input_schema: '',
  output_schema: '', expected_output: '', result: '', verification: '', gate: '', acknowledgment: '', record: '',
  workflow: '', metrics: '', depends_on: '', next_steps: '', progress: '', body: '', package: 'there is one text',
} as const

const ROWS = [
  row('id', 'id', is.name, { need: ['open', 'closed'], asked: 'a name', also: ['ref'], live: 'fixed' }),
  row('priority', 'rank', is.shown({ enum: ['low'] }), {
    fits: (value) => value !== 'normal',
    asked: 'a rank',
  }),
  row('from', 'ends.from', is.name, { also: ['ends.sender', 'by'] }),
  row('to', 'ends.to', is.shown({})),
  row('ended_at', 'ended', is.time, {
    in: ['closed'],
    need: ['closed'],
    live: 'follows',
    lossy: 'only what is closed has an end',
  }),
  bundle(['started_at', 'accepted_at'], 'begun', {
    write: ({ started_at }) => started_at,
    read: ({ fields, names }) => {
      const since = fields.text(...names)
      return since === undefined ? undefined : { started_at: since, accepted_at: since }
    },
  }),
  row('title', 'about.title', is.text),
  row('package.summary', 'about.text', is.text, { live: 'amend' }),
  row('package.data', 'about.*', is.bag),
  kept('note', is.texts, { says: 'A word beside' }),
  row('task', 'task', is.text),
] as const

const TABLE = table({ rows: ROWS, lost: LOST, groups: { ends: { also: ['sides'], lone: 'from' } } })

// @ts-expect-error a field without a row and without a reason does not compile
table({ rows: [ROWS[0]], lost: LOST })
// @ts-expect-error nor does a codec of another type
row('title', 'title', is.flag)

function read(value: object, form = 'open') {
  const [source] = sourcesOf(JSON.stringify(value), { path: 'x.json' })
  const root = fieldsOf(source!)!
  return { draft: readRows(TABLE, root, form), root, value: source!.value }
}

describe('a table of fields', () => {
  it('is read by its rows, in the forms in which they stand', () => {
    const value = { id: 'a', ended: '2026-01-01T00:00:00Z', about: { title: 't', text: 's', more: 1 } }

    assert.deepEqual(read(value).draft, { id: 'a', title: 't', package: { summary: 's', data: { more: 1 } } })
    assert.equal(read(value, 'closed').draft.ended_at, '2026-01-01T00:00:00Z')
  })

  it('notes where a value stands that the format has elsewhere', () => {
    const places = (value: object) => Object.fromEntries(read(value).root.places)

    assert.deepEqual(places({ ref: 'a', by: 'b' }), { id: ['ref'], 'ends.from': ['by'] })
    assert.deepEqual(places({ sides: { from: 'b' } }), { ends: ['sides'] })
    assert.deepEqual(places({ sides: { sender: 'b' } }), {
      ends: ['sides'],
      'ends.from': ['sides', 'sender'],
    })
    assert.deepEqual(places({ sides: 'b' }), { 'ends.from': ['sides'] })
    assert.equal(read({ sides: 'b' }).draft.from, 'b')
  })

  it('takes what stands elsewhere only where nothing better is said', () => {
    const { draft, root } = read({ ends: { from: 'a' }, by: 'b' })

    assert.equal(draft.from, 'a')
    assert.equal(root.places.size, 0)
  })

  it('reports on keys that are only kept, and leaves them in extra', () => {
    const { draft, root, value } = read({ id: 'a', note: 'one', other: { deep: 1 } })

    assert.deepEqual(
      root.diagnostics.map(({ code }) => code),
      ['not_a_list'],
    )
    const extra = leftOver(value, writeRows(TABLE, draft, 'open'), root.places)
    assert.deepEqual(extra, { note: 'one', other: { deep: 1 } })
    assert.deepEqual(leftOver({ by: 'b' }, {}, new Map([['ends.from', ['by']]])), undefined)
  })

  it('is written in the order of its rows, with kept keys where there is room', () => {
    const draft = {
      task: 't',
      package: { data: { text: 'not the summary', more: 1 }, summary: 's' },
      id: 'a',
      started_at: '2026',
      extra: { other: 1, note: ['n'], about: { title: 'kept', z: 1 }, id: 'no' },
    }

    assert.equal(
      JSON.stringify(writeRows(TABLE, draft, 'open')),
      '{"id":"a","begun":"2026","about":{"title":"kept","text":"s","more":1,"z":1},"note":["n"],"task":"t","other":1}',
    )
  })

  it('asks for what a form needs, and for values that do not do', () => {
    const fields = (native: Record<string, unknown>, form: string) =>
      askedIn(TABLE, native, form).map(({ field }) => field)

    assert.deepEqual(fields({ rank: 'normal' }, 'open'), ['id', 'priority'])
    assert.deepEqual(fields({ id: 'a' }, 'closed'), [])
  })

  it('gives the reasons for losses, of a row before those of the list', () => {
    assert.equal(reasonIn(TABLE, 'ended_at', {}), 'only what is closed has an end')
    assert.equal(reasonIn(TABLE, 'package', {}), 'there is one text')
    assert.equal(reasonIn(TABLE, 'package.links', { package: { links: {} } }), 'it is empty')
    assert.equal(reasonIn(TABLE, 'constructor', {}), undefined)
  })

  it('gives a JSON Schema with what a form needs', () => {
    const { properties, required } = schemaOf(TABLE, 'closed') as {
      properties: Record<string, Record<string, unknown>>
      required: string[]
    }
    assert.deepEqual(required, ['id', 'ended'])
    assert.deepEqual(Object.keys(properties), ['id', 'rank', 'ends', 'ended', 'about', 'note', 'task'])
    assert.equal(properties.note?.description, 'A word beside')
    assert.deepEqual(schemaOf(TABLE, 'open').required, ['id'])
  })

  it('says what an edit in a live folder means', () => {
    assert.equal(liveOf(TABLE, 'package.summary'), 'amend')
    assert.equal(liveOf(TABLE, 'title'), 'author')
    assert.deepEqual(fieldsThat(TABLE, 'fixed', 'follows'), ['id', 'ended_at'])
    assert.equal(keyOfField(TABLE, 'from'), 'ends.from')
  })
})
