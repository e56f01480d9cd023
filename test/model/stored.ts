import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { createService, type ServiceOptions } from '../../src/compose/main.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { isEnd } from '../../src/domain/lifecycle.ts'
import type { RunStep } from '../../src/domain/workflow/run.ts'
import type { Workflow } from '../../src/domain/workflow/workflow.ts'
import type { Call } from '../../src/service/deps.ts'
import type { Service } from '../../src/service/service.ts'
import type { Store } from '../../src/storage/store.ts'
import { by, type Engine, openWorkspace, person } from '../support/program/workspace.ts'
import {
  anyChoices,
  anyWorkflow,
  type Choice,
  expected,
  type Model,
  type Move,
  movesOf,
  newModel,
  play,
  type StepMove,
} from './reference.ts'

class Crash extends Error {}

/** When the next transaction is lost: before it, or after its commit, so that nobody hears of it. */
interface Faults {
  next?: 'before' | 'after' | undefined
}

/** The real store, whose caller may die at any transaction. */
function mortal(store: Store, faults: Faults): Store {
  const transact: Store['transact'] = async (unit) => {
    const fault = faults.next
    faults.next = undefined
    if (fault === 'before') throw new Crash('crashed before the transaction')
    const value = await store.transact(unit)
    if (fault === 'after') throw new Crash('crashed after the commit')
    return value
  }
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'transact') return transact
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const runChecks: NonNullable<ServiceOptions['runChecks']> = async (checks, { note } = {}) =>
  checks.map(({ kind }) => ({ name: kind, ok: note !== 'broken' }))

/** One run in a workspace that many runs share, driven by real calls. */
class Driver {
  readonly store: Store
  readonly #faults: Faults = {}
  readonly #mortal: Store
  #service: Service
  readonly starter: string
  readonly model: Model
  readonly #delegations = new Map<string, string>()
  #calls = 0
  #luck = 0
  run = ''

  constructor(store: Store, workflow: Workflow, isPerson: boolean) {
    this.store = store
    this.#mortal = mortal(store, this.#faults)
    this.#service = this.#born()
    this.starter = isPerson ? 'maria' : 'orchestrator'
    this.model = newModel(workflow, isPerson)
  }

  #born(): Service {
    return createService(this.#mortal, { runChecks })
  }

