// What does a tool call cost, against the same operation in process plus a bare call of the SDK that echoes as many
// bytes? And how soon does `baton mcp` answer initialize, against a server of the SDK with nothing in it? Both are
// bundled and have a warm compile cache; same Node, same run. And what does a hook cost, which an agent waits for at
// every stop, against starting Node with nothing to do? Built package: npm run build first.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { rolldown } from 'rolldown'
import { createService, openStore } from '../src/compose/main.ts'
import { loadOperation, type OperationName } from '../src/operations/index.ts'
import { invoke } from '../src/operations/operation.ts'
import { uuid7 } from '../src/service/uuid7.ts'
import { tableRow } from '../src/storage/rows.ts'
import type { DumpRow } from '../src/storage/store.ts'
import { type Finding, inFolder, interleaved } from './support/measure.ts'
import { seededHandoff } from './support/seeded.ts'

const ROUNDS = 15
const CALLS = 100
const ROOT = join(import.meta.dirname, '..')
const AGENT = 'receiver-0'
const CALL_BOUND = 1.5
const START_BOUND = 2
/** What the daily commands may take. Node starts in some 30 ms, so this is under the 100 ms that a hook has. */
const HOOK_BOUND = 3

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})

export async function mcp(): Promise<readonly Finding[]> {
  if (!existsSync(join(ROOT, 'dist/cli.cjs'))) throw new Error('build first: npm run build')
  return inFolder(async (folder) => {
    // As it is installed: without the sources, which a clone would compare with the build.
    const installed = join(folder, 'installed')
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, part), join(installed, part), { recursive: true })
    const echo = await bundledEcho(folder)
    const path = join(folder, 'baton.db')
    await seed(path)
    const baton = [join(installed, 'bin/baton.js'), 'mcp', '--agent', AGENT, '--store', path]
    return [
      ...(await calls(folder, baton, echo, path)),
      await starts(folder, baton, echo),
      ...(await hooks(join(folder, 'project'), join(installed, 'bin/baton.js'))),
    ]
  })
}

/** A session begins with work in the inbox, and may not stop while its agent holds some. */
async function hooks(folder: string, command: string): Promise<Finding[]> {
  const path = join(folder, '.baton', 'baton.db')
  await seed(path)
  const store = await openStore({ engine: 'sqlite', path })
  const service = createService(store)
  const work = { to: AGENT, title: 'Measured', summary: 'A piece of work' }
  const { handoff } = await service.sending.send(by('sender'), work)
  await service.receiving.accept(by(AGENT), handoff.id)
  await store.close()
  const hook = (event: string) => {
    const input = JSON.stringify({ session_id: uuid7(), hook_event_name: event, cwd: folder })
    return ran(folder, [command, 'hook', event, '--agent', AGENT, '--for', 'claude-code'], input)
  }
  const time = await interleaved(ROUNDS, {
    nothing: () => ran(folder, ['-e', '0']),
    start: () => hook('session-start'),
    stop: () => hook('stop'),
  })
  return (['start', 'stop'] as const).map((event) => ({
    question: `baton hook at the ${event} of a session, against node -e 0`,
    ratio: time[event] / time.nothing,
    detail: `${ms(time[event])} against ${ms(time.nothing)} (median of ${ROUNDS})`,
    bound: { sign: '<=', value: HOOK_BOUND },
  }))
}

const by = (name: string) => ({ actor: { name, kind: 'agent', auth: 'os-user' } }) as const

