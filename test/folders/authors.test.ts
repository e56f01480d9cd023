import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { aPackageFolder, archived } from './package.ts'
import { aQueueFolder } from './queue.ts'

describe('who a file says wrote it', () => {
  it('[S1-119] is known by one name however it is spelled, and no name keeps other files from being taken in', async (t) => {
    const folder = await aQueueFolder(t)
    const from = (agent_id: string) => ({ source: { agent_id, phase: 11, agent_type: 'orchestrator' } })
    const requests = [
      folder.request('hoff-1', from('@Frontend')),
      folder.request('hoff-2', from('@Two Words')),
      folder.request('hoff-3', from('Ünal')),
      folder.request('hoff-4', from('x'.repeat(80))),
      folder.request('hoff-5'),
    ]
    for (const request of requests) folder.put('pending', String(request.handoff_id), request)

    const happened = await folder.sync()

    const became = (what: string) =>
      happened.filter((each) => each.what === what).map(({ path }) => path.slice(-11, -5))
    assert.deepEqual(became('created'), ['hoff-1', 'hoff-5'])
    assert.deepEqual(became('refused'), ['hoff-2', 'hoff-3', 'hoff-4'])
    assert.equal((await folder.show('hoff-1')).from, 'frontend')
    const { x_baton: _, ...kept } = folder.file('pending', 'hoff-1')
    assert.deepEqual(kept, requests[0])
    assert.ok(folder.has('handoffs/pending/hoff-2.json.problem'))
  })

  it('[S4-17] is known by one name in a package too', async (t) => {
    const folder = await aPackageFolder(t)
    const text = `handoff:
  id: HO-001
  timestamp: ${new Date().toISOString()}
  from:
    agent: Builder
  to:
    agent: tester
    reason: Next in the workflow
  context:
    summary: The parser is written and has to be tested with real files
`
    folder.write(archived('HO-001', 'sprint-7'), text)

    await folder.sync()

    assert.match(folder.read(archived('HO-001', 'sprint-7')), /agent: Builder\n(?:.*\n)*\s+x_baton:/)
  })
})
