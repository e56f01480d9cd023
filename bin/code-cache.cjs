// Runs the files of the build and keeps the code that V8 compiled for them: docs/decisions/0017-compiled-code.md.
// It imports nothing of the build, because it is what loads the build.
'use strict'

const fs = require('node:fs')
const { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync } = fs
const { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = fs
const { basename, dirname, isAbsolute, join } = require('node:path')

/** Before the code: its sum. Half a file would be run as well, and end the process. */
const SUM_BYTES = 8
const SUM_STEP = 256
/** More than the commands of one build need, several times over. */
const MOST_KEPT = 400

/**
 * Runs the build with the code that V8 compiled in earlier runs. Node's own cache is filled while a file is loaded,
 * before any function in it has run; this one is taken at the end and spares a third of a command's time.
 */
function run(program) {
  const { Script } = require('node:vm')
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
  const place = NODE_COMPILE_CACHE || require('node:os').tmpdir()
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

module.exports = { run }
