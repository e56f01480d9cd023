import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { newKeys } from '../../../test/support/log/audit.ts'
import { by, describeOnEngines, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { AgentSignatures, type SignatureVerdict } from '../../audit/agent-signatures.ts'
import { decodeEntry } from '../../audit/entry.ts'
import { createService } from '../../compose/main.ts'
import { loadOperation } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'
import type { LogEntry } from '../../storage/store.ts'
import { openAgentKeys } from '../../workspace/agent-keys.ts'
import { nodeSha256, verifyEd25519 } from '../audit/hashes.ts'
import { redact } from '../redaction/redact.ts'
import { enrolKey } from './enrolment.ts'
import type { AgentKeys } from './signature.ts'

const planner = by('planner')
const codex = by('codex')
const COMMIT = 'c0ffee'.padEnd(40, '0')
const DONE = {
  branch: 'feature/p0-1-1-setup',
  commit_sha: COMMIT,
  tests_run: ['npm test'],
  summary: 'The package is set up. Its tests run.',
  blockers: [{ type: 'peer', issue: 'none' }],
}

function newHome(t: TestContext): AgentKeys {
  const home = mkdtempSync(join(tmpdir(), 'baton-home-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return openAgentKeys({ home })
}

type Open = Parameters<Parameters<typeof describeOnEngines>[1]>[0]

/** A workspace with a task, where codex has a key in this home. */
async function enrolled(t: TestContext, open: Open): Promise<{ w: Workspace; keys: AgentKeys; kid: string }> {
  const keys = newHome(t)
  const w = await open(t, { agentKeys: async () => keys, keys: newKeys(t).keys })
  await w.service.tasks.create(planner, { id: 'P0.1.1', title: 'Set up' })
  const key = await keys.makeKey(w.store.info.origin, 'codex')
  await enrolKey(w.service.deps, codex, 'codex', key)
  return { w, keys, kid: key.id }
}

/** What a stranger finds out about every entry of the log, in its order; nothing of those that nobody signs. */
async function verdicts(w: Workspace, change = (_: LogEntry, __: Map<string, unknown>): void => undefined) {
  const check = new AgentSignatures(nodeSha256, verifyEd25519)
  const found: SignatureVerdict[] = []
  for (const entry of (await w.store.changes('0', 1_000)).entries) {
    const decoded = decodeEntry(entry.body)
    assert.ok(decoded.ok)
    const disclosed = new Map((entry.disclosures ?? []).map(opened))
    change(entry, disclosed)
    const verdict = await check.check({ ...decoded, disclosed })
    if (verdict.is !== 'none') found.push(verdict)
  }
  return found
}

function opened(disclosure: string): [string, unknown] {
  const [, name, value] = JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as unknown[]
  return [String(name), value]
}

const entryOf = async (w: Workspace, act: string): Promise<LogEntry> =>
  (await w.store.changes('0', 1_000)).entries.findLast((entry) => entry.act === act)!

describeOnEngines('records of an agent with a key', (open) => {
  it('are signed as an in-toto statement about the commit, and the entry names the key', async (t) => {
    const { w, kid } = await enrolled(t, open)

    const record = await w.service.tasks.record(codex, 'P0.1.1', DONE)

    const entry = await entryOf(w, 'thought_record')
    const decoded = decodeEntry(entry.body)
    assert.deepEqual(decoded.ok && decoded.record.actor, { id: 'codex', kid })
    const { envelope } = Object.fromEntries(entry.disclosures!.map(opened)) as {
      envelope: { payload: string }
    }
    const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString('utf8'))
    const { uid, signed, ...said } = record
    assert.equal(signed, true)
    assert.deepEqual(statement, {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'P0.1.1', digest: { gitCommit: COMMIT } }],
      predicateType: 'urn:baton:thought-record:v1',
      predicate: { origin: w.store.info.origin, record: uid, ...said },
    })
    assert.deepEqual(await verdicts(w), [{ is: 'key' }, { is: 'signed' }])
  })

  it('are signed when the task is completed in one call, and without a commit too', async (t) => {
    const { w } = await enrolled(t, open)
    await w.service.tasks.start(codex, 'P0.1.1')

    await w.service.tasks.complete(codex, 'P0.1.1', DONE)
    const again = { status: 'todo', notes: 'Previous PR reverted, task reinstated' }
    await w.service.tasks.record(codex, 'P0.1.1', again)

    assert.deepEqual(await verdicts(w), [{ is: 'key' }, { is: 'signed' }, { is: 'signed' }])
  })

  it('show as unsigned in the brief and to a verifier when they come from elsewhere', async (t) => {
    const { w } = await enrolled(t, open)
    const elsewhere = createService(w.store, { now: w.clock.now })

    const record = await elsewhere.tasks.record(codex, 'P0.1.1', DONE)

    assert.equal(record.signed, false)
    const brief = await invoke(await loadOperation('task_brief'), w.service, planner, { id: 'P0.1.1' })
    assert.match(JSON.stringify(brief), /unsigned: its author has a key/)
    const { entries } = await (await w.service.audit()).proof(record.uid, 9)
    assert.deepEqual(
      entries.map(({ act, signed }) => [act, signed]),
      [['thought_record', false]],
    )
    assert.deepEqual(await verdicts(w), [{ is: 'key' }, { is: 'unsigned' }])
  })

  it('need no signature while their agent has no key', async (t) => {
    const { w } = await enrolled(t, open)

    const record = await w.service.tasks.record(by('gemini'), 'P0.1.1', DONE)

    assert.equal(record.signed, undefined)
    assert.deepEqual(await verdicts(w), [{ is: 'key' }])
  })
})

