import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient } from '../../src/client.ts'
import { ask, quick } from '../support/program/command.ts'
import { runnersIn, until } from '../support/program/runners.ts'
import { startServer } from '../support/servers/servers.ts'
import { newDatabase } from '../support/store/store-places.ts'

const KEY = 'AKIA2E0A8F3B244C9986'
const LISTED = 'a-value-of-the-person'
const SCRIPT = `
  console.log('first line ${KEY} ' + process.env.LISTED)
  process.stdout.write('half a line')
  while (!existsSync(home + '/go')) await sleep(50)
  console.log(', the rest')
  for (let i = 0; i < 4000; i++) console.log('line ' + i + ' of many, and each of them is fairly long')
  while (!existsSync(home + '/end')) await sleep(50)
  console.log('last line')`

describe('the output of a program that baton run runs', { concurrency: 2 }, () => {
  for (const engine of ['SQLite', 'PostgreSQL through a server'])
    it(`is shown while it grows, masked and bounded, outside the log: ${engine}`, async (t) => {
      const isRemote = engine !== 'SQLite'
      const env: Readonly<Record<string, string>> = isRemote ? { BATON_STORE: await newDatabase() } : {}
      const coder = { env: ['LISTED'], script: SCRIPT }
      const office = runnersIn(t, isRemote ? {} : { coder }, { env: { ...env, LISTED } })
      const { url } = await startServer(t, office.where)
      const token = async (scope: string) =>
        (await ask<{ secret: string }>(office.where, 'token', 'create', '--agent', 'coder', '--scope', scope))
          .secret
      const remote = { BATON_URL: url, BATON_TOKEN: await token('*'), LISTED }
      const machine = isRemote ? runnersIn(t, { coder }, { env: remote }) : office
      const { id } = await office.send('coder')
      const withScope = async (scope: string) => createClient({ url, token: await token(scope) })
      const reader = await withScope('*')
      const look = async () => (await reader.handoff_running({ id })).items[0]
      const ran = machine.once()
      await until(async () => (await look())?.log !== undefined && (await look())?.log !== '')

      const begun = await look()
      assert.equal(begun?.log, 'first line [an AWS access key] [LISTED]\n')
      assert.deepEqual([begun?.id, begun?.to], [id, 'coder'])
      const all = await reader.handoff_running({})
      assert.deepEqual(
        all.items.map((item) => [item.id, item.log]),
        [[id, undefined]],
      )
      const shown = await quick(office.where, 'handoff', 'running', id)
      assert.match(shown.stdout, new RegExp(`^${id}\\tcoder\\t.*\\nfirst line `))
      const [few, none] = [await withScope('handoff:read'), await withScope('task:read')]
      assert.equal((await few.handoff_running({ id })).items[0]?.log, undefined)
      await assert.rejects(none.handoff_running({ id }), { code: 'not_found' })
      // Of the same agent, and not of the instance that has the work.
      await assert.rejects(reader.handoff_heartbeat({ id, log: 'mine' }), { code: 'not_allowed' })

      machine.place.file('go', '')
      await until(async () => (await look())?.log?.includes('line 3999') ?? false)
      const log = (await look())?.log ?? ''
      assert.deepEqual([log.length <= 65_536, log.includes('first line')], [true, false])
      machine.place.file('end', '')
      assert.equal((await ran).code, 0)

      assert.equal(await look(), undefined)
      assert.equal((await quick(office.where, 'handoff', 'running')).code, 0)
      const { files } = await reader.handoff_get({ id })
      const kept = files?.find(({ path }) => path.includes('run-1'))
      const { content } = await reader.artifact_get({ uid: kept?.uid ?? '' })
      const text = Buffer.from(content ?? '', 'base64').toString()
      assert.match(text, /^first line \[an AWS access key\] \[LISTED\]\nhalf a line, the rest\n/)
      assert.match(text, /last line\n$/)
      assert.equal((await quick(office.where, 'audit', 'verify')).code, 0)
    })
})
