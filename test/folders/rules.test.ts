import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, quick, refusal } from '../support/program/command.ts'
import { active, aHandoffFolder, aVerifyingFolder, type HandoffFolder } from './handoffs.ts'
import { aPackageFolder } from './package.ts'
import { aQueueFolder, failure, type QueueFolder } from './queue.ts'

const ID = 'hoff-20260113100000'
const CODES = ['TIMEOUT', 'PROCESSING_ERROR', 'OUT_OF_MEMORY']

/** Ids that document 000 prints, with what they say. */
const NAMED = [
  ['handoff-grok-claude-BPRD-2026-0042-20260221', 'grok', 'claude', 'BPRD-2026-0042'],
  ['handoff-grok-claude-BPRD-2026-0043-20260221', 'grok', 'claude', 'BPRD-2026-0043'],
  ['handoff-claude-abacus-BPRD-2026-0041-20260220', 'claude', 'abacus', 'BPRD-2026-0041'],
  ['handoff-grok-claude-BPRD-2026-0040-20260219', 'grok', 'claude', 'BPRD-2026-0040'],
  ['handoff-claude-abacus-BPRD-2026-0038-20260218', 'claude', 'abacus', 'BPRD-2026-0038'],
] as const

const nameless = (id: string): string =>
  `---\nhandoff_id: ${id}\nstatus: Active\ntitle: Add limits\n---\n\n# Handoff: Add limits\n`

interface Checked {
  readonly documents: readonly { readonly diagnostics: readonly { readonly message: string }[] }[]
}

describe('an id that its sender chose', () => {
  const send = ['send', '--as', 'grok', '--to', 'claude', '--title', 'Limits', '--alias']
  const refused = async (cwd: string, alias: string): Promise<string> => {
    const { code, stderr } = await quick({ cwd }, ...send, alias, '--json')
    assert.equal(code, 2, `${alias} is taken`)
    return JSON.parse(stderr).error.message
  }

  it('[S1-121] is refused where it means something else or leads elsewhere', async (t) => {
    const { repository } = folders(t)
    const cwd = repository('project')
    await ask({ cwd }, 'init')
    for (const alias of ['@', '@last', '../../../../evil', 'a/b', 'a\\b', '.hidden', '-rf'])
      assert.match(await refused(cwd, alias), /begins with a letter|needs a value/, alias)
  })

  it('[S0-08] [S1-121] is the name of its file, so one that cannot be is refused with the form that can', async (t) => {
    const markdown = await aHandoffFolder(t)
    const message = await refused(markdown.root, 'limits-1')
    assert.match(message, /limits-1 cannot be .* handoff-limits-1/)
    const queue = await aQueueFolder(t)
    assert.match(await refused(queue.root, 'a:b'), /letters, digits/)
    const packages = await aPackageFolder(t)
    assert.match(await refused(packages.root, 'nul.x'), /letters, digits/)

    const id = await markdown.send('BPRD-2026-0042', '--alias', 'handoff-limits-1')
    assert.ok(markdown.has(active(id)))
  })
})

describe('names in the folder of document 000', () => {
  it('[S0-06] [S0-07] say who hands what to whom, though a task has hyphens too', async (t) => {
    const folder = await aHandoffFolder(t)
    for (const [id] of NAMED) folder.write(active(id), nameless(id))

    for (const [id, from, to, task] of NAMED) {
      const { stdout } = await quick(folder.where, 'document', 'check', active(id), '--json')
      const [{ summary }] = JSON.parse(stdout).documents
      assert.deepEqual([summary.id, summary.from, summary.to, summary.task], [id, from, to, task])
    }
  })
})

describe('a verification record in the folder of document 000', () => {
  const SAMPLE = ['Implemented rate limiting middleware', 'Test coverage >90%', 'Documentation updated']
  const verified = (deliverables: readonly string[]): string =>
    deliverables
      .map((each) => `  - deliverable: "${each}"\n    status: verified\n    evidence: seen`)
      .join('\n')

  async function completed(folder: HandoffFolder, deliverables: readonly string[]): Promise<string> {
    const id = await folder.send('BPRD-2026-0042', ...SAMPLE.flatMap((each) => ['--deliverable', each]))
    await ask(folder.where, 'accept', id, '--as', 'claude')
    folder.edit(
      id,
      ['status: Acknowledged', 'status: Complete'],
      ['completion_verified_by: null', 'completion_verified_by: perplexity'],
      [
        '\n---\n\n',
        `\nverification_record:\n  verified_by: perplexity\n  verified_at: 2026-02-21T16:00:00Z\n  deliverable_checks:\n${verified(deliverables).replace(/^/gm, '  ')}\n---\n\n`,
      ],
    )
    return id
  }

  it('[S0-82] is read, and refused where it leaves one deliverable out as the sample does', async (t) => {
    const folder = await aVerifyingFolder(t)
    const id = await completed(folder, [...SAMPLE.slice(0, 2), 'Middleware', 'Documentation'])

    const happened = await folder.sync()

    const { reason = '' } = happened.find(({ what }) => what === 'refused') ?? {}
    assert.match(reason, /Documentation updated/)
    for (const covered of SAMPLE.slice(0, 2)) assert.ok(!reason.includes(covered), reason)
    assert.equal(await folder.state(id), 'accepted')
  })

  it('[S0-84] is refused where it checks what is no deliverable', async (t) => {
    const folder = await aVerifyingFolder(t)
    const id = await completed(folder, [...SAMPLE, 'Middleware', 'Documentation', 'A cake'])

    const happened = await folder.sync()

    const { reason = '' } = happened.find(({ what }) => what === 'refused') ?? {}
    assert.match(reason, /"A cake" is not one of the deliverables/)
    assert.match(folder.read(`${active(id)}.problem`), /A cake/)
  })
})

