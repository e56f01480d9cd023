import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import type { TestContext } from 'node:test'
import { rolldown } from 'rolldown'
import { type DefinedWork, openBaton } from '../../../src/client.ts'
import { folders } from '../documents/folders.ts'
import { ask } from '../program/command.ts'
import { startServer } from './servers.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const EXAMPLE = join(ROOT, 'examples/typescript/client.ts')

/** A server with a worker that answers `greeting`, and a token for each of these agents. */
export async function startGreeter(t: TestContext, names: readonly string[]) {
  const where = { cwd: folders(t).repository('shop') }
  const tokens = new Map<string, string>()
  for (const agent of [...names, 'greeter']) {
    await ask(where, 'agent', 'add', agent)
    const made = await ask<{ secret: string }>(where, 'token', 'create', '--agent', agent, '--scope', '*')
    tokens.set(agent, made.secret)
  }
  const { url } = await startServer(t, where)
  const baton = await openBaton(url, { token: tokens.get('greeter')! })
  t.after(() => baton.close())
  const { greeting } = (await import(EXAMPLE)) as { greeting: DefinedWork }
  await baton.work(greeting, ({ input }) => ({ text: `Hello, ${(input as { name: string }).name}` }))
  return { url, tokens }
}

/** What the example sees under this name. */
export const greetingOf = (name: string): readonly string[] => [
  `handoff.send ${name}`,
  'handoff.accept greeter',
  'handoff.submit greeter',
  'handoff.verify_pass baton',
  `Hello, ${name} (attempt 1)`,
]

/** The example as one module, with the client as it is published. */
export async function bundledExample(): Promise<string> {
  const build = await rolldown({
    input: EXAMPLE,
    platform: 'browser',
    resolve: { alias: { 'batonpass/client': join(ROOT, 'dist/client.js') } },
  })
  const { output } = await build.generate({ format: 'esm' })
  await build.close()
  assert.deepEqual([output.length, output[0].imports], [1, []])
  return output[0].code
}
