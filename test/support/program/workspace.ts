import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext } from 'node:test'
import { createService, openStore, type ServiceOptions, type StoreTarget } from '../../../src/compose/main.ts'
import type { AgentKind } from '../../../src/domain/agent.ts'
import type { Policy } from '../../../src/domain/policy.ts'
import { DEFAULT_POLICY } from '../../../src/domain/policy.ts'
import type { Call } from '../../../src/service/deps.ts'
import type { Service } from '../../../src/service/service.ts'
import type { Store } from '../../../src/storage/store.ts'
import { checkLog } from '../log/log.ts'

export const ENGINES = ['sqlite', 'postgres'] as const
export type Engine = (typeof ENGINES)[number]

/** The instant at which every test workspace begins: the sample of document 000. */
export const START = '2026-02-21T14:30:00.000Z'

/** A clock that stands still until a test moves it. */
export class Clock {
  #ms = Date.parse(START)
  now = (): Date => new Date(this.#ms)

  get text(): string {
    return this.now().toISOString()
  }

  pass(ms: number): void {
    this.#ms += ms
  }
}

export interface Workspace {
  readonly service: Service
  readonly store: Store
  readonly clock: Clock
  /** Another process on the same store: its own connection and caches, the same clock. */
  readonly beside: (options?: { readonly readOnly?: boolean; readonly policy?: Policy }) => Promise<Service>
}

export type WorkspaceOptions = Omit<ServiceOptions, 'now' | 'policy'> & {
  readonly engine?: Engine
  /** A store of its own, or other limits. */
  readonly target?: Partial<StoreTarget>
  readonly policy?: Partial<Policy>
  /** Stands between the service and the store, to make it fail. */
  readonly wrap?: (store: Store) => Store
}

/** An empty workspace on a real store. When the test ends, its whole log is checked and it is thrown away. */
export async function openWorkspace(t: TestContext, options: WorkspaceOptions = {}): Promise<Workspace> {
  const { engine = 'sqlite', policy, wrap = (store: Store) => store, target: given, ...rest } = options
  const { target: made, remove } = newTarget(engine)
  const target = { ...made, ...given } as StoreTarget
  const clock = new Clock()
  const opened: Store[] = []
  const open = async (readOnly = false) => {
    const store = await openStore({ ...target, readOnly })
    opened.push(store)
    return store
  }
  const rules = { ...DEFAULT_POLICY, ...policy }
  const store = await open()
  t.after(async () => {
    try {
      await checkLog(store)
    } finally {
      for (const each of opened) await each.close()
      remove()
    }
  })
  return {
    store,
    clock,
    service: createService(wrap(store), { ...rest, policy: rules, now: clock.now }),
    beside: async ({ readOnly = false, policy: other = rules } = {}) =>
      createService(await open(readOnly), { ...rest, policy: other, now: clock.now }),
  }
}

/** The same suite on both engines; each test opens a workspace of its own with what it is given. */
export function describeOnEngines(
  title: string,
  suite: (open: (t: TestContext, options?: WorkspaceOptions) => Promise<Workspace>) => void,
): void {
  for (const engine of ENGINES)
    describe(`${title}, on ${engine}`, () => suite((t, options) => openWorkspace(t, { ...options, engine })))
}

/** A call by this agent, or by this person or instance. */
export function by(
  name: string,
  more: { readonly kind?: AgentKind; readonly instance?: string; readonly key?: string } = {},
): Call {
  const { kind = 'agent', instance, key } = more
  return {
    actor: { name, kind, auth: 'os-user', ...(instance !== undefined && { instance }) },
    ...(key !== undefined && { key }),
  }
}

/** What document 004 asks of whoever sends, and of whoever accepts. */
export const PACKAGE = {
  home: 'package' as const,
  summary: 'The plan was agreed in the standup',
  deliverables: ['Middleware in src/'],
}
export const UNDERSTOOD = { understood: { task: 'Add rate limits to the public API' } }

/** A call by a person. */
export const person = (name: string): Call => by(name, { kind: 'human' })

let made = 0

function newTarget(engine: Engine): { readonly target: StoreTarget; readonly remove: () => void } {
  if (engine === 'postgres') {
    const url = process.env.TEST_POSTGRES_URL
    if (!url) throw new Error('TEST_POSTGRES_URL is not set: run the tests with node scripts/test.mjs')
    made += 1
    return { target: { engine, url, workspace: `test-${process.pid}-${made}` }, remove: () => undefined }
  }
  const folder = mkdtempSync(join(tmpdir(), 'baton-service-'))
  return {
    target: { engine, path: join(folder, 'baton.db') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Removes an agent as 0.1.0 did: its tokens stay as they are. Answers what puts it back, as the log says it is. */
export async function removeAsFirstVersion(store: Store, name: string): Promise<() => Promise<void>> {
  const set = (removed: boolean) =>
    store.transact({
      reads: { agents: [name] },
      at: new Date().toISOString(),
      decide: (view) => view.putAgent({ ...view.agent(name)!, removed }),
    })
  await set(true)
  return () => set(false)
}
