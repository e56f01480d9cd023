import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  markdownDocument,
  packageDocument,
  recordDocument,
  summaryDocument,
} from '../../../test/support/documents/documents.ts'
import { by } from '../../../test/support/program/workspace.ts'
import { loadOperation, type OperationName } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'

const planner = by('planner')

describe('document_check and document_convert', () => {
  const pure = async <T>(name: OperationName, input: object): Promise<T> =>
    (await invoke(await loadOperation(name), { deps: {} } as never, planner, input)) as T
  const NOT_FOUND = {
    id: null,
    from: null,
    to: null,
    status: null,
    state: null,
    task: null,
    title: null,
    createdAt: null,
  }

  it('say of every document in a text what it is, and what is wrong with it', async () => {
    const { documents } = await pure<{ documents: { ok: boolean; dialect: string; summary: object }[] }>(
      'document_check',
      { text: summaryDocument({}, { status: 'finished' }), path: 'report.md' },
    )

    assert.deepEqual(
      documents.map(({ dialect, ok }) => [dialect, ok]),
      [
        ['block', true],
        ['block', false],
      ],
    )
    assert.deepEqual(documents[0]?.summary, {
      ...NOT_FOUND,
      from: 'test-agent',
      to: 'docs-agent',
      status: 'complete',
      state: 'completed',
      createdAt: '2026-02-21T11:00:00Z',
    })
  })

  it('[S4-29] [S4-37] warn of a package that its receiver could not work with', async () => {
    const text = packageDocument('HO-2026-001', '2026-02-21T09:00:00Z')
      .replace(/summary: ".*"/, 'summary: "It\'s done"')
      .replace('Every story of the specification is covered', 'Write good code')

    const { documents } = await pure<{ documents: { ok: boolean; diagnostics: object[] }[] }>(
      'document_check',
      {
        text,
      },
    )

    const [{ ok, diagnostics } = { ok: false, diagnostics: [] }] = documents
    const lines = text.split('\n')
    const said = (diagnostics as { severity: string; line: number }[]).map(({ severity, line }) => [
      severity,
      lines[line - 1]?.trim(),
    ])
    assert.deepEqual(
      [ok, said],
      [
        true,
        [
          ['warning', 'summary: "It\'s done"'],
          ['warning', '- "Write good code"'],
        ],
      ],
    )
  })

  it('[S2-08] report a broken block where it is, and the others beside it', async () => {
    const broken = '\n```yaml\nhandoff:\n  phase: "Testing\n  from: [\n```\n'
    const text = `${summaryDocument({})}${broken}\n${summaryDocument({ from: 'b' })}`

    const { documents } = await pure<{
      documents: { ok: boolean; summary: { from: string }; diagnostics: { line: number }[] }[]
    }>('document_check', { text })

    assert.deepEqual(
      documents.map(({ ok, summary }) => [ok, summary.from]),
      [
        [true, 'test-agent'],
        [false, null],
        [true, 'b'],
      ],
    )
    const lines = text.split('\n')
    for (const { line } of documents[1]?.diagnostics ?? [])
      assert.ok(line >= lines.indexOf('  phase: "Testing') && line <= lines.indexOf('  from: [') + 1)
  })

  it('convert with what was supplied as text, numbers and dotted names', async () => {
    const { text } = await pure<{ text: string }>('document_convert', {
      text: markdownDocument(),
      to: 'writeback',
      supply: {
        'record.branch': 'main',
        'record.commit_sha': '1'.repeat(40),
        'record.tests_run': 'npm test',
      },
    })

    const { branch, commit_sha, tests_run } = JSON.parse(text)
    assert.deepEqual([branch, commit_sha, tests_run], ['main', '1'.repeat(40), ['npm test']])
  })

  it('[S2-83] [S2-41] convert to a handoff to nobody where null or None was supplied', async () => {
    for (const nobody of ['null', 'None', null]) {
      const { text } = await pure<{ text: string }>('document_convert', {
        text: recordDocument('P0.1.1'),
        to: 'block',
        supply: { from: 'a', phase: 'Testing', to: nobody },
      })

      assert.match(text, /^ {2}to: "None"$/m, String(nobody))
    }
  })

  it('take a state in the words that the list of what is missing names, and name them again', async () => {
    const supply = {
      task: 'BPRD-2026-0042',
      title: 'The search',
      'package.purpose': 'It is specified',
    }
    const convert = (more: object) =>
      pure<{ text: string }>('document_convert', {
        text: packageDocument('HO-001', '2026-02-21T11:00:00Z'),
        to: 'markdown',
        supply: { ...supply, ...more },
      })

    await assert.rejects(convert({}), {
      code: 'unmet',
      message: /state \(.*: Created, Active, Acknowledged, Complete, Expired, Rejected\)/,
    })
    for (const state of ['Active', 'offered', 'open'])
      assert.match((await convert({ state })).text, /^status: Active$/m, state)
    await assert.rejects(convert({ state: 'gone' }), {
      code: 'invalid_input',
      message: /^state does not take "gone"; write one of draft, offered, /,
    })
    const block = await pure<{ text: string }>('document_convert', {
      text: '{"task_id":"P0.1.1","summary":"Done.","branch":"main"}',
      to: 'block',
      supply: { from: 'a', to: 'b', phase: 'Testing', state: 'complete' },
    })
    assert.match(block.text, /^ {2}status: "complete"$/m)
  })

  it('refuse a supply for what is no field, and say so', async () => {
    const supply = { criteria: 'x' }

    await assert.rejects(pure('document_convert', { text: markdownDocument(), to: 'package', supply }), {
      code: 'invalid_input',
      message: /^criteria is not a known field; supply the fields that are listed as missing$/,
    })
  })

  it('refuse supplies that are no field, and texts in which it is not said which document is meant', async () => {
    const text = summaryDocument({}, { from: 'other-agent' })
    const to = 'package'

    await assert.rejects(pure('document_convert', { text, to }), {
      code: 'invalid_input',
      message: /2 documents/,
    })
    await assert.rejects(pure('document_convert', { text, to, document: 3 }), { code: 'not_found' })
    await assert.rejects(
      pure('document_convert', { text: markdownDocument(), to, supply: { '__proto__.polluted': 'yes' } }),
      { code: 'invalid_input' },
    )
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
})
