import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Run } from '../../src/domain/workflow/run.ts'
import { advance, type RunAction, type RunEvent } from '../../src/domain/workflow/run-steps.ts'
import type { Workflow } from '../../src/domain/workflow/workflow.ts'
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
} from './reference.ts'

/** A run without a store: events go in, actions come out, and everything that was made is remembered. */
class World {
  run: Run
  readonly made = new Map<string, RunAction>()
  readonly finished: string[] = []
  readonly model: Model

  constructor(workflow: Workflow, personDelegates: boolean) {
    const by = personDelegates ? 'maria' : 'orchestrator'
    this.model = newModel(workflow, personDelegates)
    this.run = {
      uid: 'u',
      id: 'm-1',
      rev: 1,
      name: workflow.name,
      state: 'running',
      by,
      auth: 'os-user',
      delegator: by,
      workflow,
      kinds: { [by]: personDelegates ? 'human' : 'agent', human: 'human' },
      numbered: 0,
      started_at: '',
      updated_at: '',
      steps: workflow.steps.map(({ id, agent = '' }) => ({
        id,
        state: 'waiting',
        agent,
        tries: 0,
        failures: 0,
        gates: 0,
        escalations: 0,
      })),
    }
    assert.ok(this.take({ kind: 'begin' }))
  }

  /** Applies an event and looks at what follows from it; false when it is refused. */
  take(event: RunEvent): boolean {
    const before = this.run
    const result = advance(before, event)
    assert.deepEqual(advance(before, event), result, 'the same again')
    if (!result.ok) return false
    this.run = result.run
    for (const action of result.actions) this.#look(action)
    return true
  }

  #look(action: RunAction): void {
    if (action.do === 'finish') {
      this.finished.push(action.state)
      const isHeld = this.run.steps.some(({ state }) => state === 'gate' || state === 'active')
      assert.ok(!isHeld, 'nothing is finished over open work or an open gate')
      return
    }
    if (action.do === 'notify') return
    assert.ok(!this.made.has(action.id), `${action.id} is made once`)
    this.made.set(action.id, action)
    const { needs } = this.run.workflow.steps.find(({ id }) => id === action.step)!
    const done = this.run.steps.filter(({ state }) => state === 'completed').map(({ id }) => id)
    assert.ok(
      needs.every((need) => done.includes(need)),
      `${action.step} began before ${needs.join(' ')}`,
    )
  }

  eventsOf(move: Move): RunEvent {
    if (move.do === 'resume' || move.do === 'cancel') return { kind: move.do }
    const step = this.run.steps.find(({ id }) => id === move.step)!
    const ended = (
      id: string | undefined,
      state: 'completed' | 'failed' | 'rejected' | 'cancelled',
    ): RunEvent => ({
      kind: 'ended',
      step: move.step,
      id: id ?? 'missing',
      state,
      by: 'somebody',
      reason: 'because',
    })
    switch (move.do) {
      case 'complete':
        return { ...ended(step.handoff, 'completed'), problems: move.sound ? [] : ['broken'] } as RunEvent
      case 'fail':
        return ended(step.handoff, 'failed')
      case 'reject':
        return ended(step.handoff, 'rejected')
      case 'cancel_work':
        return ended(step.handoff, 'cancelled')
      case 'delegate':
        return { kind: 'delegated', id: `d${this.model.delegated}`, parent: step.handoff ?? 'missing' }
      case 'answer':
      case 'break':
        return {
          kind: 'ended',
          id: move.id,
          state: move.do === 'answer' ? 'completed' : 'failed',
          by: 'somebody',
        }
      case 'approve':
        return ended(step.gate, 'completed')
      case 'send_back':
        return ended(step.gate, 'rejected')
      case 'cancel_gate':
        return ended(step.gate, 'cancelled')
      case 'advise':
        return ended(step.advisory, 'rejected')
      case 'try_again':
        return ended(step.escalation, 'completed')
      case 'leave':
        return ended(step.escalation, 'rejected')
      case 'reopen':
        return { kind: 'reopened', step: move.step, id: step.handoff ?? 'missing', to: step.agent }
      default:
        return { kind: 'reassigned', step: move.step, id: 'unknown', to: 'nobody' }
    }
  }
}

function walk(world: World, choices: readonly Choice[]): void {
  for (const [i, { pick, luck }] of choices.entries()) {
    const moves = movesOf(world.model).filter(({ do: what }) => what !== 'send_over_gate')
    const move = moves[pick % moves.length]
    if (!move) return
    const event = world.eventsOf(move)
    const completed = world.finished.length

    const allowed = world.take(event)

    assert.equal(allowed, play(world.model, move), `step ${i}: ${JSON.stringify(move)}`)
    compare(world, `step ${i}: ${JSON.stringify(move)}`)
    // An event of a handoff that is history changes nothing, whenever it comes.
    if (luck < 30 && event.kind === 'ended' && allowed) {
      const now = world.run
      assert.ok(world.take(event))
      assert.deepEqual({ ...world.run, state: now.state }, now, `step ${i} again: ${JSON.stringify(move)}`)
    }
    if (world.run.state === 'completed') assert.equal(world.finished.at(-1), 'completed')
    else assert.ok(world.finished.length >= completed)
  }
}

function compare({ run, model }: World, text: string): void {
  const wanted = expected(model)
  assert.deepEqual(
    {
      state: run.state,
      steps: run.steps.map(({ id, state, agent, tries }) => `${id} ${state} ${agent} ${tries}`),
    },
    wanted,
    text,
  )
}

/** Random walks of random workflows against the reference, without a store. */
export function checkPure(numRuns: number): void {
  fc.assert(
    fc.property(anyWorkflow, anyChoices(40), fc.boolean(), (workflow, choices, personDelegates) => {
      walk(new World(workflow, personDelegates), choices)
    }),
    { numRuns, endOnFailure: numRuns > 100_000 },
  )
}
