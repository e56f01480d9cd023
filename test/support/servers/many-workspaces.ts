import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { createClient } from '../../../src/client.ts'
import { createService, openStore, toStoreTarget } from '../../../src/compose/main.ts'
import { folders } from '../documents/folders.ts'
import { quick, trusted } from '../program/command.ts'
import { query } from '../store/store-places.ts'
import { newToken } from './http-workspace.ts'
import { startServer } from './servers.ts'

interface Size {
  readonly workspaces: number
  /** Addresses of PostgreSQL servers, over which the workspaces are spread. */
  readonly servers: () => Promise<readonly string[]>
}

const AT_ONCE = 16

/** Runs the work for each number below `count`, some of them at once. */
async function forEach(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

/** One `baton serve` in front of many workspaces, each on one of several PostgreSQL servers. */
export function describeWorkspaces({ workspaces: count, servers }: Size): void {
  describe(`one baton serve with ${count} workspaces`, () => {
    it('answers each under its own address, with its own tokens, work and signed log', async (t) => {
      const addresses = await servers()
      const addressOf = (n: number) => addresses[n % addresses.length]!
      const names = Array.from({ length: count }, (_, n) => `team-${process.pid}-${n}`)
      const place = folders(t)
      const where = { cwd: place.folder('work') }
      const lines = names.map((name, n) => `  ${name}: ${addressOf(n)}`)
      place.file('work/baton.yaml', `workspaces:\n${lines.join('\n')}\n`)
      place.folder('work', '.baton')
      trusted(where)
      const tokens: string[] = []
      await forEach(count, async (n) => {
        const store = await openStore(toStoreTarget(addressOf(n), names[n]))
        tokens[n] = await newToken(createService(store), 'planner')
        await store.close()
      })
      const server = await startServer(t, where, '--as', 'ops')
      const client = (n: number, token = tokens[n]!) =>
        createClient({ url: `${server.url}/w/${names[n]}`, token })

      await forEach(count, async (n) => {
        await client(n).handoff_send({ to: 'codex', title: `of ${names[n]}`, summary: 'The plan' })
        const other = tokens[(n + 1) % count]!
        await assert.rejects(client(n, other).handoff_list({}), { code: 'unauthenticated' })
      })
      // By now most of them were closed again.
      await forEach(count, async (n) => {
        const { items } = await client(n).handoff_list({})
        assert.deepEqual(
          items.map(({ title }) => title),
          [`of ${names[n]}`],
        )
      })
      for (const address of addresses) {
        const [row] = await query(address, 'SELECT count(*) AS open FROM pg_stat_activity')
        assert.ok(Number(row?.open) < 190, `${row?.open} connections`)
      }
      const env = { BATON_URL: `${server.url}/w/${names[0]}`, BATON_TOKEN: tokens[0]! }
      const told = await quick({ ...where, env }, 'handoff', 'list')
      assert.match(told.stdout, new RegExp(`of ${names[0]}`), told.stderr)

      server.child.kill('SIGTERM')
      await once(server.child, 'exit')
      await forEach(count, async (n) => {
        const store = await openStore(toStoreTarget(addressOf(n), names[n]))
        const { entries } = await (await createService(store).audit()).unsigned()
        await store.close()
        assert.equal(entries, 0, `${names[n]} has entries without a signature`)
      })
    })
  })
}
