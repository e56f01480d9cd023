import assert from 'node:assert/strict'
import { it } from 'node:test'
import { loadOperations } from '../../src/operations/index.ts'
import { createHttpApp } from '../../src/transports/http/server/app.ts'
import { by, describeOnEngines, type Workspace } from '../support/program/workspace.ts'
import { get, newToken } from '../support/servers/http-workspace.ts'

const MANY = 23

interface Page {
  readonly items: readonly { readonly uid: string; readonly id: string }[]
  readonly next?: string
}

describeOnEngines('lists over HTTP', (open) => {
  it('come in pages that hold every item once, whatever is asked for', async (t) => {
    const workspace = await open(t)
    const { service } = workspace
    const ask = await asking(workspace)
    const { handoff: first } = await service.sending.send(by('ana'), { to: 'codex', title: 'first' })
    const made: string[] = [first.id]
    for (let n = 0; n < MANY; n += 1) {
      const { handoff } = await service.sending.send(by('codex'), {
        to: 'worker',
        title: `below ${n}`,
        parent: first.id,
      })
      made.push(handoff.id)
      await service.tasks.create(by('ana'), { id: `P0.${n}`, title: `task ${n}` })
    }
    const below = made.slice(1)

    for (const [path, expected] of [
      ['/v1/handoffs?', made],
      [`/v1/handoffs?parent=${first.uid}&`, below],
      ['/v1/handoffs?from=codex&state=offered&state=draft&', below],
      ['/v1/handoffs?text=below&', below],
      ['/v1/inbox?', below],
      ['/v1/tasks?', Array.from({ length: MANY }, (_, n) => `P0.${n}`)],
    ] as const) {
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const page = await ask<Page>(`${path}limit=5${cursor}`)
        assert.ok(page.items.length <= 5)
        seen.push(...page.items.map(({ id }) => id))
        if (page.next === undefined) break
        cursor = `&cursor=${encodeURIComponent(page.next)}`
      }
      assert.deepEqual(seen.toSorted(), [...expected].toSorted(), path)
    }
    assert.deepEqual((await ask<Page>('/v1/handoffs?run=no-such-run')).items, [])
  })

  it('refuse a page that is too large, too small or begins nowhere', async (t) => {
    const ask = await asking(await open(t))

    for (const query of ['limit=0', 'limit=201', 'limit=x', `cursor=${'x'.repeat(201)}`])
      for (const path of ['/v1/handoffs', '/v1/inbox', '/v1/tasks', '/v1/audit/log', '/v1/workflows'])
        assert.equal((await ask<{ code: string }>(`${path}?${query}`)).code, 'invalid_input')
    assert.equal((await ask<{ code: string }>('/v1/inbox?cursor=nowhere')).code, 'invalid_input')
  })
})

/** Asks the app over this workspace as worker, for JSON. */
async function asking({ service }: Workspace): Promise<<T>(path: string) => Promise<T>> {
  const operations = await loadOperations()
  const hosts = new Set(['localhost'])
  const app = createHttpApp({ service, operations, hosts, log: () => undefined })
  const token = await newToken(service, 'worker')
  return async <T>(path: string) => {
    const asked = new Request(`http://localhost${path}`, get(token, { host: 'localhost' }))
    const answer = await app.fetch(asked)
    return (await answer.json()) as T
  }
}
