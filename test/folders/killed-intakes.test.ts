import assert from 'node:assert/strict'
import { linkSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { INTAKES, KilledIntake, pass, put } from '../faults/intakes.ts'
import { folders } from '../support/documents/folders.ts'

/** Spread over the pass; the long suite kills at every effect. */
const POINTS = [0.3, 0.45, 0.6, 0.75, 0.9]

describe('an intake whose process is killed', () => {
  it('leaves a file of the archive under two names, and the next pass clears that up', async (t) => {
    const root = folders(t).folder('project')
    const { known, change } = INTAKES['a file that goes to the archive']!
    await pass('markdown', root)
    put(root, known!.path, known!.text)
    await pass('markdown', root)
    const archive = `live/archived/${new Date().toISOString().slice(0, 7).replace('-', '/')}`
    const [draft, name] = ['.baton-0123456789abcdef.tmp', basename(known!.path)]
    put(root, `${archive}/${draft}`, 'half')
    linkSync(join(root, archive, draft), join(root, archive, name))
    change(root)

    await pass('markdown', root)

    assert.match(readFileSync(join(root, archive, name), 'utf8'), /^status: Rejected$/m)
    assert.ok(!readdirSync(join(root, archive)).includes(draft))
  })

  for (const name of Object.keys(INTAKES))
    it(`leaves the whole change or none of it, and nothing twice: ${name}`, async (t) => {
      const intake = new KilledIntake(name)
      t.after(() => intake.remove())
      await intake.prepare()
      const whole = await intake.endWhenKilled(Number.MAX_SAFE_INTEGER)
      assert.ok(whole.effects !== undefined && whole.effects > 20)

      for (const point of POINTS) {
        const at = Math.ceil(whole.effects * point)
        const { end, effects } = await intake.endWhenKilled(at)
        assert.equal(effects, undefined, `nobody was killed at ${at}`)
        assert.deepEqual(end, whole.end, `killed before effect ${at} of ${whole.effects}`)
      }
      // An author's file that has no name for a moment gets its name back, with every byte of it.
      if (name === 'a new file') assert.deepEqual(await intake.endWhenKilled('away'), { end: whole.end })
    })
})
