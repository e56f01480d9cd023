import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore, toStoreTarget } from '../../../src/compose/main.ts'
import { itemsOf, type Store } from '../../../src/storage/store.ts'
import { folders } from '../documents/folders.ts'
import { checkLog } from '../log/log.ts'
import { newDatabase } from '../store/store-places.ts'
import { cleanEnv } from './command.ts'
import { person } from './workspace.ts'

const PIPELINE = join(import.meta.dirname, 'pipeline.ts')
const STEPS = ['plan', 'api', 'page', 'review']
const ROLES = ['workers', 'planner'] as const
type Role = (typeof ROLES)[number]

interface Disturbance {
  readonly engine?: 'sqlite' | 'postgres'
  readonly times: number
  readonly signal: 'SIGKILL' | 'SIGTERM'
  readonly random: () => number
}

/** Ends the programs of the pipeline at random and starts them again; then lets it finish and looks at everything. */
export async function disturb(
  t: TestContext,
  { engine = 'sqlite', times, signal, random }: Disturbance,
): Promise<void> {
  const cwd = folders(t).folder('project')
  const address = engine === 'sqlite' ? join(cwd, 'baton.db') : await newDatabase()
  const stop = join(cwd, 'stop')
  const store = await openStore(toStoreTarget(address))
  const service = createService(store)
  const children = new Map<Role, ChildProcess>()
  // Closing releases at once. A longer lease tells a close that does not from a machine that is slow.
  const lease = signal === 'SIGKILL' ? '1' : '20'
  const start = (role: Role): void => {
    const child = spawn(process.execPath, [PIPELINE, address, role, stop, lease], {
      cwd,
      env: cleanEnv({ cwd }),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.set(role, child)
  }
  let isOver = false
  /** A person who approves every gate. */
  const approving = (async () => {
    while (!isOver) {
      const { items } = await store.handoffs({ type: 'gate', state: ['needs_input'] }, { limit: 20 })
      for (const { uid } of items) await service.closing.decide(person('maria'), uid, 'approve')
      await pause(20)
    }
  })()
  t.after(async () => {
    isOver = true
    for (const child of children.values()) child.kill('SIGKILL')
    await approving
    await store.close()
  })
  for (const role of ROLES) start(role)
  for (let done = 0; done < times; done += 1) {
    await atWork(store)
    await pause(200 * random())
    const role = ROLES[Math.floor(random() * 2)]!
    const child = children.get(role)!
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      await once(child, 'exit')
    }
    start(role)
  }
  writeFileSync(stop, '')
  const planner = children.get('planner')!
  if (planner.exitCode === null) await once(planner, 'exit')
  assert.equal(planner.exitCode, 0)
  await demandWhole(store, signal === 'SIGTERM')
  await checkLog(store)
}

/** Programs that only start, or that have nothing to do, would end unnoticed. */
async function atWork(store: Store): Promise<void> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const { items } = await store.handoffs({ state: ['in_progress', 'needs_input'] }, { limit: 1 })
    if (items.length > 0) return
    await pause(10)
  }
}

/** Nothing is lost, nothing is recorded twice, and no attempt is spent by a close. */
async function demandWhole(store: Store, wasClosed: boolean): Promise<void> {
  const found = new Map<string, string[]>()
  for await (const handoff of itemsOf((page) => store.handoffs({}, page), 100)) {
    const { title, uid, type, state, attempt } = handoff
    if (type === 'return') continue
    const content = await store.content(uid)
    const job = /job-\d+$/.exec(title)?.[0]
    if (type === 'sequential') assert.ok(job, title)
    found.set(title, [...(found.get(title) ?? []), String(content?.result?.output)])
    assert.equal(state, 'completed', `${title} is ${state}`)
    if (wasClosed) assert.equal(attempt, 1, `a close spent an attempt of ${title}`)
    const entries = await store.entries(handoff.root, 0, 1_000)
    const submits = entries.filter(({ subject, act }) => subject === uid && act === 'handoff.submit')
    assert.equal(submits.length, type === 'gate' ? 0 : 1, `${title} was handed in ${submits.length} times`)
    const questions = content?.thread.filter(({ kind }) => kind === 'question') ?? []
    assert.equal(questions.length, title.startsWith('api') ? 1 : 0, `questions of ${title}`)
  }
  const jobs = found.get('Draw')?.length ?? 0
  assert.ok(jobs >= 1)
  for (let n = 1; n <= jobs; n += 1) {
    for (const step of [...STEPS, 'gate']) assert.equal(found.get(`${step} of job-${n}`)?.length, 1)
    assert.deepEqual(found.get(`review of job-${n}`), [
      `review(page(api(plan(job-${n}), blue), icons(page)))`,
    ])
  }
  assert.equal(found.size, 1 + jobs * (STEPS.length + 1))
}
