import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { guideCommands, shellWords } from '../support/documents/guide-commands.ts'
import { quick, type Where } from '../support/program/command.ts'
import { get } from '../support/servers/http-workspace.ts'
import { startBalancer, startServer } from '../support/servers/servers.ts'
import { newDatabase, query } from '../support/store/store-places.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const PAGE = readFileSync(resolve(DOCS, 'how-to/operate.md'), 'utf8')

describe('the page for operators', () => {
  // postgres.md has the same statements.
  for (const name of ['operate', 'postgres'])
    it(`makes the roles and the database with the statements of ${name}.md`, async (t) => {
      const page = readFileSync(resolve(DOCS, `how-to/${name}.md`), 'utf8')
      const [, sql = ''] = /```sql\n(CREATE ROLE[\s\S]*?)```/.exec(page) ?? []
      const url = await newDatabase()
      const own = `of_${name}_${new URL(url).pathname.slice(1)}`
      // Roles are those of the whole server, so they have to go again.
      t.after(async () => {
        for (const left of [`DATABASE ${own}`, `ROLE ${own}_owner`, `ROLE ${own}_app`])
          await query(url, `DROP ${left}`)
      })

      for (const statement of sql.split(';').filter((text) => text.trim() !== ''))
        await query(url, statement.replaceAll(/\bbaton(?=\b|_)/g, own))

      const roles = `SELECT rolname, rolcanlogin, rolsuper FROM pg_roles WHERE rolname LIKE '${own}%' ORDER BY rolname`
      assert.deepEqual(await query(url, roles), [
        { rolname: `${own}_app`, rolcanlogin: true, rolsuper: false },
        { rolname: `${own}_owner`, rolcanlogin: true, rolsuper: false },
      ])
    })

  it('leads from nothing to two servers behind a balancer, a backup and a restore', async (t) => {
    const place = folders(t)
    const balancer = await startBalancer(t)
    const [store, restored] = [await newDatabase(), await newDatabase()]
    const commands = guideCommands(PAGE).map((line) =>
      shellWords(
        line
          .replace(/ \|.*/, '')
          .replace('postgres://baton_owner@db.example.com/baton', store)
          .replace('postgres://baton_owner@db.example.com/restored', restored)
          .replace('baton.example.com', balancer.host)
          .replace('/var/backups', place.folder('backups')),
      ).slice(1),
    )
    const [, settings = ''] = /```yaml\n# \/etc\/baton\/baton.yaml\n([\s\S]*?)```/.exec(PAGE) ?? []
    const hosts: Where[] = ['a', 'b'].map((name) => {
      place.file(`${name}/etc/baton.yaml`, settings)
      mkdirSync(place.path(`${name}/home`))
      return {
        cwd: place.path(`${name}/etc`),
        env: { BATON_HOME: place.path(`${name}/home`), BATON_STORE: store },
      }
    })
    const owner: Where = { cwd: place.folder('owner') }
    const trusting: string[] = []
    const servers: Awaited<ReturnType<typeof startServer>>[] = []
    let token = ''

    for (const words of commands) {
      const name = words.slice(0, 2).join(' ')
      if (words[0] === 'serve') {
        const rest = words.slice(1).filter((word, i, all) => word !== '--port' && all[i - 1] !== '--port')
        for (const host of hosts) {
          const env = { ...host.env, BATON_TRUST: trusting.join(' ') }
          servers.push(await startServer(t, { ...host, env }, ...rest))
        }
        balancer.ports.push(...servers.map(({ port }) => port))
        continue
      }
      const isOwners = words.includes(store) || words.includes(restored) || name === 'store grants'
      const where = isOwners
        ? owner
        : { ...hosts[0]!, env: { ...hosts[0]!.env, BATON_TRUST: trusting.join(' ') } }
      const { code, stdout, stderr } = await quick(where, ...words)
      if (name === 'store info') trusting.push(/baton\.local\/[\w-]+/.exec(stdout)![0])
      else if (name === 'trust --check') trusting.push(JSON.parse(stdout).hash)
      if (name === 'token create') token = /baton_\S+/.exec(stdout)![0]
      // Not trusted yet is what the check is there to tell.
      if (name !== 'trust --check') assert.equal(code, 0, `${words.join(' ')}\n${stdout}${stderr}`)
    }

    const metrics = async () => (await fetch(`${balancer.url}/metrics`, get(token))).text()
    assert.match(await metrics(), /^baton_pool_size\{pool="reads"\} 4$/m)
    servers[0]!.child.kill('SIGKILL')
    await once(servers[0]!.child, 'exit')
    const answers = [await metrics(), await metrics()]
    assert.equal(answers.filter((text) => text.includes('baton_log_entries')).length, 1)
    assert.equal(servers.length, 2)
    assert.deepEqual(
      commands.map((words) => words[0]).filter((word, i, all) => all.indexOf(word) === i),
      ['store', 'trust', 'serve', 'agent', 'token', 'doctor'],
    )
  })
})
