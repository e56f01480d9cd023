import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { describeKilling, EVERY_CUT, EVIDENCE, send } from '../mcp/killing.ts'
import { agentAt, describePassing, newPlace } from '../mcp/passing.ts'
import { quick } from '../support/program/command.ts'

describePassing(100)
describeKilling('sqlite', EVERY_CUT)
// The others are in the long suite: what a process held is held by the store, and that is the same code.
describeKilling('postgres', [3, 5])

describe('an agent process', () => {
  it('does not take the work of another process of the same agent, on either engine', async (t) => {
    for (const engine of ['sqlite', 'postgres'] as const) {
      const place = await newPlace(t, engine)
      const [sender, first, second] = await Promise.all(
        ['ana', 'ben', 'ben'].map((name) => agentAt(t, place, name)),
      )
      const id = await send(sender!, 'ben')
      await first!.call('handoff_accept', { id })

      const refusals = [
        await second!.refused('handoff_submit', { id, evidence: EVIDENCE }),
        await second!.refused('handoff_fail', { id, message: 'Not mine' }),
        await second!.refused('handoff_reject', { id, reason: 'Not mine' }),
        await second!.refused('handoff_ask', { id, question: 'Mine?' }),
      ]

      for (const { code, text } of refusals) {
        assert.equal(code, 'not_allowed')
        assert.match(text, /held by another session of ben/)
      }
      const { handoff } = await first!.call<{ handoff: { state: string } }>('handoff_submit', {
        id,
        evidence: EVIDENCE,
      })
      assert.equal(handoff.state, 'in_review')
    }
  })

  it('hears what somebody did to its work from another machine, in a database that both use', async (t) => {
    const here = await newPlace(t, 'postgres')
    const elsewhere = { ...(await newPlace(t, 'sqlite')), store: here.store }
    mkdirSync(join(here.where.cwd, '.baton'))
    const hook = (event: string) =>
      quick({ ...here.where, input: '{}' }, 'hook', event, '--agent', 'ben', '--store', here.store)
    const started = await hook('session-start')
    const [ana, ben] = await Promise.all([agentAt(t, elsewhere, 'ana'), agentAt(t, here, 'ben')])
    const id = await send(ana, 'ben')
    await ben.call('handoff_accept', { id })
    await ben.call('handoff_ask', { id, question: 'For whom?' })
    await ana.call('handoff_answer', { id, text: 'For each user' })
    const file = join(here.where.cwd, '.baton/news/ben')
    for (let tries = 0; tries < 500 && !existsSync(file); tries++) await setTimeout(20)
    const { stdout } = await hook('news')

    assert.equal(started.code, 0, started.stderr)
    assert.match(stdout, new RegExp(`- ${id}: ana answered`))
    assert.ok(!existsSync(join(elsewhere.where.cwd, '.baton')))
  })
})
