import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { boardEntries, queue } from '../../src/dialects/queue/index.ts'
import { sourcesOf } from '../../src/dialects/text/sources.ts'
import { sharedFile, sharedFiles } from './files.ts'

describe('status boards of real projects', () => {
  it('give a draft for each agent', () => {
    const boards = sharedFiles('data/corpus').filter((name) => name.includes('agent-handoffs'))
    assert.ok(boards.length > 0)
    for (const name of boards) {
      const [source] = sourcesOf(sharedFile(name), { path: name })

      assert.equal(queue.formOf(source!), 'board')
      assert.deepEqual(
        boardEntries(source!).map(({ draft }) => draft.to?.replace(/-v\d$/, '')),
        ['planner', 'feature-developer', 'code-reviewer', 'test-runner'],
      )
    }
  })
})
