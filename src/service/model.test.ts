import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { by, describeOnEngines, person, type Workspace } from '../../test/support/program/workspace.ts'
import { apply, LIMITS, type Model, type Operation } from '../../test/support/store/handoff-model.ts'
import type { Call } from './deps.ts'
import type { Service } from './service.ts'

const CALLS: Readonly<Record<string, Call>> = {
  planner: by('planner'),
  codex: by('codex'),
  gemini: by('gemini'),
  maria: person('maria'),
}

const DO: Readonly<Record<Operation, (service: Service, call: Call, uid: string) => Promise<unknown>>> = {
  create: ({ sending }, call) => sending.create(call, { to: 'codex', title: 'Work' }),
  send: ({ sending }, call) => sending.send(call, { to: 'codex', title: 'Work' }),
  send_draft: ({ sending }, call, uid) => sending.sendDraft(call, uid),
  accept: ({ receiving }, call, uid) => receiving.accept(call, uid),
  accept_only: ({ receiving }, call, uid) => receiving.accept(call, uid, { start: false }),
  reject: ({ receiving }, call, uid) => receiving.reject(call, uid, { type: 'other', message: 'no' }),
  ask: ({ receiving }, call, uid) => receiving.ask(call, uid, 'Which?'),
  answer: ({ receiving }, call, uid) => receiving.answer(call, uid, 'This'),
  amend: ({ sending }, call, uid) => sending.amend(call, uid, { summary: 'More of what is needed' }),
  submit: ({ receiving }, call, uid) => receiving.submit(call, uid, { note: 'Done' }),
  verify: ({ closing }, call, uid) => closing.verify(call, uid, { pass: true }),
  refuse: ({ closing }, call, uid) => closing.verify(call, uid, { pass: false, note: 'no' }),
  fail: ({ receiving }, call, uid) => receiving.fail(call, uid, { message: 'broken' }),
  retry: ({ receiving }, call, uid) => receiving.retry(call, uid),
  cancel: ({ sending }, call, uid) => sending.cancel(call, uid),
  beat: ({ receiving }, call, uid) => receiving.heartbeat(call, uid, { progress: 1 }),
  block: ({ receiving }, call, uid) => receiving.heartbeat(call, uid, { blocked: 'no database' }),
  unblock: ({ receiving }, call, uid) => receiving.heartbeat(call, uid, { blocked: false }),
}

const OPERATIONS = Object.keys(DO) as Operation[]
const ACTORS = Object.keys(CALLS)
/** Possible nearly everywhere: taken seldom, so that the walks go far. */
const SIDEWAYS: readonly Operation[] = ['create', 'amend', 'reject', 'cancel', 'ask']

/** A call out of the blue, or one of those that the model lets through: a walk that is mostly refused learns little. */
const step = fc.record({
  wild: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.record({
        operation: fc.constantFrom(...OPERATIONS),
        actor: fc.constantFrom(...ACTORS),
        counted: fc.nat({ max: 2 }),
      }),
    },
  ),
  pick: fc.nat(),
  passes: fc.constantFrom(0, 0, 0, 0, 0, 0, 1_000, 31_000, 3_600_000, 7_200_000, 86_400_000),
})

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
interface Chosen {
  readonly operation: Operation
  readonly actor: string
  readonly target: number
}

function choose(model: Model, { wild, pick }: Step): Chosen {
  const newest = model.handoffs.length - 1
  if (wild) {
    const { operation, actor, counted } = wild
    if (operation !== 'create' && operation !== 'send' && newest - counted >= 0)
      return { operation, actor, target: newest - counted }
    return { operation: 'send', actor: 'planner', target: -1 }
  }
  const possible = OPERATIONS.flatMap((operation) => {
    const targets = operation === 'create' || operation === 'send' ? [-1] : [newest - 1, newest]
    const actors = targets[0] === -1 ? ['planner'] : ACTORS
    return targets.flatMap((target) => actors.map((actor) => ({ operation, actor, target })))
  }).filter(({ operation, actor, target }) => apply(model, operation, actor, target).after !== undefined)
  const onwards = possible.filter(({ operation }) => !SIDEWAYS.includes(operation))
  const from = onwards.length > 0 && pick % 4 > 0 ? onwards : possible
  return from[pick % from.length] ?? { operation: 'send', actor: 'planner', target: -1 }
}

async function walk(w: Workspace, steps: readonly Step[]): Promise<void> {
  let model: Model = { now: w.clock.now().getTime(), handoffs: [], notices: 0 }
  for (const [i, each] of steps.entries()) {
    w.clock.pass(each.passes)
    model = { ...model, now: w.clock.now().getTime() }
    const { operation, actor, target } = choose(model, each)
    const uids = await uidsOf(w)

    const outcome = await DO[operation](w.service, CALLS[actor] ?? by(actor), uids[target] ?? '').then(
      () => 'done',
      (error: { code?: string }) => error.code ?? String(error),
    )
    const { settled, after } = apply(model, operation, actor, target)
    model = after ?? settled

    const text = `step ${i}: ${actor} ${operation} ${target}, answered ${outcome}`
    assert.equal(outcome === 'done', after !== undefined, text)
    if (outcome !== 'done')
      assert.match(outcome, /^(wrong_state|not_allowed|limit_exceeded|unmet|conflict)$/, text)
    await compare(w, model, text)
    await checkLimits(w, text)
  }
}

async function uidsOf({ store }: Workspace): Promise<readonly string[]> {
  return (await store.handoffs({}, { limit: 200 })).items.map(({ uid }) => uid).reverse()
}

async function compare({ store }: Workspace, model: Model, text: string): Promise<void> {
  const { items } = await store.handoffs({}, { limit: 200 })
  assert.deepEqual(
    items.map(({ state, attempt }) => `${state} ${attempt}`).reverse(),
    model.handoffs.map(({ state, attempt }) => `${state} ${attempt}`),
    text,
  )
  assert.equal((await store.notices('planner', { limit: 200 })).items.length, model.notices, text)
}

async function checkLimits({ store }: Workspace, text: string): Promise<void> {
  const { agents } = await store.counts()
  const open = [agents.planner?.outgoing ?? 0, agents.codex?.incoming ?? 0]
  assert.ok(Number(open[0]) <= LIMITS.planner.outgoing && Number(open[1]) <= LIMITS.codex.incoming, text)
}

describeOnEngines('any sequence of calls', (open) => {
  it('leads where the model says, never past a limit, and is refused where the model refuses', async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (steps) => {
        const w = await open(t, {
          policy: {
            agents: {
              planner: { limits: LIMITS.planner },
              codex: { limits: LIMITS.codex },
              gemini: {},
              maria: { kind: 'human' },
            },
          },
        })
        await walk(w, steps)
      }),
      { numRuns: Number(process.env.MODEL_RUNS ?? 15), endOnFailure: true },
    )
  })
})