  async start(): Promise<void> {
    const { workflow } = this.model
    const { uid } = await this.#as(this.starter, async (service, call) =>
      (await service.workflows()).start(call, { definition: JSON.stringify(workflow) }),
    )
    this.run = uid
  }

  /** A call with a key of its own; whoever dies over it is born again and calls again. */
  async #as<T>(name: string, call: (service: Service, call: Call) => Promise<T>): Promise<T> {
    this.#calls += 1
    const key = `${this.run || this.model.workflow.name}-${this.#calls}-${Math.random()}`
    this.#luck = (this.#luck * 7 + 13) % 100
    this.#faults.next = this.#luck < 12 ? 'before' : this.#luck < 24 ? 'after' : undefined
    for (;;) {
      try {
        const kind = name === 'maria' ? 'human' : 'agent'
        return await call(this.#service, by(name, { key, kind }))
      } catch (error) {
        if (!(error instanceof Crash)) throw error
        this.#service = this.#born()
      } finally {
        this.#faults.next = undefined
      }
    }
  }

  async move(move: Move, luck: number): Promise<string> {
    this.#luck = luck
    return this.#moved(move).then(
      () => 'done',
      (error: { code?: string }) => {
        if (error.code === undefined) throw error
        return error.code
      },
    )
  }

  async #moved(move: Move): Promise<unknown> {
    if (move.do === 'resume')
      return this.#as(this.starter, async (service, call) =>
        (await service.workflows()).resume(call, this.run),
      )
    if (move.do === 'cancel')
      return this.#as(this.starter, async (service, call) =>
        (await service.workflows()).cancel(call, this.run),
      )
    const run = await this.store.run(this.run)
    return this.#stepped(run!.steps.find(({ id }) => id === move.step)!, move)
  }

  async #stepped(step: RunStep, move: StepMove): Promise<unknown> {
    const { agent } = step
    const [work, gate] = [step.handoff ?? '', step.gate ?? '']
    const decide = (id: string, choice: string) =>
      this.#as('maria', ({ closing }, call) =>
        closing.decide({ ...call, actor: person('maria').actor }, id, choice, 'so'),
      )
    switch (move.do) {
      case 'complete':
        return this.#complete(work, agent, move.sound ? 'fine' : 'broken')
      case 'fail':
        await this.#underWay(work, agent)
        return this.#fail(work, agent)
      case 'reject':
        await this.#underWay(work, agent)
        return this.#as(agent, ({ receiving }, call) =>
          receiving.reject(call, work, { type: 'other', message: 'no' }),
        )
      case 'cancel_work':
        return this.#as(this.starter, ({ sending }, call) => sending.cancel(call, work))
      case 'delegate':
        await this.#underWay(work, agent)
        return this.#delegate(work, agent)
      case 'ask':
        await this.#underWay(work, agent)
        await this.#as(agent, ({ receiving }, call) => receiving.ask(call, work, 'Which?'))
        return this.#as(this.starter, ({ receiving }, call) => receiving.answer(call, work, 'This'))
      case 'answer':
        return this.#complete(this.#delegations.get(move.id) ?? '', 'helper', 'fine')
      case 'break':
        await this.#underWay(this.#delegations.get(move.id) ?? '', 'helper')
        return this.#fail(this.#delegations.get(move.id) ?? '', 'helper')
      case 'approve':
        return decide(gate, 'approve')
      case 'send_back':
        return decide(gate, 'reject')
      case 'cancel_gate':
        return this.#as(agent, ({ sending }, call) => sending.cancel(call, gate))
      case 'send_over_gate':
        return this.#as(agent, ({ sending }, call) =>
          sending.send(call, {
            to: 'helper',
            title: 'Go on',
            summary: 'Go on with the next part of it',
            parent: work,
          }),
        )
      case 'advise':
        return decide(step.advisory ?? '', 'reject')
      case 'try_again':
        return decide(step.escalation ?? '', 'approve')
      case 'leave':
        return decide(step.escalation ?? '', 'reject')
      case 'reopen':
        return this.#as(this.starter, ({ receiving }, call) => receiving.retry(call, work))
    }
  }

  async #delegate(work: string, agent: string): Promise<void> {
    const { handoff } = await this.#as(agent, ({ sending }, call) =>
      sending.send(call, {
        to: 'helper',
        type: 'delegation',
        home: 'package',
        title: 'A part of it',
        summary: 'Do the second part of the work',
        deliverables: ['The part'],
        parent: work,
      }),
    )
    this.#delegations.set(`d${this.model.delegated}`, handoff.id)
  }

  async #complete(id: string, agent: string, note: string): Promise<void> {
    const { home, state } = await this.#underWay(id, agent)
    if (state !== 'in_review')
      await this.#as(agent, ({ receiving }, call) =>
        receiving.submit(call, id, {
          note,
          ...(agent === 'helper' && { evidence: [{ deliverable: '*', evidence: 'here' }] }),
        }),
      )
    if (home === 'native')
      await this.#as(this.starter, ({ closing }, call) => closing.verify(call, id, { pass: true }))
  }

  #fail(id: string, agent: string): Promise<unknown> {
    return this.#as(agent, ({ receiving }, call) =>
      receiving.fail(call, id, { code: 'VALIDATION_FAILED', message: 'broken' }),
    )
  }

  /** The agent has taken it, and what it handed in before was given back. */
  async #underWay(id: string, agent: string): Promise<Handoff> {
    const handoff = (await this.store.handoff(id))!
    if (handoff.state === 'offered')
      return this.#as(agent, ({ receiving }, call) =>
        receiving.accept(call, id, { understood: { task: 'I do it' } }),
      )
    if (handoff.state !== 'in_review') return handoff
    return this.#as(this.starter, ({ closing }, call) =>
      closing.verify(call, id, { pass: false, note: 'not yet' }),
    )
  }
}

