import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { overHttp, overStdio, type Protocol, startServer } from '../mcp/agents.ts'
import { type Connect, markdownHandoff, proofGradeChain, WRITEBACK_REQUIRED } from '../mcp/stories.ts'
import { ask, type Where } from '../support/program/command.ts'
import { EXAMPLE } from '../support/program/invoke.ts'
import { aProject } from '../support/program/project.ts'

const PROTOCOLS = ['v1', 'v2 of 2026'] as const

/** How agents come to the project: each wire with each client. */
const WIRES: readonly (readonly [name: string, (t: TestContext, where: Where) => Promise<Connect>])[] =
  PROTOCOLS.flatMap((protocol: Protocol) => [
    [
      `SDK ${protocol} over stdio`,
      async (t, where) => (name) =>
        overStdio(t, where, ['--agent', name, '--tools', 'default,proof'], protocol),
    ] as const,
    [
      `SDK ${protocol} over HTTP`,
      async (t, where) => {
        const url = `${await startServer(t, where)}/mcp?tools=default,proof`
        return async (name) => {
          const { secret } = await ask<{ secret: string }>(
            where,
            'token',
            'create',
            '--agent',
            name,
            '--scope',
            '*',
          )
          return overHttp(t, url, secret, protocol)
        }
      },
    ] as const,
  ])

for (const [wire, connect] of WIRES)
  describe(wire, () => {
    it('[S3-08][S3-31][S3-100] drives the whole proof-grade chain of document 003, from one agent to the next', async (t) => {
      const project = await aProject(t)

      await proofGradeChain(project, await connect(t, project.where))
    })

    it('[S0-25][S0-28][S0-80] hands markdown work over, takes it on, hands it in and verifies it', async (t) => {
      const { where } = await aProject(t)

      await markdownHandoff(await connect(t, where))
    })
  })

describe('a refused tool call', () => {
  it('[S3-30][S3-71] gets the exact sentence when a record is missing, and goes on with the same server', async (t) => {
    const { where } = await aProject(t)
    const claude = await overStdio(t, where, ['--agent', 'claude'])
    await claude.call('task_start', { id: 'P0.1.1' })

    const { isError, content, structuredContent } = await claude.reply('task_update', {
      task_id: 'P0.1.1',
      status: 'done',
      progress: 100,
    })

    assert.equal(isError, true)
    assert.deepEqual(content, [{ type: 'text', text: WRITEBACK_REQUIRED }])
    assert.equal(Object(structuredContent?.error).code, 'unmet')
    await claude.call('thought_record', EXAMPLE)
    assert.equal((await claude.call('task_update', { task_id: 'P0.1.1', status: 'done' })).status, 'done')
  })
})
