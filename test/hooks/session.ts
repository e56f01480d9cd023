import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { type AgentTargetName, hooksOf } from '../../src/setup/targets.ts'
import { type Answer, BATON, cleanEnv, type Where } from '../support/program/command.ts'

interface Reply {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: { readonly notice?: string }
}

/** A session of an agent: a process that starts the server, the hooks and the commands, as real programs do. */
export function session(t: TestContext, where: Where, client = 'claude-code') {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'program.mjs'), BATON], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const told = async (message: object) => {
    child.stdin.write(`${JSON.stringify({ agent: 'claude', client, ...message })}\n`)
    return JSON.parse((await lines.next()).value ?? '')
  }
  const baton = (command: string, input?: object): Promise<Answer> =>
    told({
      shell: `"${process.execPath}" "${BATON}" ${command}`,
      ...(input && { input: JSON.stringify(input) }),
    })
  return {
    baton,
    shell: (command: string, input = '{}'): Promise<Answer> => told({ shell: command, input }),
    tool: (tool: string, args: object = {}): Promise<Reply> => told({ tool, args }),
    hook: async (event: string, input: object = {}): Promise<string> => {
      const heard = await baton(`hook ${event} --agent claude --for claude-code`, input)
      assert.equal(heard.code, 0, heard.stderr)
      if (heard.stdout === '') return ''
      const { reason, hookSpecificOutput } = JSON.parse(heard.stdout)
      return reason ?? hookSpecificOutput.additionalContext
    },
    async crash() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** The line that setup writes for an event. */
export function hookLine(name: AgentTargetName, event: string): string {
  const options = { agent: 'claude', proof: false, root: '', tools: [] }
  const { entry } = hooksOf(name, options).find((each) => each.event === event)!
  const grouped = entry as { hooks?: readonly { command: string }[]; bash?: string }
  return grouped.hooks?.[0]?.command ?? grouped.bash ?? ''
}

/** Puts a `baton` on the path that notes in a file when it is started. */
export function notedBaton(bin: string): { readonly path: string; readonly started: string } {
  mkdirSync(bin)
  const started = join(bin, 'started')
  writeFileSync(
    join(bin, 'baton'),
    `#!/bin/sh\necho "$2" >> "${started}"\nexec "${process.execPath}" "${BATON}" "$@"\n`,
    { mode: 0o755 },
  )
  return { path: `${bin}:${process.env.PATH}`, started }
}
