#!/usr/bin/env node
// Plain JavaScript that an old Node can read too: it looks at the version before anything newer is loaded.
// Asked for directly where that is known: an import looks up every export of a module, 10 ms at each start.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? import(name)
const fs = await builtin('node:fs')
const { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync } = fs
const { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = fs
const { basename, dirname, isAbsolute, join } = await builtin('node:path')
const { fileURLToPath, pathToFileURL } = await builtin('node:url')

/** Before the code: its sum. Half a file would be run as well, and end the process. */
const SUM_BYTES = 8
const SUM_STEP = 64
/** More than the commands of one build need, several times over. */
const MOST_KEPT = 400

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
    // The name holds a hash of the content, as all but the first one's do; the time tells of a file changed by hand.
    const name = `${basename(file)}-${Math.trunc(statSync(file).mtimeMs).toString(36)}`
    const isKeepable = folder !== undefined && file !== program
    const cachedData = isKeepable ? keptCode(join(folder, name)) : undefined
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
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, NODE_OPTIONS = '' } = process.env
  const place = NODE_COMPILE_CACHE || process.getBuiltinModule('node:os').tmpdir()
  // Where users have no numbers it cannot be seen whose a folder is, and a relative one may have come with a clone.
  if (NODE_DISABLE_COMPILE_CACHE || !process.getuid || !isAbsolute(place)) return undefined
  const own = join(place, `baton-code-${process.getuid()}`)
  const flags = [...process.execArgv, NODE_OPTIONS].join(' ').trim()
  const kind = `${process.version}-${process.arch}${flags && `-${sumOf(Buffer.from(flags), 1)}`}`
  try {
    if (!lstatSync(own, { throwIfNoEntry: false })) mkdirSync(own, { recursive: true, mode: 0o700 })
    return isOurs(own) ? join(own, kind) : undefined
  } catch {
    return undefined
  }
}

/** Nobody but its owner can put another in its place: folders for temporary files see to that. */
function isOurs(folder) {
  const stats = lstatSync(folder)
  return stats.isDirectory() && stats.uid === process.getuid() && (stats.mode & 0o022) === 0
}

/** The code in a file, if it is whole and ours: the folder may have been cleared away since we looked, and made by others. */
function keptCode(file) {
  let descriptor
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || stats.uid !== process.getuid()) return undefined
    const content = readFileSync(descriptor)
    const code = content.subarray(SUM_BYTES)
    return code.length > 0 && content.readUInt32LE(0) === sumOf(code, SUM_STEP) ? code : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Of one byte in so many: pages that did not reach the disk show, and nothing is waited for. */
function sumOf(bytes, step) {
  let sum = bytes.length
  for (let at = 0; at < bytes.length; at += step) sum = (Math.imul(sum, 31) + bytes[at]) | 0
  return sum >>> 0
}

/** Keeping is a favour: where it fails, the next run compiles again. */
function keepCode(folder, scripts) {
  try {
    if (!isOurs(dirname(folder))) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const before = readdirSync(folder)
    if (before.length > MOST_KEPT) for (const name of before) rmSync(join(folder, name), { force: true })
    for (const [name, script] of scripts) keepOne(join(folder, name), script.createCachedData())
  } catch {}
}

function keepOne(file, code) {
  const sum = Buffer.alloc(SUM_BYTES)
  sum.writeUInt32LE(sumOf(code, SUM_STEP))
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    // On the disk before it has its name, and never through a link that somebody has put there.
    writeFileSync(draft, Buffer.concat([sum, code]), { flag: 'wx', mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
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
