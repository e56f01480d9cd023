import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Home } from '../../src/domain/home.ts'
import type { Engine } from '../support/program/workspace.ts'
import { DRIVERS } from './drivers.ts'
import { WORK } from './situations.ts'
import { CALLS, type Cell, type Rule, SURFACES, type Surface } from './table.ts'
import { actsOf, type Ending, openWorld, rowsOf, type World } from './world.ts'

/** The acts that a refusal itself leaves in the log. */
const TRACE: Readonly<Partial<Record<Surface, readonly string[]>>> = {
  'file: markdown': ['file.refused'],
  'file: queue': ['file.refused'],
  'file: package': ['file.refused'],
  collect: ['block.record'],
}
/** The acts by which a state from elsewhere comes in. */
const ADOPTION = ['handoff.imported', 'artifact.put', 'task.create', 'task.update', 'block.record']

const isFile = (surface: Surface): boolean => surface.startsWith('file: ')
/** A block moves the work of its own format alone. */
const homeOn = (surface: Surface, { home = 'native' }: Rule): Home =>
  isFile(surface) ? (surface.slice('file: '.length) as Home) : surface === 'collect' ? 'block' : home

/** The command line repeats the caller in the commands that it names, and adds the words to type. */
const plain = (said: string, { asked: { as } }: Rule): string => said.replaceAll(` --as ${as}`, '')
/** The line or the field that a sentence is about. */
const PLACE = /^(?:line \d+|[\w.]+): /

/** Breaks each rule through each surface that can say it. Rules run beside each other: most of the time is the disk's. */
export function describeRules(rules: readonly Rule[], engine: Engine): void {
  describe(`on ${engine}`, { concurrency: 4 }, () => {
    for (const rule of rules) describeRule(rule, engine)
  })
}

function describeRule(rule: Rule, engine: Engine): void {
  describe(`${rule.kind}: ${rule.rule}`, { concurrency: false }, () => {
    const ends: (() => unknown)[] = []
    after(async () => {
      for (const end of ends.reverse()) await end()
    })
    let shared: Promise<World> | undefined
    /** The same situation on every surface. The four that take the call share it: nothing changes it. */
    const situation = (t: Ending, surface: Surface): Promise<World> => {
      if (!(surface in CALLS) || rule.isOnce) return prepared(t, surface)
      shared ??= prepared({ after: (end) => void ends.push(end) }, surface)
      return shared
    }
    const prepared = async (t: Ending, surface: Surface): Promise<World> => {
      const { settings, prepare } = rule
      const isLive = isFile(surface)
      const world = await openWorld(t, {
        engine,
        home: homeOn(surface, rule),
        isLive,
        ...(settings && { settings }),
      })
      await prepare?.(world)
      await world.sync()
      return world
    }
    for (const surface of SURFACES) {
      const cell = rule.cells[surface]
      if (cell.is === 'refused')
        it(`is refused by ${surface}, and nothing is left behind`, async (t) => {
          const world = await situation(t, surface)
          const go = await DRIVERS[surface](t, world, rule, cell)
          await demandRefusal(world, go, surface, rule, cell)
          if (!rule.isOnce) return
          const again = await DRIVERS[surface](t, world, rule, cell)
          assert.equal(await again(), undefined, 'it was refused twice')
          assert.match((await world.service.looking.get(WORK)).handoff.state, /^(?:in_review|completed)$/)
        })
      else if (cell.is !== 'cannot')
        it(`${cell.is} by ${surface}: ${cell.why}`, async (t) => {
          const world = await situation(t, surface)
          const go = await DRIVERS[surface](t, world, rule, cell)
          await demandTaken(world, go, rule, cell)
        })
    }
  })
}

type Go = Awaited<ReturnType<(typeof DRIVERS)[Surface]>>

async function demandRefusal(
  world: World,
  go: Go,
  surface: Surface,
  rule: Rule,
  cell: Cell & { is: 'refused' },
): Promise<void> {
  const { code = rule.code, sentence = rule.sentence } = cell
  const [rows, acts] = [await rowsOf(world), await actsOf(world)]

  const said = await go()

  assert.ok(said, 'nobody refused it')
  const heard = plain(said.sentence, rule)
  const isLonger = surface === 'command line' && heard.startsWith(`${sentence}; `)
  if (heard.replace(PLACE, '') !== sentence && !isLonger) assert.equal(heard, sentence)
  // A move that no step fits has no code, and a step that follows from a block has none.
  if (said.code !== undefined || !(cell.why || surface === 'collect')) assert.equal(said.code, code)
  const trace = cell.trace ?? TRACE[surface] ?? []
  const since = (await actsOf(world)).slice(acts.length)
  if (rule.isOnce) return assert.deepEqual(since.toSorted(), [...trace, 'handoff.edit_seen'].toSorted())
  assert.deepEqual(await rowsOf(world), rows)
  assert.deepEqual(since, trace)
}

async function demandTaken(
  world: World,
  go: Go,
  rule: Rule,
  cell: Cell & { is: 'adopts' | 'answers' | 'open' },
): Promise<void> {
  const [{ handoffs, agents }, acts] = [await rowsOf(world), await actsOf(world)]

  const said = await go()

  if (cell.is === 'adopts') assert.equal(said?.sentence, undefined)
  if (cell.is === 'answers' && said) assert.equal(said.sentence, rule.sentence)
  if (cell.is === 'adopts') {
    const since = (await actsOf(world)).slice(acts.length)
    assert.deepEqual(
      since.filter((act) => !ADOPTION.includes(act)),
      [],
    )
    const now = await rowsOf(world)
    assert.deepEqual(now.agents, agents)
    for (const before of handoffs)
      assert.ok(
        now.handoffs.some((each) => isSame(each, before)),
        `${before.id} has changed`,
      )
  }
  await cell.holds(world, rule.sentence)
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
