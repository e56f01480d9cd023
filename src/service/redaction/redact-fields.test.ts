import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { by, openWorkspace as open, person, type Workspace } from '../../../test/support/program/workspace.ts'
import { placesOf } from '../../../test/support/store/secrets.ts'
import type { Package, Result } from '../../domain/handoffs/package.ts'
import { loadOperation } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'
import type { Store } from '../../storage/store.ts'
import { redact } from './redact.ts'

const sender = by('planner')
const codex = by('codex')
/** A number is a secret too, and no text is looked for that would find it. */
const PIN = 100_000_000_000 + Math.floor(Math.random() * 899_999_999_999)
const newSecret = (): string => `sk-live-${randomBytes(12).toString('hex')}`

/** A secret in each field that somebody can write, in every place of it. */
const PACKAGE: { readonly [K in keyof Package]-?: (secret: string) => Package[K] } = {
  summary: (secret) => `Use ${secret}.`,
  purpose: (secret) => secret,
  context: (secret) => `First line\nthen ${secret}`,
  data: (secret) => ({ [secret]: 1, inner: { list: [secret, PIN] } }),
  decisions: (secret) => [{ id: 'D1', decision: secret, rationale: `because ${secret}` }],
  artifacts: (secret) => [{ path: `keys/${secret}.txt`, description: secret, role: 'input' }],
  open_questions: (secret) => [{ question: `${secret}?`, context: secret, priority: 'high' }],
  deliverables: (secret) => [`A service with ${secret}`],
  criteria: (secret) => [`curl ${secret} answers 200`],
  constraints: (secret) => [`Only ${secret}`],
  input: (secret) => [{ token: secret }],
  links: (secret) => ({ meeting: secret }),
  checks: (secret) => [{ kind: 'file_exists', path: secret }],
  validation_request: (secret) => ({ items: [secret], options: { yes: secret } }),
}

const RESULT: {
  readonly [K in keyof Omit<Result, 'schema_compliance' | 'submitted_at' | 'checks'>]-?: (
    secret: string,
    deliverable: string,
  ) => Result[K]
} = {
  output: (secret) => ({ token: secret }),
  evidence: (secret, deliverable) => [{ deliverable, evidence: `curl ${secret}` }],
  note: (secret) => `Ran with ${secret}`,
  artifacts: (secret) => [{ path: `out/${secret}` }],
  decisions: (secret) => [{ id: 'D2', decision: secret }],
  validation: (secret) => ({ status: 'passed', log: secret }),
  metadata: (secret) => ({ run: secret, pin: PIN }),
  next_steps: (secret) => [`Rotate ${secret}`],
}

/** To scrub after each of thirty fields would be most of the time; here it is done once, at the end. */
const scrubbingLater = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'scrub') return async () => []
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

/** The fields made of this table, and the secret of each. */
function filled(
  table: object,
  more: readonly string[] = [],
): { fields: object; secrets: Map<string, string> } {
  const secrets = new Map(Object.keys(table).map((name) => [name, newSecret()]))
  const fields = Object.entries(table).map(([name, make]) => [name, make(secrets.get(name), ...more)])
  return { fields: Object.fromEntries(fields), secrets }
}

async function redactAll(w: Workspace, id: string, secrets: ReadonlyMap<string, string>): Promise<void> {
  for (const field of secrets.keys()) {
    const done = await redact(w.service.deps, person('maria'), { id, field, reason: 'leaked-key' })
    assert.equal(done.already, false, field)
  }
  await w.store.scrub()
  for (const [field, secret] of [...secrets, ['a number', String(PIN)] as const])
    assert.deepEqual(await placesOf(w.store, secret), [], field)
}

/** What a caller is shown fits the schema that callers rely on. */
async function demandWhole(w: Workspace, id: string): Promise<void> {
  const operation = await loadOperation('handoff_get')
  const answer = await invoke(operation, w.service, sender, { id })
  assert.ok(operation.output.safeParse(answer).success, JSON.stringify(answer))
}