describeOnEngines('a verifier of signatures', (open) => {
  it('catches a record that was signed by nobody, by another, or that says something else', async (t) => {
    const { w, kid } = await enrolled(t, open)
    await w.service.tasks.record(codex, 'P0.1.1', DONE)
    const bad = (reason: string) => [{ is: 'key' }, { is: 'bad', reason }]
    const when = (change: (disclosed: Map<string, unknown>) => void) =>
      verdicts(w, (entry, disclosed) => entry.act === 'thought_record' && change(disclosed))

    const another = await when((disclosed) => disclosed.set('summary', 'Nothing was done.'))
    const forged = await when((disclosed) => {
      const { payload, ...rest } = disclosed.get('envelope') as { payload: string }
      const text = Buffer.from(payload, 'base64').toString('utf8').replace('set up', 'broken')
      disclosed.set('envelope', { ...rest, payload: Buffer.from(text).toString('base64') })
    })
    const keyless = await verdicts(w, (entry, disclosed) => {
      if (entry.act === 'agent.key') disclosed.set('public_key', Buffer.alloc(32, 1).toString('base64'))
    })

    assert.deepEqual(another, bad('the text that codex signed has another summary'))
    assert.deepEqual(forged, bad(`it is not signed with the key ${kid} of codex`))
    assert.deepEqual(keyless, [
      { is: 'bad', reason: 'the key of codex is not the one it is named after' },
      { is: 'bad', reason: `it names the key ${kid}, which codex was not given before` },
    ])
  })

  it('does not take a record of another workspace, task or moment for this one', async (t) => {
    const { w } = await enrolled(t, open)
    await w.service.tasks.record(codex, 'P0.1.1', DONE)
    const check = async (
      change: (record: Record<string, unknown>) => object,
      origin = w.store.info.origin,
    ) => {
      const signatures = new AgentSignatures(nodeSha256, verifyEd25519)
      for (const act of ['agent.key', 'thought_record']) {
        const entry = await entryOf(w, act)
        const decoded = decodeEntry(entry.body)
        assert.ok(decoded.ok)
        const disclosed = new Map(entry.disclosures!.map(opened))
        const record = act === 'agent.key' ? decoded.record : { ...decoded.record, ...change(decoded.record) }
        const verdict = await signatures.check({ origin, record, disclosed })
        if (act === 'thought_record') return verdict
      }
    }

    assert.deepEqual(await check(() => ({})), { is: 'signed' })
    assert.equal((await check(() => ({}), 'baton.local/other'))?.is, 'bad')
    assert.equal((await check(() => ({ sub: { id: 'P0.1.2', k: 'task', rev: 1 } })))?.is, 'bad')
    assert.equal((await check(() => ({ ts: '2030-01-01T00:00:00.000Z' })))?.is, 'bad')
  })

  it('says that what was signed is redacted when the record was', async (t) => {
    const { w } = await enrolled(t, open)
    const record = await w.service.tasks.record(codex, 'P0.1.1', { ...DONE, notes: 'sk-live-0123456789' })

    const input = { id: record.uid, field: 'notes', reason: 'leaked-key' }
    const { disclosures } = await redact(w.service.deps, person('maria'), input)

    assert.equal(disclosures, 2)
    assert.deepEqual(await verdicts(w), [{ is: 'key' }, { is: 'redacted' }])
    const { disclosures: left = [] } = await entryOf(w, 'thought_record')
    assert.ok(left.map(opened).every(([name]) => name !== 'envelope'))
  })
})

describeOnEngines('giving an agent a key', (open) => {
  it('is for the agent itself and for people, and only people replace one', async (t) => {
    const { w, keys, kid } = await enrolled(t, open)
    const { origin } = w.store.info
    const next = await keys.makeKey(origin, 'codex', { replace: true })
    const give = (call = codex, name = 'codex', key = next) => enrolKey(w.service.deps, call, name, key)

    await assert.rejects(give(), { code: 'not_allowed', message: /only a person can replace it/ })
    await assert.rejects(give(planner, 'gemini'), { code: 'not_allowed', message: /gemini or a person can/ })
    const before = await w.service.tasks.record(codex, 'P0.1.1', DONE)
    const agent = await give(person('maria'))
    const after = await w.service.tasks.record(codex, 'P0.1.1', DONE)

    assert.notEqual(next.id, kid)
    assert.deepEqual(agent.key, { id: next.id, public: next.public, since: w.clock.text })
    assert.deepEqual([before.signed, after.signed], [false, true])
    assert.deepEqual(
      (await verdicts(w)).map(({ is }) => is),
      ['key', 'unsigned', 'key', 'signed'],
    )
  })

  it('changes nothing when it has that key', async (t) => {
    const { w, keys } = await enrolled(t, open)
    const { entries } = await w.store.counts()

    const key = await keys.makeKey(w.store.info.origin, 'codex')
    await enrolKey(w.service.deps, codex, 'codex', key)

    assert.equal((await w.store.counts()).entries, entries)
    assert.equal((await w.service.agents.list()).find(({ name }) => name === 'codex')?.key?.id, key.id)
  })
})
