import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyDraft } from '../../../test/support/documents/drafts.ts'
import { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { queue } from './index.ts'

const REQUEST = {
  handoff_id: 'hoff-7-1767225600000',
  timestamp: '2026-01-01T00:00:00Z',
  status: 'pending',
  source: { agent_id: '@lead', phase: 11, agent_type: 'orchestrator' },
  target: { agent_id: '@builder', phase: 13, agent_type: 'specialist' },
  input: { schema: 'builder.input.schema.json', data: {} },
}
const RESPONSE = {
  handoff_id: REQUEST.handoff_id,
  timestamp_completed: '2026-01-01T00:01:00Z',
  status: 'completed',
  source: { agent_id: '@lead', phase: 11 },
  target: { agent_id: '@builder', phase: 13 },
  output: { artifact_id: 'artifact-a-1', artifact_path: 'artifacts/phase-13-a/artifact-a-1.json' },
}
const FAILURE = {
  handoff_id: REQUEST.handoff_id,
  timestamp_failed: '2026-01-01T00:01:00Z',
  status: 'failed',
  source: { agent_id: '@lead', phase: 11 },
  target: { agent_id: '@builder', phase: 13 },
  error: { code: 'TIMEOUT', message: 'took too long' },
}
const FILE = 'hoff-7-1767225600000.json'

function readText(text: string, path?: string) {
  const [source] = sourcesOf(text, path === undefined ? {} : { path })
  const form = queue.formOf(source!)
  assert.ok(form !== undefined, 'no form')
  const answer = queue.interpret(source!, form)
  return { form, ...answer, codes: answer.diagnostics.map(({ code }) => code) }
}
const read = (value: object, path?: string) => readText(JSON.stringify(value, undefined, 2), path)

describe('which form a file has', () => {
  const formOf = (value: unknown, path?: string) =>
    queue.formOf(sourcesOf(JSON.stringify(value), path === undefined ? {} : { path })[0]!)

  it('[S1-09] [S1-36] [S1-50] is said by its folder', () => {
    assert.equal(formOf(REQUEST, `handoffs/pending/${FILE}`), 'request')
    assert.equal(formOf(REQUEST, `work/handoffs/in-progress/${FILE}`), 'request')
    assert.equal(formOf(REQUEST, `handoffs/completed/${FILE}`), 'response')
    assert.equal(formOf(REQUEST, `handoffs/failed/${FILE}`), 'failure')
    assert.equal(formOf(RESPONSE, `handoffs/pending/${FILE}.processed`), 'request')
  })

  it('is said by its status where there is no folder', () => {
    assert.deepEqual(
      [REQUEST, RESPONSE, FAILURE].map((value) => formOf(value)),
      ['request', 'response', 'failure'],
    )
    assert.equal(formOf({ ...REQUEST, status: 'Done' }), 'response')
    assert.equal(formOf({ from: 'a', to: 'b', status: 'cancelled' }), 'failure')
    assert.equal(formOf({ from_agent: 'a', to_agent: 'b', task_id: 'P0.1.1' }), 'request')
    assert.equal(formOf({ handoff_id: 'hoff-1', status: 'completed' }), 'response')
  })

  it('is none of ours where other keys say so', () => {
    for (const value of [
      {},
      [],
      7,
      'text',
      { from: 'a' },
      { from: 'a', to: 'b', commit_sha: 'f00' },
      { handoff: { from: '@a', to: '@b' } },
      { retry_policy: { max_retries: 3 } },
      { agents: { a: 1 } },
      { agents: { a: { status: 'idle' } }, handoffs: [] },
      { from: 'a', to: 'b', task_id: 'P0.1.1', status: 'done' },
      { handoff_id: 'handoff-a-b-1' },
    ])
      assert.equal(formOf(value), undefined, JSON.stringify(value))
  })

  it('is that of a handoff wherever its folder says so, even for a file that says nothing', () => {
    for (const text of ['', '\n', '[]', '"text"', '{', 'null']) {
      const answer = readText(text, `handoffs/pending/${FILE}`)
      assert.equal(answer.form, 'request')
      assert.ok(answer.diagnostics.length > 0, text)
    }
  })
})

describe('the state of a handoff', () => {
  it('[S1-15] [S1-38] [S1-52] is what the folder says, and a status that differs is reported', () => {
    const { draft, diagnostics } = read(REQUEST, `handoffs/in-progress/${FILE}`)

    assert.equal(draft?.state, 'in_progress')
    assert.deepEqual(
      diagnostics.map(({ severity, code, line }) => ({ severity, code, line })),
      [{ severity: 'warning', code: 'status_folder_mismatch', line: 4 }],
    )
    assert.match(diagnostics[0]!.message, /"pending".*in-progress\/.*write "status": "in_progress"/)
    assert.equal(read({ ...REQUEST, status: undefined }, `handoffs/pending/${FILE}`).draft?.state, 'offered')
  })

  it('is what the status says where there is no folder', () => {
    const states = ['pending', 'in_progress', 'completed', 'failed', 'Done', 'in-progress', 'cancelled'].map(
      (status) => read({ ...REQUEST, status }).draft?.state,
    )

    assert.deepEqual(states, [
      'offered',
      'in_progress',
      'completed',
      'failed',
      'completed',
      'in_progress',
      'cancelled',
    ])
    const { draft, codes } = read({ ...REQUEST, status: undefined })
    assert.deepEqual([draft?.state, codes], [undefined, ['missing_field']])
  })

  it('is what the suffix says for a file that was renamed instead of moved', () => {
    const { form, draft, codes } = read(REQUEST, `handoffs/pending/${FILE}.processed`)

    assert.deepEqual([form, draft?.state, codes], ['request', 'completed', ['status_folder_mismatch']])
  })
})

describe('the fields of a handoff', () => {
  it('[S1-10] [S1-11] [S1-12] takes ids in both forms, and reports others', () => {
    const codes = (id: string) => read({ ...REQUEST, handoff_id: id }).codes

    assert.deepEqual(codes('hoff-001-1705147200000'), [])
    assert.deepEqual(codes('hoff-20260113100000'), [])
    assert.deepEqual(codes('job-7'), ['id_form'])
    assert.deepEqual(codes('../../x'), ['unsafe_name'])
  })

  it('takes the id inside the file where the name of the file differs, and says so', () => {
    const { draft, codes } = read(REQUEST, 'handoffs/pending/hoff-hoff-7.json')

    assert.deepEqual([draft?.id, codes], [REQUEST.handoff_id, ['id_file_mismatch']])
  })

  it('[S1-13] [S1-14] reads times in UTC, with six fractional digits, with none and with an offset', () => {
    const at = (timestamp: string) => read({ ...REQUEST, timestamp }).draft?.created_at

    assert.equal(at('2026-01-13T10:00:00Z'), '2026-01-13T10:00:00Z')
    assert.equal(at('2026-01-13T10:00:00.123456Z'), '2026-01-13T10:00:00.123Z')
    assert.equal(at('2026-01-13T11:00:00+01:00'), '2026-01-13T10:00:00Z')
  })

  it('[S1-18] takes an agent without @ and says how to write it', () => {
    const { draft, diagnostics } = read({ ...REQUEST, source: { ...REQUEST.source, agent_id: 'lead' } })

    assert.equal(draft?.from, 'lead')
    assert.deepEqual(
      diagnostics.map(({ code, message }) => [code, message]),
      [['agent_without_at', 'source.agent_id is "lead"; write "@lead"']],
    )
  })

  it('[S1-19] [S1-20] reports phases outside those of orchestrators and specialists', () => {
    const phase = (side: 'source' | 'target', value: number) =>
      read({ ...REQUEST, [side]: { ...REQUEST[side], phase: value } }).codes

    assert.deepEqual([phase('source', 6), phase('source', 12), phase('target', 16)], [[], [], []])
    for (const value of [5, 13, 11.5]) assert.deepEqual(phase('source', value), ['phase_range'])
    for (const value of [12, 17]) assert.deepEqual(phase('target', value), ['phase_range'])
  })

  it('[S1-37] [S1-51] takes either spelling of the end; where they differ the first wins', () => {
    const { timestamp_completed: at, ...rest } = RESPONSE
    const other = '2026-01-01T00:09:00Z'
    const differing = read({ ...RESPONSE, completed_at: other })

    assert.equal(read({ ...rest, completed_at: at }).draft?.ended_at, at)
    assert.deepEqual([differing.draft?.ended_at, differing.codes], [at, ['time_spellings_differ']])
    assert.deepEqual(read({ ...RESPONSE, completed_at: at }).codes, [])
    assert.equal(read({ ...FAILURE, timestamp_failed: undefined, failed_at: other }).draft?.ended_at, other)
  })

  it('[S1-40] does not miss the type of the agents in a response or a failure', () => {
    assert.deepEqual([read(RESPONSE).codes, read(FAILURE).codes], [[], []])
    const { agent_type: _type, ...source } = REQUEST.source
    assert.deepEqual(read({ ...REQUEST, source }).codes, ['missing_field'])
  })

  it('[S1-54] takes an error of code and message, and one that is only a text', () => {
    assert.deepEqual(read(FAILURE).draft?.error, FAILURE.error)
    const { draft, codes } = read({ ...FAILURE, error: 'out of memory' })
    assert.deepEqual(draft?.error, { code: 'PROCESSING_ERROR', message: 'out of memory' })
    assert.deepEqual(codes, ['error_without_code'])
  })

  it('keeps an error code that the document does not have', () => {
    const { draft, codes } = read({ ...FAILURE, error: { code: 'DISK_FULL', message: 'no space' } })

    assert.deepEqual([draft?.error?.code, codes], ['DISK_FULL', ['unknown_error_code']])
  })

  it('[S1-55] tells what was wrong with an input from the report on an output', () => {
    const errors = [{ field: 'routes[0]', error: 'must be object', schema_path: '$.routes[*]' }]
    const input = read({ ...FAILURE, validation: { status: 'failed', errors } })
    const output = read({ ...FAILURE, validation: { status: 'failed', typescript_errors: 2 } })

    assert.deepEqual([input.draft?.error?.details, input.draft?.result], [errors, undefined])
    assert.equal(output.draft?.error?.details, undefined)
    assert.deepEqual(output.draft?.result?.validation, { status: 'failed', typescript_errors: 2 })
  })

  it('[S1-32] [S1-56] reads the policy and the counters, and does not believe in a retry that is used up', () => {
    const { draft } = read({
      ...REQUEST,
      retry_policy: { max_retries: 2, retry_delay_seconds: 5, backoff_multiplier: 3 },
      retry_count: 1,
      not_before: '2026-01-01T00:00:05Z',
      retry_history: [{ code: 'TIMEOUT' }],
    })
    assert.deepEqual(draft?.retry, { max: 2, delay_s: 5, multiplier: 3 })
    assert.deepEqual([draft?.retry_count, draft?.not_before], [1, '2026-01-01T00:00:05Z'])
    assert.deepEqual(draft?.extra, { retry_history: [{ code: 'TIMEOUT' }] })

    const spent = read({ ...FAILURE, retry_available: true, retry_count: 3 })
    assert.deepEqual([spent.draft?.retry_available, spent.codes], [false, ['retry_exhausted']])
    assert.deepEqual(read({ ...FAILURE, retry_available: true, retry_count: 2 }).codes, [])
  })

  it('[S1-31] reads four priorities and other words for them, and keeps a word that nobody knows', () => {
    const priority = (word: string) => read({ ...REQUEST, priority: word })

    assert.deepEqual(
      ['low', 'normal', 'high', 'critical', 'urgent'].map((word) => priority(word).draft?.priority),
      ['low', 'normal', 'high', 'critical', 'critical'],
    )
    const { draft, diagnostics } = priority('whenever')
    assert.deepEqual([draft?.priority, draft?.extra], [undefined, { priority: 'whenever' }])
    assert.deepEqual(
      diagnostics.map(({ severity }) => severity),
      ['warning'],
    )
  })

  it('[S1-45] reports warnings and errors that are no lists of texts, and keeps them', () => {
    const { draft, codes } = read({
      ...RESPONSE,
      warnings: 'slow',
      errors: [{ at: [1] }],
      next_steps: ['rest'],
    })

    assert.deepEqual(draft?.extra, { warnings: 'slow', errors: [{ at: [1] }] })
    assert.deepEqual([draft?.next_steps, codes], [['rest'], ['not_a_list', 'not_text']])
  })

  it('keeps values that it cannot use, and keys that nobody knows, where they were', () => {
    const { draft } = read({
      ...REQUEST,
      source: { ...REQUEST.source, phase: 'eleven', team: { name: 'core' } },
      ticket: 7,
    })

    assert.deepEqual(draft?.extra, { source: { phase: 'eleven', team: { name: 'core' } }, ticket: 7 })
    assert.equal(draft?.from_phase, undefined)
  })

  it('finds agents, task, title and text in a flat file, and says where they stand', () => {
    const { draft, places } = readText(
      '{"id": "hoff-9", "created": "2026-01-01T00:00:00Z", "from": "@lead", "to": "@builder", "status": "open",' +
        ' "task": "T-1", "title": "Build it", "description": "All of it.", "context": "After the first part."}',
    )

    assert.deepEqual(draft, {
      id: 'hoff-9',
      created_at: '2026-01-01T00:00:00Z',
      from: 'lead',
      to: 'builder',
      state: 'offered',
      task: 'T-1',
      title: 'Build it',
      package: { summary: 'All of it.', context: 'After the first part.' },
    })
    assert.deepEqual(places?.get('source.agent_id'), ['from'])
    assert.deepEqual(places?.get('context.task_id'), ['task'])

    const mail = readText(
      '{"sender": "lead", "recipient": "builder", "subject": "Hi", "body": "Go.", "sent_at": "2026-01-01T00:00:00Z"}',
    )
    assert.deepEqual(mail.draft, {
      from: 'lead',
      to: 'builder',
      title: 'Hi',
      created_at: '2026-01-01T00:00:00Z',
      package: { context: 'Go.' },
    })
  })
})

describe('where a later change goes', () => {
  const placesOf = (change: object) => Object.fromEntries(read({ ...REQUEST, ...change }).places ?? [])

  it('is the key that holds the value, and nowhere else', () => {
    const carried = {
      schema: 'builder.input.schema.json',
      data: { package: { title: 'Build it', summary: 'All.' } },
    }

    assert.deepEqual(placesOf({}), {})
    assert.deepEqual(placesOf({ input: carried }), {})
    assert.deepEqual(placesOf({ input: carried, title: 'Other', summary: 'Other' }), {})
    assert.deepEqual(placesOf({ title: 'Build it' }), { 'input.data.package.title': ['title'] })
    assert.deepEqual(placesOf({ context: { task_id: 'T-1' }, task_id: 'T-2' }), {})
    assert.deepEqual(placesOf({ Task_ID: 'T-2' }), { task_id: ['Task_ID'], 'context.task_id': ['Task_ID'] })
  })

  it('is the input itself where people leave out its frame', () => {
    const { draft, places, codes } = read({ ...REQUEST, input: { routes: ['/a'] } })

    assert.deepEqual([draft?.package, draft?.extra], [{ input: { routes: ['/a'] } }, undefined])
    assert.deepEqual(places?.get('input.data'), ['input'])
    assert.deepEqual(codes, ['input_without_frame', 'missing_field'])
  })

  it('is below another name for an agent, whose other keys are kept', () => {
    const { source: _source, ...rest } = REQUEST
    const { draft, places } = read({
      ...rest,
      sender: { agent: '@lead', phase: 11, role: 'orchestrator', team: 'core' },
    })

    assert.deepEqual([draft?.from, draft?.from_phase, draft?.from_role], ['lead', 11, 'orchestrator'])
    assert.deepEqual(draft?.extra, { source: { team: 'core' } })
    assert.deepEqual(places?.get('source'), ['sender'])
    assert.deepEqual(places?.get('source.agent_id'), ['sender', 'agent'])
  })
})

describe('hostile files', () => {
  it('gives a draft that is one, whatever the values are', () => {
    const key = fc.constantFrom(
      ...['handoff_id', 'timestamp', 'status', 'source', 'target', 'context', 'input', 'expected_output'],
      ...[
        'timeout_seconds',
        'priority',
        'retry_policy',
        'output',
        'validation',
        'metadata',
        'error',
        'errors',
      ],
      ...[
        'retry_count',
        'max_retries',
        'retry_available',
        'recovery_actions',
        'next_steps',
        '__proto__',
        'x',
      ],
      ...[
        'agent_id',
        'phase',
        'data',
        'package',
        'schema',
        'artifact_path',
        'artifact_type',
        'code',
        'message',
      ],
    )
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.string({ minLength: 201, maxLength: 400 }),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 6 }),
      ),
    }))
    const file = fc.dictionary(key, any, { maxKeys: 12 })
    const folder = fc.constantFrom('pending', 'in-progress', 'completed', 'failed')

    fc.assert(
      fc.property(file, folder, (value, name) => {
        const { draft } = readText(JSON.stringify(value), `handoffs/${name}/x.json`)
        assert.ok(draft)
        assert.deepEqual(Draft().safeParse(draft).error?.issues ?? [], [])
        const native = queue.toNative(draft)
        assert.ok(!native.ok || queue.print(native).endsWith('}\n'))
      }),
      { numRuns: 200 },
    )
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false)
  })

  it('keeps a key called __proto__ as data', () => {
    const text = JSON.stringify(REQUEST).replace('{', '{"__proto__": {"status": "completed"},')
    const { draft } = readText(text)

    assert.equal(draft?.state, 'offered')
    assert.deepEqual(Object.keys(draft?.extra ?? {}), ['__proto__'])
  })

  it('reads any draft that it can write', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const native = queue.toNative({ ...draft, ...FULL })
        assert.ok(native.ok)
        assert.deepEqual(readText(queue.print(native)).draft?.id, FULL.id)
      }),
      { numRuns: 100 },
    )
  })
})

/** What every form demands. */
const FULL = {
  id: 'hoff-1',
  created_at: '2026-01-01T00:00:00Z',
  ended_at: '2026-01-01T00:00:00Z',
  from: 'lead',
  from_phase: 11,
  from_role: 'orchestrator',
  to: 'builder',
  to_phase: 13,
  to_role: 'specialist',
  input_schema: 'builder.input.schema.json',
  result: { artifacts: [{ path: 'artifacts/phase-13-a/artifact-a-1.json', role: 'output' }] },
  error: { code: 'TIMEOUT', message: 'took too long' },
} satisfies Draft
