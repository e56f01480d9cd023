import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { queue } from '../../src/dialects/queue/index.ts'
import { sourcesOf } from '../../src/dialects/text/sources.ts'
import { sharedFile, sharedFiles } from './files.ts'

describe('status boards of real projects', () => {
  it('are counted agent by agent', () => {
    const boards = sharedFiles('data/corpus').filter((name) => name.includes('agent-handoffs'))
    assert.ok(boards.length > 0)
    for (const name of boards) {
      const [source] = sourcesOf(sharedFile(name), { path: name })

      assert.equal(queue.formOf(source!), 'board')
      const { diagnostics } = queue.interpret(source!, 'board')
      assert.match(diagnostics[0]?.message ?? '', /a status board of 4 agents/)
    }
  })
})
