import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { packageFolder } from '../../src/folders/package/kind.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import { folders } from '../support/documents/folders.ts'
import { openWorkspace } from '../support/program/workspace.ts'

const SESSION = '.project/07-audit/sessions/S1/handoffs'
/** More than share a transaction. */
const FILES = 70

const packageOf = (i: number, more = ''): string => `handoff:
  from: {agent: sender${i}, step: 3}
  to: {agent: receiver${i}, reason: "Need security validation before finalization"}
${more}  expectations:
    deliverable: "Risk report on proposed architecture ${i}"
    success_criteria: ["No unaddressed critical risks"]
  context:
    summary: "API architecture ${i} defined, needs security review"
`

describe('files that were there before Baton', () => {
  it('are taken in together, each by itself and after those that it speaks of', async (t) => {
    const root = folders(t).folder('project')
    const { service, store } = await openWorkspace(t, { home: 'package' })
    const live = { kind: packageFolder, path: '.', accept: [] }
    const options = { root, dir: join(root, '.baton'), folders: [live], service, host: 'test' }
    for (const folder of [options.dir, join(root, SESSION)]) mkdirSync(folder, { recursive: true })
    const long = Date.now() / 1_000 - 1_000
    const write = (name: string, text: string, at: number): void => {
      writeFileSync(join(root, SESSION, name), text)
      utimesSync(join(root, SESSION, name), long + at, long + at)
    }
    for (let i = 0; i < FILES; i++) write(`WORK-${i}.yaml`, packageOf(i), i)
    write('WORK-1-R.yaml', packageOf(200, '  type: return\n  in_reply_to: WORK-1\n'), 1.5)
    write('BROKEN.yaml', 'handoff: [', 3.5)

    const happened = await syncFolders(options)

    const { items } = await store.handoffs({}, { limit: 200 })
    const ids = items.map(({ id }) => id)
    assert.equal(new Set(ids).size, items.length)
    for (let i = 0; i < FILES; i++) assert.ok(ids.includes(`WORK-${i}`), `WORK-${i}`)
    const [asked, answer] = [await store.handoff('WORK-1'), await store.handoff('WORK-1-R')]
    assert.equal(answer?.in_reply_to, asked?.uid)
    const left = happened.filter(({ what }) => what === 'left').map(({ path }) => path.split('/').at(-1))
    assert.deepEqual(left.toSorted(), ['BROKEN.yaml'])
    const again = await syncFolders(options)
    assert.deepEqual(
      again.filter(({ what }) => what !== 'left'),
      [],
    )
  })
})
