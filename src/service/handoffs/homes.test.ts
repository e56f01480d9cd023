import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  by,
  openWorkspace,
  person,
  UNDERSTOOD,
  type Workspace,
} from '../../../test/support/program/workspace.ts'
import { aContent, aHandoff } from '../../../test/support/store/builders.ts'
import type { BatonError } from '../../domain/errors.ts'
import { HOUR_MS } from '../../domain/handoffs/deadlines.ts'
import { unmetConditions } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { NewHandoff } from '../../domain/handoffs/inputs.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import { type Guard, HOME_RULES, HOMES, type Home, type HomeRules } from '../../domain/home.ts'
import { queueArtifactPath } from '../documents/artifact.ts'
import { exportDocument } from '../documents/export-document.ts'
import { toHandoff } from '../documents/handoff.ts'

/** Three workspaces of one home: a bare one, one with a live folder, and one in which offers expire. */
interface Worlds {
  readonly bare: Workspace
  readonly live: Workspace
  readonly timed: Workspace
  /** The duties that the live folder was asked for. */
  readonly asked: Set<HomeRules['folder'][number]>
}
type Probe<C extends keyof HomeRules> = (worlds: Worlds, home: Home) => Promise<HomeRules[C]> | HomeRules[C]

const planner = by('planner')
const deliverables = ['Middleware in src/']
const evidence = deliverables.map((deliverable) => ({ deliverable, evidence: 'src/limit.ts' }))
let made = 0
/** Each handoff has a task and a receiver of its own, so that none is in the way of another. */
const full = () => ({
  to: `codex-${++made}`,
  title: 'Add rate limiting',
  summary: 'The plan was agreed in the standup',
  purpose: 'Protect the API',
  context: 'Traffic has grown',
  deliverables,
  criteria: ['Build passes in CI'],
  links: { meeting: 'M-1', skill: 'api' },
  task: `BPRD-2026-${String(made).padStart(4, '0')}`,
})

const send = async ({ service }: Workspace, home: Home, more: Partial<NewHandoff> = {}): Promise<Handoff> =>
  (await service.sending.send(planner, { ...full(), home, ...more })).handoff
const begin = async (w: Workspace, home: Home, more: Partial<NewHandoff> = {}): Promise<Handoff> => {
  const { uid, to } = await send(w, home, more)
  return w.service.receiving.accept(by(to), uid, { start: true, ...UNDERSTOOD })
}
const handIn = ({ service }: Workspace, { uid, to }: Handoff) =>
  service.receiving.submit(by(to), uid, { evidence, output: { ok: true } })
/** The code of a refusal; undefined when the call was carried out. */
const refusal = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  )
const secondsTo = ({ clock }: Workspace, at: string | undefined): number | 'none' =>
  at === undefined ? 'none' : (Date.parse(at) - clock.now().getTime()) / 1_000

/** A handoff whose completion every home allows. */
const DONE: Content = {
  ...aContent({ package: { deliverables } }),
  result: { evidence, output: { ok: true } },
  verifications: [
    {
      verified_at: '2026-02-21T16:00:00.000Z',
      verified_by: 'perplexity',
      pass: true,
      deliverable_checks: evidence.map((each) => ({ ...each, status: 'verified' })),
    },
  ],
}
const UNCHECKED: Content = {
  ...DONE,
  package: { ...DONE.package, checks: [{ kind: 'command', command: 'npm test' }] },
}
/** What each condition says of a content that lacks only this. */
const BREACHES: Readonly<Record<Guard, readonly [code: string, content: Content]>> = {
  accepted: ['not_accepted', DONE],
  'handed in': ['nothing_handed_in', aContent()],
  evidence: ['deliverable_without_evidence', { ...DONE, result: { output: { ok: true } } }],
  verified: ['deliverable_without_evidence', { ...DONE, verifications: [] }],
  output: ['artifact_missing', { ...DONE, result: { evidence } }],
  checks: ['check_not_run', UNCHECKED],
  'checks outside runs': ['check_not_run', UNCHECKED],
  validation: [
    'VALIDATION_FAILED',
    { ...DONE, result: { ...DONE.result, validation: { tests_passing: false } } },
  ],
}

