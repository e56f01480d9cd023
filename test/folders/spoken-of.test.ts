import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { ask } from '../support/program/command.ts'
import { active, aHandoffFolder } from './handoffs.ts'
import { aPackageFolder, archived } from './package.ts'
import { aQueueFolder } from './queue.ts'

interface Marked {
  readonly x_baton: { readonly thread?: readonly { kind: string; by: string; at: string; text: string }[] }
}

const said = ({ x_baton }: Marked) => x_baton.thread?.map(({ kind, by, text }) => [kind, by, text])

describe('what was said about the work, and the document has no key for', () => {
  it("[S0-69] a markdown file says the verifier's reason, questions and answers, and keeps its own keys", async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.send('BPRD-2026-0042')
    const evidence = ['--evidence', 'Middleware=PR 1', '--evidence', 'Documentation=docs/x.md']
    await ask(folder.where, 'accept', id, '--as', 'claude')
    await ask(folder.where, 'submit', id, '--as', 'claude', ...evidence)
    await ask(folder.where, 'verify', id, '--as', 'perplexity', '--fail', 'The middleware lacks tests')
    await ask(folder.where, 'ask', id, 'Which runner?', '--as', 'claude')
    await ask(folder.where, 'answer', id, 'The one of node', '--as', 'grok')
    const fields = parse(folder.read(active(id)).split(/^---$/m)[1]!) as Marked
    folder.edit(id, ['from_agent: grok', 'ticket: JIRA-7\nfrom_agent: grok'])

    assert.deepEqual(await folder.sync(), [])
    assert.deepEqual(said(fields), [
      ['refused', 'perplexity', 'The middleware lacks tests'],
      ['question', 'claude', 'Which runner?'],
      ['answer', 'grok', 'The one of node'],
    ])
    const checked = await ask<{ documents: { diagnostics: unknown[] }[] }>(folder.where, 'check', active(id))
    assert.doesNotMatch(JSON.stringify(checked), /slot_ignored/)
    assert.deepEqual((await ask<{ findings: unknown[] }>(folder.where, 'folders', 'doctor')).findings, [])
  })

  it('[S4-52] [S4-80] a package keeps what was asked before it was understood, with the answer', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()
    await ask(folder.where, 'accept', id, '--as', 'security-check', '--blocker', 'Where is the module?')
    await ask(folder.where, 'answer', id, 'In src/login', '--as', 'architect')
    await ask(folder.where, 'accept', id, '--as', 'security-check', '--understood', 'Review src/login')

    assert.deepEqual(said(folder.yaml(archived(id)).handoff as unknown as Marked), [
      ['question', 'security-check', 'Where is the module?'],
      ['answer', 'architect', 'In src/login'],
    ])
  })

  it('a file of document 001 says a question, and the newest of many', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', 'hoff-1', folder.request('hoff-1'))
    await folder.sync()
    await ask(folder.where, 'accept', 'hoff-1', '--as', 'react-specialist')
    for (let i = 1; i <= 12; i++) {
      await ask(folder.where, 'ask', 'hoff-1', `Question ${i}`, '--as', 'react-specialist')
      await ask(
        folder.where,
        'answer',
        'hoff-1',
        `Answer ${i} ${'x'.repeat(1_500)}`,
        '--as',
        'frontend-specialist',
      )
    }

    const thread = said(folder.file('in-progress', 'hoff-1') as unknown as Marked) ?? []
    assert.deepEqual([thread.length, thread[0]?.[2]], [20, 'Question 3'])
    assert.match(thread.at(-1)?.[2] ?? '', /^Answer 12 x+… \(baton show hoff-1\)$/)
  })
})
