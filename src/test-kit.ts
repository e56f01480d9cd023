import { resolve } from 'node:path'
import { serviceAt } from './compose/embedded.ts'
import { openStore } from './compose/main.ts'
import { DEFAULT_POLICY, type Policy } from './domain/policy.ts'
import { Baton } from './runner/baton.ts'
import { BatonAgent } from './runner/baton-agent.ts'
import { localAgent, localLink } from './runner/local-link.ts'
import type { DecideOutput } from './runner/operation-types.ts'

export interface TestBatonOptions {
  /** The instant at which the clock starts; 2026-01-01T00:00:00Z unless said. */
  readonly start?: Date
  /** Rules of the workspace that replace the defaults, one by one. */
  readonly policy?: Partial<Policy>
  /** The folder in which declared checks look for files; the current folder unless said. */
  readonly cwd?: string
}

/** An empty workspace in memory, with a clock that a test moves and people who decide. */
export interface TestBaton extends AsyncDisposable {
  /** The workspace, as `openBaton(':memory:')` gives it. */
  readonly baton: Baton
  /** The workspace's clock. */
  readonly clock: TestClock
  /** A person of this name. */
  person(name: string): TestPerson
}

/** A clock that stands still until a test moves it. */
export interface TestClock {
  /** The time in the workspace. */
  now(): Date
  /** Moves the clock, and does everything that is due by then: leases lapse, retries are offered, offers expire. */
  pass(seconds: number): Promise<void>
}

/** A person, with the rights of one who sits at a terminal. */
export class TestPerson extends BatonAgent {
  /**
   * Answers a gate (approve, reject or question), or an escalation with one of its options.
   *
   * ```ts
   * await maria.decide(gate.id, 'approve', 'ship it')
   * ```
   */
  decide(id: string, choice: string, comment?: string): Promise<DecideOutput> {
    return this.call('gate_decide', { id, choice, comment })
  }
}

/**
 * Opens an empty workspace for a test.
 *
 * ```ts
 * const test = await openTestBaton()
 * const { baton, clock } = test
 * ```
 */
export async function openTestBaton(options: TestBatonOptions = {}): Promise<TestBaton> {
  const { start = new Date('2026-01-01T00:00:00Z'), policy, cwd = '.' } = options
  const store = await openStore({ engine: 'sqlite', path: ':memory:' })
  let now = start.getTime()
  const service = serviceAt(store, resolve(cwd), {
    now: () => new Date(now),
    policy: { ...DEFAULT_POLICY, ...policy },
  })
  const baton = new Baton(localLink({ service, base: resolve(cwd), close: () => store.close() }))
  return {
    baton,
    clock: {
      now: () => new Date(now),
      pass: async (seconds) => {
        now += seconds * 1_000
        await service.settle()
      },
    },
    person: (name) =>
      new TestPerson(
        localAgent(service, { actor: { name: baton.as(name).name, kind: 'human', auth: 'tty' } }),
      ),
    [Symbol.asyncDispose]: () => baton.close(),
  }
}