/** Each rule as the service carries it out. */
const PROBES: { readonly [C in keyof HomeRules]: Probe<C> } = {
  async format({ bare }, home) {
    const { uid } = await send(bare, home)
    // A refusal for fields that the document also needs names the format too.
    return exportDocument(bare.service.deps, by('codex'), { id: uid }).then(
      ({ dialect }) => dialect,
      ({ details }: BatonError) => details.to as HomeRules['format'],
    )
  },
  async draft_s({ bare }, home) {
    const { handoff } = await bare.service.sending.create(planner, { ...full(), home })
    return secondsTo(bare, handoff.ack_deadline)
  },
  async offered_s({ bare }, home) {
    return secondsTo(bare, (await send(bare, home)).ack_deadline)
  },
  async peopleHaveTime({ timed }, home) {
    return (await send(timed, home, { to: 'maria', type: 'sequential' })).ack_deadline === undefined
  },
  async lease_s({ bare }, home) {
    return secondsTo(bare, (await begin(bare, home)).lease_until)
  },
  async retry({ bare }, home) {
    const { receiving } = bare.service
    const asked = { max: 0, delay_s: 5, multiplier: 1 }
    const { retry: usual } = await send(bare, home)
    const begun = await begin(bare, home, { retry: asked })
    if (begun.retry === undefined) return 'never'
    assert.deepEqual(begun.retry, asked)
    await receiving.fail(by(begun.to), begun.uid, { code: 'PROCESSING_ERROR', message: 'broken' })
    const spent = await refusal(receiving.retry(planner, begun.uid))
    assert.equal(spent, usual && 'wrong_state', 'a maximum by default holds for the sender too')
    return usual ?? 'as sent'
  },
  async lastWord({ bare }, home) {
    const begun = await begin(bare, home)
    if ((await handIn(bare, begun)).state === 'completed') return 'receiver'
    const verify = (name: string) => bare.service.closing.verify(by(name), begun.uid, { pass: true })
    assert.equal(await refusal(verify(begun.to)), 'not_allowed')
    if ((await refusal(verify('planner'))) === undefined) return 'sender'
    assert.equal(await refusal(verify('perplexity')), undefined)
    return 'verifier'
  },
  completion(_, home) {
    const accepted = { accepted_at: '2026-02-21T15:00:00.000Z', accepted_by: 'codex' }
    assert.deepEqual(unmetConditions(aHandoff({ home, ...accepted }), DONE), [])
    return (Object.keys(BREACHES) as Guard[]).filter((guard) => {
      const handoff = aHandoff({ home, ...(guard !== 'accepted' && accepted) })
      const [said, content] = BREACHES[guard]
      const isTold = (more: Partial<Handoff>) =>
        unmetConditions({ ...handoff, ...more }, content).some(({ code }) => code === said)
      return guard === 'checks outside runs' ? isTold({}) && !isTold({ run: 'run' }) : isTold({ run: 'run' })
    })
  },
  async begins({ bare }, home) {
    const { receiving } = bare.service
    const { to } = await send(bare, home)
    const claimed = await receiving.claim(by(to))
    const other = await send(bare, home)
    const silent = await refusal(receiving.accept(by(other.to), other.uid))
    assert.equal(claimed?.state, silent === undefined ? 'in_progress' : 'accepted')
    if (silent !== undefined) return 'understood'
    return (await bare.store.handoff(other.uid))?.state === 'accepted' ? 'started' : 'accepted'
  },
  async anyone({ bare }, home) {
    const { uid } = await send(bare, home, { to: 'human', type: 'sequential' })
    return (await refusal(bare.service.receiving.accept(person('maria'), uid, UNDERSTOOD))) === undefined
  },
  async oneOpen({ bare }, home) {
    const { to, task } = await send(bare, home)
    return (await refusal(send(bare, home, { to, task }))) === 'conflict'
  },
  async ids({ live }, home) {
    const { id } = await send(live, home)
    return /^HO-2026-\d{3}$/.test(id) ? 'HO' : /^hoff-\d{3}-\d+$/.test(id) ? 'hoff' : 'parties'
  },
  async statuses({ bare }, home) {
    const { uid } = await begin(bare, home)
    const moved = await refusal(bare.service.sending.reassign(planner, uid, 'gemini'))
    return moved === undefined ? 'all' : 'own'
  },
  async closesTask({ bare }, home) {
    const begun = await begin(bare, home)
    await handIn(bare, begun)
    for (const name of ['planner', 'perplexity'])
      await refusal(bare.service.closing.verify(by(name), begun.uid, { pass: true }))
    assert.equal((await bare.store.handoff(begun.uid))?.state, 'completed')
    return (await bare.store.task(begun.task ?? ''))?.task.status === 'done'
  },
  async sending({ bare }, home) {
    const { sending } = bare.service
    const empty = { ...full(), home, summary: "It's done" }
    const { warnings } = await sending.create(planner, empty)
    // The queue format also says that it asks for no evidence.
    const codes = warnings.map(({ code }) => code).filter((code) => code !== 'evidence_not_asked')
    assert.deepEqual(codes, ['vacuous_summary'])
    const refused = await refusal(send(bare, home, { summary: "It's done" }))
    return refused === undefined ? 'warns' : 'refuses'
  },
  async fullFile({ live }, home) {
    return (await refusal(send(live, home, { purpose: undefined, links: undefined }))) === 'invalid_input'
  },
  bodyIsContext(_, home) {
    const { format } = HOME_RULES[home]
    if (!format) return false
    const draft = { from: 'planner', to: 'codex', body: 'Read the plan first.' }
    const { content } = toHandoff(draft, { uid: 'u1', id: 'X-1', home: format, at: '2026-02-21T15:00:00Z' })
    return content.package.context === draft.body
  },
  async folder({ live, asked }, home) {
    const { to } = await send(live, home, { artifacts: [{ path: 'plan.md', role: 'input' }] })
    const claimed = await live.service.receiving.claim(by(to))
    assert.ok(claimed)
    if (claimed.state === 'failed') asked.add('inputs')
    if (await queueArtifactPath(live.service.deps, claimed, 'react')) asked.add('artifacts')
    await handIn(live, await begin(live, home))
    return HOME_RULES.queue.folder.filter((duty) => asked.has(duty))
  },
}

