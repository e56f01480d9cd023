#!/usr/bin/env node
// Plain JavaScript that an old Node can read too: it looks at the version before anything newer is loaded.
// Asked for directly where that is known: an import looks up every export of a module, 10 ms at each start.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? import(name)
const { existsSync, readdirSync, readFileSync, statSync } = await builtin('node:fs')
const { dirname, join } = await builtin('node:path')
const { fileURLToPath, pathToFileURL } = await builtin('node:url')

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const wanted = process.argv.slice(2)
const [major, minor] = process.versions.node.split('.').map(Number)

// Where the launcher below was killed, nobody could end a server any more that it started.
if (process.channel && process.env.BATON_LAUNCHER === String(process.ppid)) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}
delete process.env.BATON_LAUNCHER

if (wanted.length === 1 && ['--version', '-v', '-V', 'version'].includes(wanted[0])) {
  console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
} else if (wanted[0] === 'hook' && wanted.includes('--user') && !isNearWorkspace()) {
  // Hooks of all projects run in every folder: most have no workspace, and loading the command takes twice as long.
} else if (major > 22 || (major === 22 && minor >= 18)) {
  if (major === 22) hideSqliteWarning()
  if (isBuilt()) await runBuilt()
  else await runSources()
} else {
  await runOnPinnedNode()
}

/** Whether there can be a workspace here; the command itself looks closer. */
function isNearWorkspace() {
  const { env } = process
  if (['BATON_WORKSPACE', 'BATON_URL', 'BATON_STORE'].some((name) => env[name])) return true
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    // The home's own folder holds keys; it is a workspace too only with a store.
    const mark = [env.BATON_HOME, env.HOME].includes(folder) ? '.baton/baton.db' : '.baton'
    if ([mark, 'baton.yaml'].some((name) => existsSync(join(folder, name)))) return true
    // The file of a linked worktree leads to the main one, where the workspace may be.
    const git = statSync(join(folder, '.git'), { throwIfNoEntry: false })
    if (git !== undefined) return git.isFile()
    if (folder === dirname(folder)) return false
  }
}

/** An installed package has no sources. In a clone the build answers while nothing changed since. */
function isBuilt() {
  const sources = join(root, 'src')
  if (!existsSync(sources)) return true
  // The build dates this file to its own start, so an edit made during a build counts as newer.
  const stamp = statSync(join(root, 'dist', '.built'), { throwIfNoEntry: false })
  const bundled = [sources, join(root, 'examples', 'demo')].filter((folder) => existsSync(folder))
  return stamp !== undefined && !bundled.some((folder) => changedSince(stamp.mtimeMs, folder))
}

async function runBuilt() {
  const { createRequire } = await builtin('node:module')
  createRequire(import.meta.url)('./code-cache.cjs').run(join(root, 'dist', 'cli.cjs'))
}

async function runSources() {
  const { enableCompileCache } = await builtin('node:module')
  enableCompileCache()
  await import(pathToFileURL(join(root, 'src', 'transports', 'cli', 'cli.ts')).href)
}

function changedSince(timeMs, sources) {
  const isNewer = (path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > timeMs
  // A folder's own time tells of files that were added or removed.
  return (
    isNewer(join(root, 'package-lock.json')) ||
    isNewer(sources) ||
    readdirSync(sources, { recursive: true }).some(
      (name) => !name.endsWith('.test.ts') && isNewer(join(sources, name)),
    )
  )
}

function hideSqliteWarning() {
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) {
      emitWarning.call(process, warning, ...rest)
    }
  }
}

async function runOnPinnedNode() {
  const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(pinned)) {
    console.error(
      `baton needs Node 22.18 or newer and this is ${process.version}: install Node 24 (nodejs.org) and try again.`,
    )
    // Coding agents take some exit codes of a hook for an order; a Node that is too old must not give one.
    process.exit(wanted[0] === 'hook' && wanted[1] !== 'pre-commit' ? 0 : 1)
  }
  const { spawn } = await builtin('node:child_process')
  const run = spawn(pinned, [fileURLToPath(import.meta.url), ...wanted], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, BATON_LAUNCHER: String(process.pid) },
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const pass = (signal) => run.kill(signal)
  for (const signal of signals) process.on(signal, pass)
  run.on('close', (code, signal) => {
    for (const name of signals) process.off(name, pass)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}
