import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { samplesOf } from '../../../../test/support/documents/samples.ts'
import { convert } from '../../convert.ts'
import type { Draft } from '../../draft.ts'
import { sourcesOf } from '../../text/sources.ts'
import { pack } from '../index.ts'
import { schemas } from '../schema.ts'
import { archivedAt, archivePath, isSafeName } from './session.ts'
import { readState, updateState } from './state-file.ts'

const sourceOf = (text: string) => sourcesOf(text, { path: 'state/current.json' })[0]!

function updated(text: string | undefined, ...handoffs: readonly Draft[]): string {
  const result = updateState(text === undefined ? undefined : sourceOf(text), handoffs)
  assert.ok(result.ok)
  return result.text
}

const SENT: Draft = {
  id: 'HO-002',
  created_at: '2026-03-02T10:00:00Z',
  from: 'payments',
  to: 'storefront',
  state: 'offered',
}

describe('state/current.json', () => {
  it('[S4-70] [S4-71] lists each handoff with its ends as plain names', () => {
    const text = updated(undefined, SENT)
    assert.deepEqual(JSON.parse(text), {
      handoffs: [
        {
          id: 'HO-002',
          timestamp: '2026-03-02T10:00:00Z',
          from: 'payments',
          to: 'storefront',
          status: 'pending',
        },
      ],
    })
    assert.deepEqual(readState(sourceOf(text)), { entries: [SENT], diagnostics: [] })
    assert.match(updated(text, { ...SENT, state: 'completed' }), /"status": "completed"/)
  })

  it('[S4-72] reads the sample of the document with its comment, and writes strict JSON', () => {
    const sample = /```json\n([\s\S]*?)```/.exec(samplesOf('package'))![1]!
    const { entries } = readState(sourceOf(sample))
    assert.deepEqual(entries, [
      { id: 'HO-001', from: 'specification', to: 'architecture', state: 'completed' },
    ])
    const written = JSON.parse(updated(sample, SENT))
    assert.deepEqual(
      written.handoffs.map(({ id }: { id: string }) => id),
      ['HO-001', 'HO-002'],
    )
    assert.equal(written.handoffs[0].timestamp, '...')
  })

  it('[S4-73] keeps earlier entries, other keys and the form of the file', () => {
    const text = `{
    "version": "1.0",
    "handoffs": [
        { "id": "HO-001", "from": "a", "to": "b", "status": "pending", "lane": 2 },
        { "id": "HO-002", "from": "payments", "to": "storefront", "status": "pending" }
    ],
    "context": {}
}
`
    const { created_at: _, ...change } = SENT
    assert.equal(updated(text, change), text)
    assert.equal(
      updated(text, { ...change, state: 'failed' }),
      text.replace('"storefront", "status": "pending"', '"storefront", "status": "failed"'),
    )
    const added = JSON.parse(updated(text, { ...SENT, id: 'HO-003' }))
    assert.deepEqual(
      added.handoffs.map(({ id, lane }: { id: string; lane?: number }) => [id, lane]),
      [
        ['HO-001', 2],
        ['HO-002', undefined],
        ['HO-003', undefined],
      ],
    )
    assert.deepEqual([added.version, added.context], ['1.0', {}])
  })

  it("[S4-72] [S4-73] keeps every digit of numbers that are others', with comments and without", () => {
    const build = '"build": 12345678901234567890, "price": 1.10'
    const entry = `{ "id": "HO-001", "from": "a", "to": "b", "status": "pending", ${build} }`
    const strict = `{${build}, "handoffs": [${entry}]}`
    const many = Array.from({ length: 30 }, (_, i) => ({ ...SENT, id: `HO-1${String(i).padStart(2, '0')}` }))

    for (const text of [`// state/current.json\n${strict}`, strict])
      for (const handoffs of [[SENT], many]) {
        const result = updateState(sourceOf(text), handoffs)
        assert.ok(result.ok)
        assert.equal(JSON.parse(result.text).handoffs.length, 1 + handoffs.length)
        assert.deepEqual(result.text.match(/12345678901234567890|1\.10\b/g)?.length, 4, result.text)
      }
  })

  it('[S4-74] reports a corrupt file and leaves it alone', () => {
    for (const text of ['{"handoffs": [', 'not JSON', '[]', '{"handoffs": "none"}']) {
      const result = updateState(sourceOf(text), [SENT])
      assert.equal(result.ok, false, text)
      assert.ok(!result.ok && result.diagnostics.length > 0, text)
    }
  })

  it('[S4-75] has a word for every state, and a person is waited for as such', () => {
    const status = (draft: Draft) => JSON.parse(updated(undefined, { ...SENT, ...draft })).handoffs[0].status
    assert.equal(status({ state: 'accepted' }), 'acknowledged')
    assert.equal(status({ state: 'needs_input' }), 'clarification_requested')
    assert.equal(status({ state: 'needs_input', to: 'human' }), 'awaiting_human')
    assert.equal(status({ state: 'cancelled' }), 'cancelled')
    const losses = (draft: Draft) => {
      const made = convert({ ...SENT, ...draft }, 'package')
      assert.ok(made.ok)
      return made.losses.map(({ field }) => field)
    }
    assert.deepEqual(losses({ state: 'needs_input' }), [])
    assert.deepEqual(losses({ state: 'expired' }), ['state'])
  })
})