async function walk(driver: Driver, choices: readonly Choice[]): Promise<void> {
  await driver.start()
  await compare(driver, 'the start')
  for (const [i, { pick, luck }] of choices.entries()) {
    const moves = movesOf(driver.model)
    const move = moves[pick % moves.length]
    if (!move) break

    const outcome = await driver.move(move, luck)

    const text = `step ${i}: ${JSON.stringify(move)}, answered ${outcome}`
    assert.equal(outcome === 'done', play(driver.model, move), text)
    if (outcome !== 'done') assert.match(outcome, /^(wrong_state|unmet)$/, text)
    await compare(driver, text)
  }
  await checkDebts(driver)
}

async function compare({ store, run: uid, model }: Driver, text: string): Promise<void> {
  const run = (await store.run(uid))!
  const steps = run.steps.map(({ id, state, agent, tries }) => `${id} ${state} ${agent} ${tries}`)
  assert.deepEqual({ state: run.state, steps }, expected(model), text)
  const open = (await store.handoffs({ run: uid, type: 'gate' }, { limit: 50 })).items.filter(
    ({ state, gate }) => !isEnd(state) && gate?.type === 'blocking',
  )
  if (open.length > 0) assert.notEqual(run.state, 'completed', `${text}: finished over ${open[0]?.id}`)
}

/** Every delegation that has ended was answered exactly once, and no other was. */
async function checkDebts({ store, run }: Driver): Promise<void> {
  const { items } = await store.handoffs({ run }, { limit: 200 })
  const delegations = items.filter(({ type }) => type === 'delegation')
  if (delegations.length === 0) return
  const notices = await store.noticesAbout(delegations.map(({ uid }) => uid))
  for (const { uid, id, state, debt, from } of delegations) {
    const returns = items.filter(({ in_reply_to }) => in_reply_to === uid).length
    const told = notices.filter(
      ({ about, to, kind }) => about === uid && to === from && kind !== 'returned',
    ).length
    assert.equal(debt, isEnd(state) ? 'answered' : 'open', id)
    assert.equal(returns + told, isEnd(state) ? 1 : 0, `${id} is ${state}: answers`)
  }
}

/** Walks at the same time on one store: transactions are shared, as those of many agents are. */
const AT_ONCE = 10
/** Walks in one workspace, whose whole log is checked when they are done. */
const IN_ONE_PLACE = 100

/** Random walks on a real store, with callers that die between any two transactions. */
export async function checkStored(t: TestContext, engine: Engine, walks: number): Promise<void> {
  for (let done = 0; done < walks; done += IN_ONE_PLACE)
    await t.test(`walks from ${done} on`, (part) =>
      walkMany(part, engine, Math.min(IN_ONE_PLACE, walks - done)),
    )
}

async function walkMany(t: TestContext, engine: Engine, walks: number): Promise<void> {
  const { store, service } = await openWorkspace(t, { engine, runChecks })
  await service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
  const one = fc.record({ workflow: anyWorkflow, choices: anyChoices(12), isPerson: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (all) => {
      await Promise.all(
        all.map(({ workflow, choices, isPerson }) => {
          const hasChecks = workflow.steps.some(({ checks }) => checks)
          // A native step that fails its checks does not come as far as its gate.
          const steps: Workflow = hasChecks ? { ...workflow, home: 'package' } : workflow
          return walk(new Driver(store, steps, isPerson), choices)
        }),
      )
    }),
    { numRuns: Math.ceil(walks / AT_ONCE), endOnFailure: true },
  )
}
