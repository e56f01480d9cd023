import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { CALLS } from './calls.ts'
import { goLive } from './live.ts'
import { TAMPERING } from './tampering.ts'
import { DOORS, GOALS, type Live, type Way } from './way.ts'
import { aWorld, type World } from './world.ts'

/** As many as issue and docs promise. */
const LEAST_WAYS = 60
const ALL = [...CALLS, ...TAMPERING]

/** It is refused in the words that it should be, or it is done and the doctor names it. */
async function judge(world: World, way: Way, live: Live): Promise<void> {
  const was = world.state()
  const said = String(await way.go(live))
  if (way.found) {
    const { code, stdout } = await world.doctor()
    const findings = stdout.split('\n').filter((line) => line.startsWith('✗'))
    assert.match(findings.join('\n'), way.found)
    assert.notEqual(code, 0)
    return
  }
  const { rows, acts, ran } = world.state()
  assert.match(said, way.refused!)
  assert.deepEqual(acts.slice(was.acts.length), way.adds ?? [])
  if (!way.adds?.includes('token.create')) assert.equal(rows, was.rows)
  assert.equal(ran, false)
}

/** What hooks of a suite make is taken away when the suite ends, the newest first. */
function cleaned(): TestContext {
  const steps: (() => unknown)[] = []
  after(async () => {
    for (const step of steps.reverse()) await step()
  })
  return { after: (step: () => unknown) => steps.push(step) } as unknown as TestContext
}

describe('an agent that goes through Baton', () => {
  const context = cleaned()
  let live: Live
  before(async () => {
    live = await goLive(context, await aWorld(context))
  })

  for (const way of CALLS)
    it(`cannot ${way.goal} by ${way.door}: it ${way.how} [${way.threat}]`, () => judge(live, way, live))
})

describe('an agent that goes past Baton', () => {
  const context = cleaned()
  let world: World
  before(async () => {
    world = await aWorld(context)
  })

  for (const way of TAMPERING)
    it(`does not ${way.goal} unseen by ${way.door}: it ${way.how} [${way.threat}]`, async (t) => {
      t.after(() => world.restore())
      assert.equal((await world.doctor()).code, 0)
      await judge(world, way, world as Live)
    })
})

describe('the ways of an agent', () => {
  it('are at least sixty, lead to every goal and go through every door', () => {
    assert.ok(ALL.length >= LEAST_WAYS, String(ALL.length))
    assert.deepEqual(new Set(ALL.map(({ goal }) => goal)), new Set(GOALS))
    assert.deepEqual(new Set(ALL.map(({ door }) => door)), new Set(DOORS))
    assert.equal(new Set(ALL.map(({ goal, door, how }) => `${goal} ${door} ${how}`)).size, ALL.length)
  })

  it('each end in a refusal or in a finding, never in both', () => {
    assert.deepEqual(
      ALL.filter(({ refused, found }) => (refused === undefined) === (found === undefined)),
      [],
    )
  })
})
