#!/usr/bin/env node
// Plain JavaScript that an old Node can read too: it looks at the version before anything newer is loaded.
// Asked for directly where that is known: an import looks up every export of a module, 10 ms at each start.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? import(name)
const { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } =
  await builtin('node:fs')
const { basename, dirname, join } = await builtin('node:path')
const { fileURLToPath, pathToFileURL } = await builtin('node:url')

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const wanted = process.argv.slice(2)
const [major, minor] = process.versions.node.split('.').map(Number)

if (wanted.length === 1 && (wanted[0] === '--version' || wanted[0] === '-v')) {
  console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
} else if (major > 22 || (major === 22 && minor >= 18)) {
  if (major === 22) hideSqliteWarning()
  if (isBuilt()) runBuilt(join(root, 'dist', 'cli.cjs'))
  else await runSources()
} else {
  await runOnPinnedNode()
}

/** An installed package has no sources. In a clone the build answers while nothing changed since. */
function isBuilt() {
  const sources = join(root, 'src')
  if (!existsSync(sources)) return true
  // The build dates this file to its own start, so an edit made during a build counts as newer.
  const stamp = statSync(join(root, 'dist', '.built'), { throwIfNoEntry: false })
  return stamp !== undefined && !changedSince(stamp.mtimeMs, sources)
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

/**
 * Runs the build with the code that V8 compiled in earlier runs. Node's own cache is filled while a file is loaded,
 * before any function in it has run; this one is taken at the end and spares a third of a command's time.
 */
function runBuilt(program) {
  const { Script } = process.getBuiltinModule('node:vm')
  const folder = codeFolder()
  const modules = new Map()
  const scripts = new Map()
  let isAllKept = true
  const load = (file) => {
    const known = modules.get(file)
    if (known) return known.exports
    const made = { exports: {} }
    modules.set(file, made)
    const name = basename(file)
    // Code is kept by the file's name, so the name must hold a hash of the content, as all but the first one's do.
    const isKeepable = folder !== undefined && file !== program
    const cachedData = isKeepable ? contentOf(join(folder, name)) : undefined
    const source = `(function (require, module, exports, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`
    const script = new Script(source, { filename: file, cachedData })
    if (isKeepable) scripts.set(name, script)
    if (isKeepable && (cachedData === undefined || script.cachedDataRejected)) isAllKept = false
    const here = dirname(file)
    const find = (id) => (id.startsWith('.') ? load(join(here, id)) : builtinNamed(id))
    script.runInThisContext()(find, made, made.exports, file, here)
    return made.exports
  }
  process.once('exit', () => isAllKept || keepCode(folder, scripts))
  load(program)
}

/** Everything else is in the build. What a library tries to load and can do without is missed in the usual way. */
function builtinNamed(id) {
  const found = process.getBuiltinModule(id)
  if (found === undefined) throw Object.assign(new Error(`there is no ${id}`), { code: 'MODULE_NOT_FOUND' })
  return found
}

/** Where compiled code is kept, if it may be: in a folder of ours alone, since it is run as it stands. */
function codeFolder() {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
  if (NODE_DISABLE_COMPILE_CACHE) return undefined
  const user = process.getuid?.() ?? 'own'
  const own = join(NODE_COMPILE_CACHE || process.getBuiltinModule('node:os').tmpdir(), `baton-code-${user}`)
  try {
    const { uid, mode } = lstatSync(own, { throwIfNoEntry: false }) ?? { uid: user, mode: 0 }
    if (user !== 'own' && (uid !== user || (mode & 0o022) !== 0)) return undefined
  } catch {
    return undefined
  }
  return join(own, `${process.version}-${process.arch}`)
}

/** Keeping is a favour: where it fails, the next run compiles again. */
function keepCode(folder, scripts) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const [name, script] of scripts) {
      const draft = join(folder, `${name}.${process.pid}`)
      // On the disk before it has its name: half of it would be run as well.
      writeFileSync(draft, script.createCachedData(), { flush: true })
      renameSync(draft, join(folder, name))
    }
  } catch {}
}

function contentOf(file) {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
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
    process.exit(1)
  }
  const { spawn } = await builtin('node:child_process')
  const run = spawn(pinned, [fileURLToPath(import.meta.url), ...wanted], { stdio: 'inherit' })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const pass = (signal) => run.kill(signal)
  for (const signal of signals) process.on(signal, pass)
  run.on('close', (code, signal) => {
    for (const name of signals) process.off(name, pass)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}