async function openWorlds(t: TestContext, home: Home): Promise<Worlds> {
  const asked: Worlds['asked'] = new Set()
  const noted = async <T>(duty: HomeRules['folder'][number], answer: T | Promise<T>): Promise<T> => {
    asked.add(duty)
    return answer
  }
  const ports = {
    shared: () => noted('context', {}),
    pickUp: (_: Handoff, commit: () => Promise<Handoff | undefined>) => noted('claims', commit()),
    judgeOutput: () => noted('outputs', []),
    // No file is there.
    runChecks: async () => [{ name: 'file_exists', ok: false }],
  }
  const agents = { planner: {}, maria: { kind: 'human' as const } }
  return {
    asked,
    bare: await openWorkspace(t),
    live: await openWorkspace(t, { ...ports, live: new Set([home]) }),
    timed: await openWorkspace(t, { policy: { agents, deadlines: { [home]: { offeredMs: HOUR_MS } } } }),
  }
}

describe('the rules of each home', () => {
  for (const home of HOMES)
    it(`hold in the service as the table says: ${home}`, async (t) => {
      const worlds = await openWorlds(t, home)
      const seen: Record<string, unknown> = {}
      for (const [name, probe] of Object.entries(PROBES)) seen[name] = await probe(worlds, home)

      assert.deepEqual(seen, HOME_RULES[home])
    })
})