// What is taken from where is the same on both engines; that it is gone from each of them is shown in redact.test.ts.
describe('redacting field by field', () => {
  it('takes away whatever a sender can write, and leaves a handoff that is whole', async (t) => {
    const w = await open(t, { wrap: scrubbingLater })
    const { fields, secrets } = filled(PACKAGE)
    const title = newSecret()
    const given = { to: 'codex', title: `Deploy ${title}`, ...fields }
    const { handoff } = await w.service.sending.send(sender, given)

    await redactAll(w, handoff.id, new Map([['title', title], ...secrets]))

    await demandWhole(w, handoff.id)
    await w.service.receiving.accept(codex, handoff.id)
  })

  it('takes away whatever a receiver can hand in, and what was made of it for the asker', async (t) => {
    const w = await open(t, { wrap: scrubbingLater })
    const given = { to: 'codex', title: 'Deploy', deliverables: ['A service'] }
    const { handoff } = await w.service.sending.send(sender, { ...given, type: 'delegation' })
    await w.service.receiving.accept(codex, handoff.id)
    const { fields, secrets } = filled(RESULT, ['A service'])
    await w.service.receiving.submit(codex, handoff.id, fields)
    await w.service.closing.verify(sender, handoff.id, { pass: true })

    await redactAll(w, handoff.id, secrets)

    await demandWhole(w, handoff.id)
    await demandWhole(w, `${handoff.id}-R`)
  })

  it('takes away why work failed, with every attempt and the notice of it', async (t) => {
    const w = await open(t, { wrap: scrubbingLater })
    const secret = newSecret()
    const { handoff } = await w.service.sending.send(sender, { to: 'codex', title: 'Deploy' })
    await w.service.receiving.accept(codex, handoff.id)
    await w.service.receiving.heartbeat(codex, handoff.id, { blocked: `waits for ${secret}` })
    const details = [{ header: secret, pin: PIN }]
    await w.service.receiving.fail(codex, handoff.id, { message: `401 with ${secret}`, details })

    await redactAll(w, handoff.id, new Map([['blocked_on', secret]]).set('error', secret))

    await demandWhole(w, handoff.id)
    const [notice] = await w.store.noticesAbout([handoff.uid])
    assert.equal(notice?.text, `Handoff ${handoff.id} failed: [redacted]`)
  })

  it('takes away whatever a record or a task says, and the task can still be finished', async (t) => {
    const w = await open(t, { wrap: scrubbingLater })
    const [title, criterion, ...said] = Array.from({ length: 6 }, newSecret)
    const task = { id: 'P0.1.1', title: `Use ${title}`, criteria: [`curl ${criterion}`] }
    await w.service.tasks.create(sender, task)
    await w.service.tasks.start(codex, 'P0.1.1')
    const [summary, notes, blocker, file] = said
    const record = await w.service.tasks.record(codex, 'P0.1.1', {
      summary: `Done with ${summary}.`,
      notes: `See ${notes}`,
      blockers: [{ issue: blocker }],
      files_changed: [`src/${file}.ts`],
      tests_run: ['npm test'],
    })

    const names = { summary, notes, blockers: blocker, files_changed: file }
    await redactAll(w, record.uid, new Map(Object.entries(names) as [string, string][]))
    await redactAll(w, 'P0.1.1', new Map([['title', title!]]).set('criteria', criterion!))

    assert.equal((await w.service.tasks.update(codex, 'P0.1.1', { status: 'done' })).task.status, 'done')
  })

  it('is gone from a gate and from the task that it holds up, also where it is a plain word', async (t) => {
    const w = await open(t)
    await w.service.tasks.create(sender, { id: 'P0.1.1', title: 'Setup' })
    await w.service.tasks.start(codex, 'P0.1.1')
    const secret = newSecret()
    for (const name of [`gate ${secret}`, 'launch']) {
      const asked = { to: 'human', title: 'Look', type: 'gate' as const, task: 'P0.1.1', gate: { name } }
      const { handoff } = await w.service.sending.send(codex, asked)

      await redact(w.service.deps, person('maria'), { id: handoff.id, field: 'gate', reason: 'leaked-key' })

      const { gates } = (await w.service.tasks.get('P0.1.1')).row.task
      assert.notEqual(gates?.at(-1)?.name, name)
      assert.equal(gates?.at(-1)?.name, (await w.store.handoff(handoff.uid))?.gate?.name)
      await assert.rejects(w.service.tasks.complete(codex, 'P0.1.1', { summary: 'Done' }), { code: 'unmet' })
    }
    assert.deepEqual(await placesOf(w.store, secret), [])
  })
})
