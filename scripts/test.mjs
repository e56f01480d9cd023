// The gate, cheapest step first: node scripts/test.mjs [steps | test files | long parts …]. Without arguments, all of it.
import { spawn, spawnSync } from 'node:child_process'
// Whole modules, because an old Node that lacks some of their names must get as far as starting the pinned one.
import * as fs from 'node:fs'
import { availableParallelism } from 'node:os'
import * as path from 'node:path'
import { run } from 'node:test'
import { fileURLToPath } from 'node:url'
import { enterOwnEnvironment } from './test-environment.mjs'
import { Progress } from './test-progress.mjs'
import { report, summary } from './test-report.mjs'

const CHECKS = {
  lint: ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  types: ['typescript/bin/tsc', '--noEmit'],
  'web types': ['typescript/bin/tsc', '--noEmit', '-p', 'web'],
}
/**
 * A test file belongs to the first suite that matches it. Files that no other suite claims are unit tests.
 * They run in the order of these patterns, those that take long first: at its end a suite waits for the last one.
 */
const SUITES = {
  unit: ['src/dialects/*laws*', 'test/trust/ways*', 'test/{matrix,model,workflows}/**'],
  stores: ['src/storage/*/*-{store,15}.test.ts', 'src/storage/**'],
  folders: ['test/folders/{queue,stress}*', 'test/folders/**', 'test/git-hooks/**', 'test/migrate/**'],
  agents: ['test/mcp/**', 'test/hooks/**', 'test/setup/**'],
  'end to end': ['test/pages/**', 'test/e2e/{store,cli-processes}*', 'test/journeys/**', 'test/e2e/**'],
  browser: ['test/browser/{pages,using,looking,other}*', 'test/browser/**'],
  package: ['test/package/package*', 'test/package/**'],
  long: ['test/long/**'],
}
const ALIASES = { e2e: 'end to end' }
/** Suites that run what the build made. */
const ON_BUILD = ['end to end', 'browser', 'package', 'long']
/** A test file that hangs must end the run, not the patience of whoever waits for it. */
const FILE_TIMEOUT_MS = 600_000
const LONG_TIMEOUT_MS = 3_600_000

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
// Node hands the options that it was started with on to every test file.
const own = ['NODE_OPTIONS', 'NODE_USE_ENV_PROXY'].filter((name) => process.env[name])
for (const name of own) delete process.env[name]
if (own.length > 0 || Number(process.versions.node.split('.')[0]) < 24) rerunOnPinnedNode()

const rows = []
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stopping.abort())
const steps = plan(process.argv.slice(2))
const leaveEnvironment = enterOwnEnvironment(root)
const database = await import('../test/support/program/setup.ts')
let databaseIsUp = false

for (const step of steps) {
  const started = performance.now()
  const progress = new Progress(step.name, step.files)
  const result = await step.run(progress).catch((error) => ({ failed: 1, told: error.message }))
  progress.end(result)
  if (result.told) console.error(result.told)
  rows.push({ name: step.name, seconds: (performance.now() - started) / 1000, ...result })
  if (result.failed > 0 || stopping.signal.aborted) break
}
await database.globalTeardown()
leaveEnvironment()
console.log(summary(rows))
process.exit(stopping.signal.aborted || rows.some((row) => row.failed > 0) ? 1 : 0)

function plan(wanted) {
  const names = wanted.map((name) => ALIASES[name] ?? name)
  const files = fs.globSync('{src,test,scripts,bench}/**/*.test.ts').sort()
  const build = { name: 'build', run: () => spawnQuietly(process.execPath, ['scripts/build.mjs']) }
  const [first, ...parts] = names
  if (first === 'long' && parts.length > 0) {
    const chosen = parts.flatMap((part) => files.filter((file) => file.startsWith(`test/long/${part}`)))
    if (chosen.length > 0) return [build, suite('long', chosen)]
  }
  const unknown = names.filter((name) => !(name in CHECKS || name in SUITES || name === 'build'))
  if (unknown.length > 0) {
    const chosen = unknown.flatMap((pattern) => fs.globSync(pattern))
    if (chosen.length > 0 && names.length === unknown.length) return [suite('chosen files', chosen)]
    console.error(
      `No step and no file is called ${unknown.join(' ')}. Steps: ${Object.keys(SUITES).join(', ')}.`,
    )
    process.exit(2)
  }
  const everything = names.length === 0
  const isWanted = (name) => (everything ? name !== 'long' : names.includes(name))
  return [
    ...Object.keys(CHECKS).map((name) => ({ name, run: () => program(CHECKS[name]) })),
    build,
    ...Object.keys(SUITES).map((name) =>
      suite(
        name,
        files.filter((file) => suiteOf(file) === name).sort((a, b) => rankOf(a, name) - rankOf(b, name)),
      ),
    ),
  ].filter(
    ({ name }) => isWanted(name) || (name === 'build' && names.some((each) => ON_BUILD.includes(each))),
  )
}

function suiteOf(file) {
  const claimed = Object.entries(SUITES).find(([, globs]) =>
    globs.some((glob) => path.matchesGlob(file, glob)),
  )
  return claimed?.[0] ?? 'unit'
}

function rankOf(file, name) {
  const rank = SUITES[name].findIndex((glob) => path.matchesGlob(file, glob))
  return rank === -1 ? SUITES[name].length : rank
}

function suite(name, files) {
  return {
    name,
    files: files.length,
    async run(progress) {
      if (files.length === 0) return { files: 0, passed: 0, failed: 0, skipped: 0 }
      if (!databaseIsUp) await database.globalSetup()
      databaseIsUp = true
      const limitMs = files.some((file) => suiteOf(file) === 'long') ? LONG_TIMEOUT_MS : FILE_TIMEOUT_MS
      const events = run({
        files: files.map((file) => path.join(root, file)),
        // Two more than there are processors: many tests wait for other processes.
        concurrency: availableParallelism() + 2,
        timeout: limitMs,
        signal: stopping.signal,
      })
      // The timeout above is one of tests: a file whose tests have ended may still hang.
      const watch = setInterval(() => {
        if (progress.longestMs > 1.5 * limitMs) stopping.abort(new Error('a test file does not end'))
      }, 10_000)
      const counts = await report(events, progress)
      clearInterval(watch)
      return { files: files.length, ...counts }
    },
  }
}

function program([script, ...args]) {
  return spawnQuietly(process.execPath, [path.join('node_modules', script), ...args])
}

/** Shows what the program said only when it failed. */
function spawnQuietly(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: stopping.signal })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => {
      done(code === 0 ? { failed: 0 } : { failed: 1, told: output.trim() })
    })
  })
}

function rerunOnPinnedNode() {
  const pinned = path.join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const again = spawnSync(pinned, process.argv.slice(1), { stdio: 'inherit' })
  if (again.error) console.error('The tests run on the Node that npm ci installs here: run npm test.')
  process.exit(again.status ?? 1)
}
