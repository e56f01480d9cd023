import assert from 'node:assert/strict'
import { it } from 'node:test'
import { walkOfSend } from '../scripts/walk.ts'

/** Lower these when the walk becomes shorter. */
const MOST_LOADED = 150
const MOST_RUN = 80

it(`baton send loads at most ${MOST_LOADED} source files and runs functions in at most ${MOST_RUN}`, () => {
  const { loaded, ran } = walkOfSend()

  assert.ok(ran.includes('service/handoffs/sender.ts'), 'a send runs the service')
  assert.ok(loaded.length <= MOST_LOADED, `${loaded.length} files loaded:\n${loaded.join('\n')}`)
  assert.ok(ran.length <= MOST_RUN, `functions run in ${ran.length} files:\n${ran.join('\n')}`)
})