/** Milliseconds of a process; with an input it is a hook, and has to say something. */
function ran(cwd: string, args: readonly string[], input?: string): number {
  const started = performance.now()
  const options = { cwd, env: environment(cwd), encoding: 'utf8', input: input ?? '' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  if (status !== 0 || (input !== undefined && stdout === ''))
    throw new Error(`${args.join(' ')} ended with ${status} and said nothing: ${stderr}`)
  return performance.now() - started
}

async function calls(folder: string, baton: string[], echo: string, path: string): Promise<Finding[]> {
  const [ours, bare] = await Promise.all([connect(folder, baton), connect(folder, [echo])])
  const store = await openStore({ engine: 'sqlite', path })
  const service = createService(store)
  const actor = { name: AGENT, kind: 'agent', auth: 'os-user' } as const
  const findings: Finding[] = []
  const work = { to: 'somebody', title: 'Measured', summary: 'A piece of work' }
  for (const [name, input] of Object.entries({ handoff_inbox: {}, handoff_send: work })) {
    const op = await loadOperation(name as OperationName)
    const tool = () => ours.callTool({ name, arguments: input })
    const { structuredContent } = await tool()
    const time = await interleaved(ROUNDS, {
      tool: () => timed(tool),
      operation: () => timed(() => invoke(op, service, { actor }, input)),
      echo: () => timed(() => bare.callTool({ name: 'echo', arguments: Object(structuredContent) })),
    })
    findings.push({
      question: `MCP: ${name} as a tool, against the operation in process plus a bare echo`,
      ratio: time.tool / (time.operation + time.echo),
      detail: `${ms(time.tool)} against ${ms(time.operation)} + ${ms(time.echo)} (medians of ${ROUNDS} × ${CALLS})`,
      bound: { sign: '<=', value: CALL_BOUND },
    })
  }
  await Promise.all([ours.close(), bare.close(), store.close()])
  return findings
}

async function starts(folder: string, baton: string[], echo: string): Promise<Finding> {
  const time = await interleaved(ROUNDS, {
    ours: () => answered(folder, baton),
    bare: () => answered(folder, [echo]),
  })
  return {
    question: 'MCP: baton mcp answers initialize, against an empty server of the SDK',
    ratio: time.ours / time.bare,
    detail: `${ms(time.ours)} against ${ms(time.bare)} (median of ${ROUNDS})`,
    bound: { sign: '<=', value: START_BOUND },
  }
}

/** The echo server in one file, with the compile cache that the command has too. */
async function bundledEcho(folder: string): Promise<string> {
  const build = await rolldown({ input: join(import.meta.dirname, 'support/mcp-echo.ts'), platform: 'node' })
  await build.write({ file: join(folder, 'echo-server.mjs'), format: 'esm' })
  await build.close()
  const entry = join(folder, 'echo.mjs')
  writeFileSync(
    entry,
    "process.getBuiltinModule('node:module').enableCompileCache()\nawait import('./echo-server.mjs')\n",
  )
  return entry
}

async function seed(path: string): Promise<void> {
  const store = await openStore({ engine: 'sqlite', path })
  await store.restore(rows())
  await store.close()
}

async function* rows(): AsyncIterable<DumpRow> {
  const at = new Date().toISOString()
  for (let i = 0; i < 100; i++)
    yield { table: 'handoff', row: { ...tableRow('handoff')(seededHandoff(uuid7(), i + 1_000, at, 1)) } }
  yield { table: 'counter', row: { name: 'handoff', value: 1_000_000 } }
}

async function connect(folder: string, args: string[]): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env: environment(folder) }),
  )
  return client
}

/** Milliseconds of one call, of many that follow one another. */
async function timed(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  for (let i = 0; i < CALLS; i++) await call()
  return (performance.now() - started) / CALLS
}

/** Milliseconds from the start of a process to its answer to initialize. */
function answered(folder: string, args: readonly string[]): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, args, { cwd: folder, env: environment(folder) })
  child.stdin.write(`${INITIALIZE}\n`)
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.on('close', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`)))
    child.stdout.once('data', () => {
      resolve(performance.now() - started)
      child.kill()
    })
  })
}

const environment = (folder: string) => ({ PATH: process.env.PATH ?? '', HOME: folder })
const ms = (value: number): string => `${value.toFixed(2)} ms`