describe('a failure in the folders of document 001', () => {
  const fail = async (folder: QueueFolder, id: string, code?: string): Promise<void> => {
    folder.put('pending', id, failure(folder.file('pending', id), 'no luck', code))
    folder.move(id, 'pending', 'failed')
    await folder.sync()
  }

  it('[S1-97] [S1-102] that a worker reports carries the advice of the document, or its own', async (t) => {
    const folder = await aQueueFolder(t)
    const failed = async (id: string, ...more: readonly string[]) => {
      folder.put('pending', id, folder.request(id))
      await folder.sync()
      await ask(folder.where, 'accept', id, '--as', 'react-specialist')
      const args = ['--code', 'PROCESSING_ERROR', '--message', 'no compiler', ...more]
      await ask(folder.where, 'handoff', 'fail', id, '--as', 'react-specialist', ...args)
      return folder.file('failed', id).recovery_actions
    }

    assert.deepEqual(await failed(ID), ['Check logs, retry'])
    assert.deepEqual(await failed('hoff-20260113100001', '--recovery-action', 'Ask ops'), ['Ask ops'])
  })

  it('[S1-101] keeps a code that the document does not know, flags it, and is not tried again', async (t) => {
    const folder = await aQueueFolder(t)
    const states: string[] = []
    for (const [i, code] of CODES.entries()) {
      const id = `hoff-2026011310000${i}`
      folder.put('pending', id, folder.request(id))
      await folder.sync()
      await fail(folder, id, code)
      const { state, error } = await folder.show(id)
      states.push(`${error?.code} ${state}`)
    }

    assert.deepEqual(states, ['TIMEOUT retry_wait', 'PROCESSING_ERROR retry_wait', 'OUT_OF_MEMORY failed'])
    const path = `handoffs/failed/hoff-20260113100002.json`
    const { documents } = await ask<Checked>(folder.where, 'document', 'check', path)
    const told = documents.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message))
    assert.ok(
      told.some((message) => message.includes('OUT_OF_MEMORY')),
      told.join('\n'),
    )
  })

  it('[S1-101] that a command reports with a code of its own is written with one of the document', async (t) => {
    const folder = await aQueueFolder(t)
    folder.put('pending', ID, folder.request(ID))
    await folder.sync()
    const as = ['--as', 'react-specialist']
    await ask(folder.where, 'accept', ID, ...as)
    await ask(folder.where, 'handoff', 'fail', ID, ...as, '--code', 'NO_COMPILER', '--message', 'no luck')

    const { code, message } = folder.file('failed', ID).error as Record<string, unknown>
    const again = await folder.sync()
    const known = (await folder.show(ID)).error?.code
    await ask(folder.where, 'handoff', 'retry', ID, '--as', 'frontend-specialist')
    const [before] = folder.file('pending', ID).retry_history as { error: unknown }[]

    assert.deepEqual([code, message, again], ['PROCESSING_ERROR', 'NO_COMPILER: no luck', []])
    assert.partialDeepStrictEqual(before?.error, { code, message })
    assert.equal(known, 'NO_COMPILER')
  })

  it('[S1-103] [S1-106] is tried again three times where the request does not say, and then no more', async (t) => {
    const folder = await aQueueFolder(t)
    const args = ['--as', 'frontend-specialist', '--to', 'react-specialist', '--title', 'Build it']
    const { id } = (await ask<{ handoff: { id: string } }>(folder.where, 'send', ...args)).handoff
    const policy = folder.file('pending', id).retry_policy
    const counts: unknown[] = []
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await fail(folder, id)
      const { retry_count, retry_available } = folder.file('failed', id)
      counts.push([retry_count, retry_available])
      if (attempt < 4) {
        folder.move(id, 'failed', 'pending')
        await folder.sync()
      }
    }

    assert.deepEqual(policy, { max_retries: 3, retry_delay_seconds: 30, backoff_multiplier: 2 })
    assert.deepEqual(counts, [
      [0, true],
      [1, true],
      [2, true],
      [3, false],
    ])
    assert.equal((await folder.show(id)).state, 'failed')
  })

  it('[S1-105] [S1-106] gets no fifth attempt, by command or by file, whatever its file says', async (t) => {
    const folder = await aQueueFolder(t)
    const spent = { retry_available: true, retry_count: 3, max_retries: 3 }
    folder.put('failed', ID, { ...failure(folder.request(ID), 'no compiler'), ...spent })
    await folder.sync()

    const refused = await refusal(folder.where, 'handoff', 'retry', ID, '--as', 'frontend-specialist')
    folder.move(ID, 'failed', 'pending')
    await folder.sync()

    assert.match(refused.message, /^all 3 retries of \S+ are used; send the work as a new handoff$/)
    assert.deepEqual(folder.placesOf(ID), ['failed'])
    const { retry_available, retry_count } = folder.file('failed', ID)
    assert.deepEqual([retry_available, retry_count], [false, 3])
  })
})
