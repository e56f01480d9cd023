import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readDocuments } from './read.ts'
import { type Format, toBaseText, toOwnText } from './relative.ts'
import { rewrite } from './rewrite.ts'

const MASTERS: Format = {
  name: 'masters',
  base: 'queue',
  keys: {
    from_master: 'source.agent_id',
    to_master: 'target.agent_id',
    created_at: 'timestamp',
    task_data: 'input.data',
  },
  states: { pending_pickup: 'pending', picked_up: 'in_progress', done: 'completed' },
  folders: { inbox: 'handoffs/pending', desk: 'handoffs/in-progress', out: 'handoffs/completed' },
}

const TEXT = `{
  "handoff_id": "coord-to-dev-1",
  "from_master": "coordinator",   
  "to_master": "development",
  "status": "pending_pickup",
  "priority": "high",
  "created_at": "2025-12-26T15:07:05Z",
  "task_data": { "title": "Create dashboards" },
  "their_own": [1, 2.50]
}
`
const read = (text: string, path = 'coordination/inbox/coord-to-dev-1.json') =>
  readDocuments(text, { path, formats: [MASTERS] })[0]

describe("a team's own format", () => {
  it('is read like its base, without a word about its keys', () => {
    const { dialect, form, format, draft, diagnostics } = read(TEXT)!

    assert.deepEqual([dialect, form, format?.name], ['queue', 'request', 'masters'])
    const { id, from, to, state, priority, created_at, package: pack, extra } = draft!
    assert.deepEqual(
      { id, from, to, state, priority, created_at, input: pack?.input, extra },
      {
        id: 'coord-to-dev-1',
        from: 'coordinator',
        to: 'development',
        state: 'offered',
        priority: 'high',
        created_at: '2025-12-26T15:07:05Z',
        input: { title: 'Create dashboards' },
        extra: { their_own: [1, 2.5] },
      },
    )
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity !== 'info'),
      [],
    )
  })

  it('is not known without its mapping, and a mapping is proposed that makes it known', () => {
    const text = '{"from_master": "a", "to_master": "b", "status": "pending_pickup", "task_data": {"x": 1}}'
    const [unknown] = readDocuments(text, { path: 'x.json' })

    assert.equal(unknown?.dialect, undefined)
    assert.match(
      unknown?.diagnostics[0]?.message ?? '',
      /write into baton\.yaml: formats: \{ours: \{base: queue, keys: \{from_master: source\.agent_id, to_master: target\.agent_id, task_data: input\.data\}, states: \{pending_pickup: pending\}\}\}$/,
    )
    const format: Format = {
      name: 'ours',
      base: 'queue',
      keys: { from_master: 'source.agent_id', to_master: 'target.agent_id', task_data: 'input.data' },
      states: { pending_pickup: 'pending' },
    }
    assert.equal(readDocuments(text, { path: 'x.json', formats: [format] })[0]?.draft?.state, 'offered')
  })

  it('says the line and the place of a problem in its own text', () => {
    const document = read(TEXT.replace('2025-12-26', '2025-13-26'))

    assert.deepEqual(
      document?.diagnostics.map(({ code, line }) => [code, line]),
      [['bad_time', 7]],
    )
  })

  it('is changed in its own keys and words, and keeps every other byte', () => {
    const document = read(TEXT)!
    const after = { ...document.draft, state: 'in_progress' as const, priority: 'low' as const }

    const text = rewrite(document, after)

    assert.equal(text, TEXT.replace('pending_pickup', 'picked_up').replace('"high"', '"low"'))
  })

  it('goes to its base and back without a change of a byte', () => {
    const base = toBaseText(TEXT, 'inbox/x.json', MASTERS)

    assert.equal(readDocuments(base, { path: 'x.json' })[0]?.draft?.from, 'coordinator')
    assert.equal(toOwnText(base, MASTERS, TEXT), TEXT)
  })

  it('is printed anew in its own keys, in the order of the base', () => {
    const base = toBaseText(TEXT, 'inbox/x.json', MASTERS)

    const value = JSON.parse(toOwnText(base, MASTERS))
    assert.equal(value.from_master, 'coordinator')
    assert.equal(value.status, 'pending_pickup')
    assert.deepEqual(value.task_data, { title: 'Create dashboards' })
    assert.equal('source' in value, false)
  })

  it('comes back from its base for any values', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/)
    fc.assert(
      fc.property(word, word, fc.jsonValue(), fc.dictionary(word, fc.jsonValue()), (from, to, data, more) => {
        const own = { ...more, handoff_id: 'x-1', from_master: from, to_master: to, task_data: { data } }
        const text = JSON.stringify(own, undefined, 1)
        const base = toBaseText(text, 'x.json', MASTERS)
        assert.equal(toOwnText(base, MASTERS, text), text)
        assert.deepEqual(readDocuments(text, { path: 'x.json', formats: [MASTERS] })[0]?.draft?.from, from)
      }),
      { numRuns: 300 },
    )
  })

  it('leaves a file of the base itself alone', () => {
    const text =
      '{"handoff_id": "hoff-1", "status": "pending", "source": {"agent_id": "@a"}, "target": {"agent_id": "@b"}}'

    const [document] = readDocuments(text, { path: 'handoffs/pending/hoff-1.json', formats: [MASTERS] })
    assert.equal(document?.format, undefined)
    assert.equal(document?.dialect, 'queue')
  })

  it('may be YAML with keys at other levels, and keeps its comments', () => {
    const format: Format = {
      name: 'tickets',
      base: 'package',
      keys: { sender: 'handoff.from.agent', 'goes.to': 'handoff.to.agent', said: 'handoff.context.summary' },
    }
    const text =
      '# ours\nsender: spec # who\ngoes: { to: arch, by: mail }\nsaid: The API needs limits before launch\n'
    const [document] = readDocuments(text, { path: 'x.yaml', formats: [format] })

    const { from, to, package: pack } = document!.draft!
    assert.deepEqual([from, to, pack?.summary], ['spec', 'arch', 'The API needs limits before launch'])
    assert.equal(
      rewrite(document!, { ...document!.draft, to: 'builder', package: { ...pack, summary: 'Changed' } }),
      text.replace('arch', 'builder').replace('The API needs limits before launch', 'Changed'),
    )
  })
})
