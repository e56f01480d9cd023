import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { openWorkspace } from '../support/program/workspace.ts'
import { newToken } from '../support/servers/http-workspace.ts'
import { servers } from '../support/servers/listeners.ts'

const CLIENT = resolve(import.meta.dirname, '../../dist/client.js')
const MOST_BYTES = 40 * 1024

it('batonpass/client is one file without modules of Node, under 40 KB gzipped', async () => {
  const build = await rolldown({ input: CLIENT, platform: 'browser' })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()

  assert.equal(output.length, 1)
  assert.deepEqual([output[0].imports, output[0].dynamicImports], [[], []])
  assert.doesNotMatch(readFileSync(CLIENT, 'utf8'), /['"]node:|\brequire\(|\bBuffer\b/)
  const { length } = gzipSync(output[0].code)
  assert.ok(length < MOST_BYTES, `${length} bytes`)
})

it('batonpass/client sends, works, waits and listens at a server', async (t) => {
  const { defineWork, openBaton }: typeof import('../../src/client.ts') = await import(CLIENT)
  const { url, service } = await servers(t, openWorkspace)
  const token = await Promise.all(['planner', 'worker'].map((name) => newToken(service, name)))
  const text = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) =>
        typeof value === 'string' ? { value } : { issues: [{ message: 'is not a string' }] },
    },
  } as const
  const upper = defineWork({ to: 'worker', input: text, output: text })
  await using baton = await openBaton(url, { token })
  await baton.work(upper, async ({ input }) => input.toUpperCase())
  const planner = baton.as('planner')

  const sent = await planner.send(upper, 'listen')
  for await (const { state } of baton.events({ handoff: sent.id, since: '0' }))
    if (state === 'completed') break

  assert.equal(await planner.request(upper, 'card'), 'CARD')
  assert.equal((await sent.wait()).output, 'LISTEN')
  await assert.rejects(planner.request(upper, 1 as never), { code: 'invalid_input' })
  await assert.rejects(
    baton.work('worker', { input: { type: 'string' } }, async () => ({})),
    /batonpass\/client takes schemas of zod/,
  )
})
