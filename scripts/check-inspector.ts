// Lets the MCP Inspector's command line drive whole stories through `baton mcp` and `baton serve`: npm run
// check:inspector [stdio|http …]. The Inspector is too large to keep among what every clone installs, so this fetches the
// version below with npm into a folder that is gone afterwards, and runs none of its install scripts.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Calls, judging, startServer, type ToolReply } from '../test/mcp/agents.ts'
import { type Connect, markdownHandoff, proofGradeChain } from '../test/mcp/stories.ts'
import { ask, BATON, cleanEnv, type Where } from '../test/support/program/command.ts'
import { aProject } from '../test/support/program/project.ts'

const VERSION = '2.12.0'
const NAME = '@modelcontextprotocol/inspector'
const TOOLS = 'default,proof'
const ERAS = ['legacy', 'modern'] as const
/** What it ends with when a tool has refused: the reply is there all the same. */
const REFUSED = 5

type Clean = { after(clean: () => void): void }
/** Where an agent's calls go, as the Inspector is told it. */
type Target = (name: string) => Promise<readonly string[]>

const WIRES: Readonly<Record<string, (t: Clean, where: Where) => Promise<Target>>> = {
  stdio: async (_, { env }) => {
    const given = Object.entries(env ?? {}).flatMap(([name, value]) => ['-e', `${name}=${value}`])
    return async (name) => [...given, '--', process.execPath, BATON, 'mcp', '--agent', name, '--tools', TOOLS]
  },
  http: async (t, where) => {
    const url = `${await startServer(t, where)}/mcp?tools=${TOOLS}`
    return async (name) => {
      const made = await ask(where, 'token', 'create', '--agent', name, '--scope', '*')
      return ['--transport', 'http', '--server-url', url, '--header', `Authorization: Bearer ${made.secret}`]
    }
  },
}

const wanted = process.argv.slice(2)
const unknown = wanted.find((name) => !Object.hasOwn(WIRES, name))
if (unknown !== undefined)
  throw new Error(`there is no wire ${unknown}; there are ${Object.keys(WIRES).join(', ')}`)

await cleaning(async (t) => {
  const inspector = await fetched(t)
  for (const [wire, connect] of Object.entries(WIRES))
    if (wanted.length === 0 || wanted.includes(wire))
      for (const era of ERAS) await checked(inspector, wire, connect, era)
})

async function checked(
  inspector: string,
  wire: string,
  connect: (typeof WIRES)[string],
  era: (typeof ERAS)[number],
): Promise<void> {
  const stories = {
    'the proof-grade chain of document 003, Stage 1 to 4': proofGradeChain,
    'a markdown handoff with verification': (_: unknown, by: Connect) => markdownHandoff(by),
  }
  for (const [title, story] of Object.entries(stories))
    await cleaning(async (t) => {
      const started = performance.now()
      const project = await aProject(t)
      const target = await connect(t, project.where)
      let calls = 0
      await story(project, async (name) => {
        const args = await target(name)
        return asked((...words) => {
          calls += 1
          return inspected(inspector, project.where, ['--protocol-era', era, ...words, ...args])
        })
      })
      const seconds = ((performance.now() - started) / 1_000).toFixed(0)
      console.log(`✓ Inspector ${VERSION} over ${wire}, ${era}: ${title} (${calls} calls, ${seconds} s)`)
    })
}

/** An agent each of whose calls is a run of the Inspector, and over stdio a process of the server too. */
function asked(inspect: (...words: readonly string[]) => Promise<unknown>): Calls {
  return {
    // What it calls an error of a schema ends it, and so this check.
    tools: async () =>
      Object(await inspect('--method', 'tools/list', '--strict')).tools.map(
        ({ name }: { name: string }) => name,
      ),
    ...judging(async (tool, input = {}) => {
      const given = JSON.stringify(input)
      const call = ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', given]
      return (await inspect(...call)) as ToolReply
    }),
    close: async () => undefined,
  }
}

async function inspected(inspector: string, where: Where, words: readonly string[]): Promise<unknown> {
  const args = [inspector, '--cli', '--quiet', '--format', 'json', ...words]
  const { code, stdout, stderr } = await ran(process.execPath, args, where.cwd, cleanEnv(where))
  assert.ok(code === 0 || code === REFUSED, `${words.join(' ')} ended with ${code}: ${stderr}`)
  const { result } = JSON.parse(stdout)
  assert.equal(result.isError === true, code === REFUSED)
  return result
}

/** The Inspector's program, fetched anew. */
async function fetched(t: Clean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-inspector-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  console.log(`Fetching ${NAME}@${VERSION} (110 MB on disk) …`)
  const { npm_execpath: npm } = process.env
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  const { code, stderr } = await ran(
    npm === undefined ? 'npm' : process.execPath,
    [...(npm === undefined ? [] : [npm]), ...args, `${NAME}@${VERSION}`],
    folder,
    process.env,
  )
  assert.equal(code, 0, `npm could not fetch ${NAME}@${VERSION}: ${stderr}`)
  const home = join(folder, 'node_modules', NAME)
  const { version, bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  assert.equal(version, VERSION)
  return join(home, bin['mcp-inspector'])
}

function ran(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}

/** Does the work, and then all that it said must be done after it, last things first. */
async function cleaning(work: (t: Clean) => Promise<void>): Promise<void> {
  const cleaners: (() => void)[] = []
  try {
    await work({ after: (clean) => cleaners.push(clean) })
  } finally {
    for (const clean of cleaners.reverse()) clean()
  }
}
