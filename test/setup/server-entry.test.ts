import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { BATON, cleanEnv, quick, type Where } from '../support/program/command.ts'
import { textOf } from './files.ts'

/** Starts the server as the entry says and asks it for the names of its tools. */
async function toolsOf(where: Where, args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [BATON, ...args], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
  })
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1' }
  say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  })
  try {
    for await (const line of createInterface(child.stdout)) {
      const { id, result } = JSON.parse(line)
      if (id === 1) {
        say({ method: 'notifications/initialized' })
        say({ id: 2, method: 'tools/list', params: {} })
      }
      if (id === 2) return result.tools.map(({ name }: { name: string }) => name)
    }
    return []
  } finally {
    child.stdin.end()
    child.kill()
  }
}

describe('J5, the entry of the server that setup writes', () => {
  it('starts a server with the tools of the inbox, and with --proof with those of document 003 too', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await quick(where, 'setup', 'claude-code', '--yes')
    const plain = await toolsOf(where, JSON.parse(textOf(where.cwd, '.mcp.json')).mcpServers.baton.args)
    const guide = textOf(where.cwd, 'CLAUDE.md')
    await quick(where, 'setup', 'claude-code', '--proof', '--yes')
    const proof = await toolsOf(where, JSON.parse(textOf(where.cwd, '.mcp.json')).mcpServers.baton.args)

    assert.ok(plain.includes('handoff_inbox'))
    assert.equal(plain.includes('merkle_finalize'), false)
    assert.deepEqual(
      [
        'task_update',
        'thought_record',
        'audit_session_start',
        'audit_verify_chain',
        'merkle_finalize',
        'merkle_root',
      ].filter((name) => !proof.includes(name)),
      [],
    )
    assert.deepEqual(
      proof.filter(
        (name) => !plain.includes(name) && !textOf(where.cwd, 'CLAUDE.md').includes(`\`${name}\``),
      ),
      [],
    )
    assert.equal(guide.includes('merkle_'), false)
  })

  it('offers every tool that the hooks and the section tell an agent to call', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await quick(where, 'setup', 'claude-code', '--yes')
    const tools = await toolsOf(where, JSON.parse(textOf(where.cwd, '.mcp.json')).mcpServers.baton.args)
    const named = [...textOf(where.cwd, 'CLAUDE.md').matchAll(/`((?:handoff|task|thought)_\w+)`/g)].map(
      ([, name]) => name!,
    )

    assert.ok(named.length >= 8)
    assert.deepEqual(
      named.filter((name) => !tools.includes(name)),
      [],
    )
  })
})
