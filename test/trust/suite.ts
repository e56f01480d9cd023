import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Engine } from '../support/program/workspace.ts'
import { CALLS } from './calls.ts'
import { goLive } from './live.ts'
import { TAMPERING } from './tampering.ts'
import type { Live, Way } from './way.ts'
import { aWorld, type World } from './world.ts'

/** It is refused in the words that it should be, or it is done and the doctor names it. */
async function judge(world: World, way: Way, live: Live): Promise<void> {
  const was = await world.state()
  const said = String(await way.go(live))
  if (way.found) {
    const { code, stdout } = await world.doctor()
    const findings = stdout.split('\n').filter((line) => line.startsWith('✗'))
    assert.match(findings.join('\n'), way.found)
    assert.notEqual(code, 0)
    return
  }
  const { rows, acts, ran } = await world.state()
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

/** Goes these ways, each in a world on this engine. */
export function goWays(engine: Engine, isGone: (way: Way) => boolean = () => true): void {
  const ways = (all: readonly Way[]) => all.filter((way) => isGone(way) && (way.only ?? engine) === engine)
  const on = engine === 'sqlite' ? '' : `, on ${engine}`

  if (ways(CALLS).length > 0)
    describe(`an agent that goes through Baton${on}`, () => {
      const context = cleaned()
      let live: Live
      before(async () => {
        live = await goLive(context, await aWorld(context, engine))
      })

      for (const way of ways(CALLS))
        it(`cannot ${way.goal} by ${way.door}: it ${way.how} [${way.threat}]`, () => judge(live, way, live))
    })

  describe(`an agent that goes past Baton${on}`, () => {
    const context = cleaned()
    let world: World
    before(async () => {
      world = await aWorld(context, engine)
    })

    for (const way of ways(TAMPERING))
      it(`does not ${way.goal} unseen by ${way.door}: it ${way.how} [${way.threat}]`, async (t) => {
        t.after(() => world.restore())
        assert.equal((await world.doctor()).code, 0)
        await judge(world, way, world as Live)
      })
  })
}