describe('the archive of sessions', () => {
  it('[S4-76] keeps each handoff under its session and id', () => {
    const path = '.project/07-audit/sessions/2026-03-02-a/handoffs/HO-001.yaml'
    assert.equal(archivePath({ session: '2026-03-02-a', id: 'HO-001' }), path)
    assert.deepEqual(archivedAt(`/home/x/${path}`), { session: '2026-03-02-a', id: 'HO-001' })
    assert.equal(archivedAt('.project/07-audit/HO-001.yaml'), undefined)
  })

  it('[S4-77] archives a package that reads back the same', () => {
    const draft: Draft = {
      ...SENT,
      type: 'delegation',
      from_step: '2.10',
      package: {
        summary: 'Two lines:\n- and a list',
        deliverables: ['yes'],
        constraints: ['15.10', 'null', '@x'],
      },
    }
    const native = pack.toNative(draft)
    assert.ok(native.ok)
    const [source] = sourcesOf(pack.print(native), { path: archivePath({ session: 's', id: 'HO-002' })! })
    assert.deepEqual(pack.interpret(source!, pack.formOf(source!)!).draft, draft)
  })

  it('[S4-78] takes only names that are safe as a folder', () => {
    for (const name of ['2026-03-02-a', 'SESSION_1', 'a.b']) assert.equal(isSafeName(name), true, name)
    for (const name of [
      '',
      '../..',
      '../x',
      'a/b',
      'a\\b',
      '.git',
      'con',
      'NUL.txt',
      'a.',
      '\na',
      'x'.repeat(101),
    ])
      assert.equal(isSafeName(name), false, name)
    assert.equal(archivePath({ session: '../..', id: 'HO-001' }), undefined)
  })

  it('knows the page of a session', () => {
    const page =
      '# Session : s-1\n\n> **Date** : 2026-03-02\n> **Statut** : En cours\n\n**Agent** : `a`\n\n### 🔴 Gate : launch\n'
    const [source] = sourcesOf(page, { path: '.project/07-audit/sessions/s-1/session.md' })
    assert.equal(pack.formOf(source!), 'session')
  })
})

describe('the schemas of packages', () => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
  const valid = (name: keyof typeof schemas, value: unknown): boolean => ajv.compile(schemas[name])(value)

  it('accept what is written and refuse what is read only out of patience', () => {
    const native = pack.toNative({ ...SENT, package: { summary: 'The API accepts cards' }, from_step: null })
    assert.ok(native.ok)
    assert.equal(valid('package', native.value), true)
    assert.equal(valid('package', { handoff: { to: 'human', context: { summary: 'x' } } }), false)
    const answered = pack.toNative({
      acknowledgment: { understood: 'partial', blockers: ['x'], starting: false },
    })
    assert.ok(answered.ok)
    assert.equal(valid('acknowledgment', answered.value), true)
    assert.equal(valid('acknowledgment', { acknowledgment: { received: true } }), false)
    assert.equal(valid('gate_response', { gate_response: { decision: 'reject', by: 'mara' } }), true)
    assert.equal(valid('gate_response', { gate_response: { decision: 'ok' } }), false)
    assert.equal(valid('state', JSON.parse(updated(undefined, SENT))), true)
    assert.equal(valid('state', { handoffs: [{ id: 'HO-1' }] }), false)
  })
})
