// Bundles the program into dist/, one graph with one copy of every module, and writes its declarations.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { rolldown } from 'rolldown'
import { buildVerifiers, singleFile } from './build-verifiers.mjs'
import { buildWeb } from './build-web.mjs'
import { licenceTexts } from './licences.mjs'
import { describeDeclarations } from './types/api.ts'
import { writePublicTypes } from './types/public-types.ts'

const COMMAND = { cli: 'src/transports/cli/cli.ts' }
const LIBRARY = {
  index: 'src/index.ts',
  queue: 'src/queue.ts',
  documents: 'src/documents.ts',
  testing: 'src/test-kit.ts',
}
/**
 * What a daily command needs is one file: every file more is a millisecond at each start. The rest (PostgreSQL,
 * HTTP, YAML, JSON Schema, rarer commands) stays apart and is loaded when it is asked for.
 */
const DAILY = [
  /node_modules[\\/]zod[\\/]/,
  /src[\\/](domain|audit|crypto|operations|storage[\\/]sqlite)[\\/](?!agent-signatures|audit|block|checkpoint|copy|document|envelope|levels|merkle|note\.|read-thread|report|search|tiles|tlog|workflow(?![\\/]run))/,
  /src[\\/]storage[\\/](?!archive|flow|leftovers|moved|search|slow-reads)[^\\/]+\.ts/,
  /src[\\/]service[\\/](?!agents[\\/]enrolment|apart|audit|blocks|documents[\\/](?!live-home|file-refusal)|events|flow|handoffs[\\/](acceptance|acknowledgment|command)|people[\\/]deliveries|wait|redaction|schema|tasks[\\/](brief|escalation|unchained)|workflows[\\/](?!follow|in-run))/,
  /src[\\/]transports[\\/]cli[\\/](?!commands|cli\.ts|help|pages|session[\\/](live|remote)|views[\\/](audit|blocks|flow|migration|workflow|writeback))/,
  /src[\\/](config[\\/](config|file|policy|guarded-settings)|git[\\/]checkout|workspace[\\/](home-files|identity|workspace|find)|setup[\\/]replace-file|compose[\\/](main|open))\.ts/,
]

/** Modules of Node that cost milliseconds. */
const LATE = ['node:crypto', 'node:fs/promises', 'node:readline/promises', 'node:child_process', 'node:tty']

/** The way to a module of Node; a package that is tried and done without is missed in the usual way. */
const BUILTIN = `(id) => {
	const found = process.getBuiltinModule(id);
	if (found) return found;
	throw Object.assign(new Error(\`Cannot find module '\${id}'\`), { code: 'MODULE_NOT_FOUND' });
}`

/** A module that starts threads from itself. */
const OWN_PLACE = 'new URL(import.meta.url)'

/** Packages that others try to load and do without. */
const OPTIONAL = ['pg-native']

/** A thread starts from a text: its own file would not be found in a bundle of the user. */
const threads = {
  name: 'threads',
  transform: async (code, id) =>
    code.includes(OWN_PLACE)
      ? code.replace(
          OWN_PLACE,
          JSON.stringify(await singleFile(id, 'node', 'cjs', true)).replaceAll('$', '$$$$'),
        )
      : null,
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
process.chdir(root)
const started = new Date()
// Built aside and then swapped in, so that a failed build leaves the last good one.
const next = `dist.${process.pid}`

const missing = Object.values({ ...COMMAND, ...LIBRARY }).filter((file) => !existsSync(file))
if (missing.length > 0) stop(`The build needs ${missing.join(' and ')}, not there yet.`)

try {
  const [command, library, pages] = await Promise.all([
    commandBundle(),
    libraryBundle(),
    dashboard(),
    declarations(),
    clientBundle(),
    buildVerifiers(next),
  ])
  const chunks = [...command, ...library]
  const modules = [...chunks, ...pages].flatMap((chunk) => chunk.moduleIds)
  writeFileSync('THIRD-PARTY-LICENSES.txt', licenceTexts(modules))
  swap()
  const kilobytes = Math.round(chunks.reduce((sum, chunk) => sum + chunk.code.length, 0) / 1024)
  console.log(`Built ${chunks.length} files, ${kilobytes} KB, in ${Date.now() - started.getTime()} ms.`)
} catch (error) {
  stop(`The build failed. ${error instanceof Error ? error.message : error}`)
}

/** The command: CommonJS, since of such files alone Node can keep the code of every function that ran (bin/code-cache.cjs). */
function commandBundle() {
  return bundle(COMMAND, [{ name: 'builtins', renderChunk: (code) => inAscii(withLateBuiltins(code)) }], {
    format: 'cjs',
    strict: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    codeSplitting: { groups: [{ name: 'daily', test: (id) => DAILY.some((part) => part.test(id)) }] },
  })
}

/** The library: ES modules that share their chunks. A user's own bundler may put them anywhere, in either format. */
async function libraryBundle() {
  const chunks = await bundle(LIBRARY, [threads, { name: 'builtins', renderChunk: withoutRequire }], {
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'core', test: (id) => DAILY.some((part) => part.test(id)) }] },
  })
  const bound = chunks.filter(({ code }) => code.includes('import.meta')).map(({ fileName }) => fileName)
  if (bound.length > 0)
    throw new Error(`a bundle would not find what ${bound.join(', ')} finds by its own place`)
  return chunks
}

async function bundle(input, plugins, output) {
  const warnings = []
  const build = await rolldown({
    input,
    platform: 'node',
    external: OPTIONAL,
    treeshake: true,
    plugins,
    // Rolldown stops with an error in a user's bundle to CommonJS where a constant of one file is used in another.
    optimization: { inlineConst: { mode: 'all', pass: 2 } },
    onLog: (level, log) => {
      // What is loaded late in source and stands in one file with its users in the build is meant so.
      if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') return
      // Said on a busy machine, where everything takes long.
      if (log.code === 'PLUGIN_TIMINGS') return
      if (level === 'warn' && !log.id?.includes('node_modules')) warnings.push(log.message)
      // An import that is not found would otherwise be left in the bundle and fail at the user's.
      else if (log.code === 'UNRESOLVED_IMPORT') warnings.push(log.message)
    },
  })
  const written = await build.write({ dir: next, ...output, minify: false, sourcemap: false })
  await build.close()
  if (warnings.length > 0) throw new Error(warnings.join('\n'))
  return written.output.filter((part) => part.type === 'chunk')
}

/** The client alone, as one file for browsers and workers too: no engine and no module of Node. */
async function clientBundle() {
  const build = await rolldown({ input: { client: 'src/client.ts' }, platform: 'neutral', treeshake: true })
  const { output } = await build.write({ dir: next, format: 'esm', entryFileNames: '[name].js' })
  await build.close()
  const [{ code, imports, dynamicImports }] = output
  const others = [...imports, ...dynamicImports]
  if (output.length > 1 || others.length > 0 || /\brequire\(/.test(code))
    throw new Error(`The client is not one file of its own: ${others.join(', ')}`)
}

async function dashboard() {
  const chunks = await buildWeb()
  cpSync(join('web', 'dist'), join(next, 'web'), { recursive: true })
  return chunks
}

/** Modules of Node that cost milliseconds are loaded by the first use of something in them. */
function withLateBuiltins(code) {
  return code.replace(/^let (node_\w+) = require\("(node:[\w/]+)"\);$/gm, (statement, name, id) => {
    const used = new Set(
      Array.from(code.matchAll(new RegExp(`\\b${name}\\b(?:\\.(\\w+))?`, 'g')), (use) => use[1]),
    )
    // Its own name in the statement is the one use without a member; a whole module that is handed on is another.
    const isWhole = code.split(new RegExp(`\\b${name}\\b(?!\\.)`)).length > 2
    if (!LATE.includes(id) || isWhole) return statement
    used.delete(undefined)
    const members = [...used].map(
      (member) => `get ${member}() { return (${name} = require("${id}")).${member}; }`,
    )
    return `let ${name} = { ${members.join(', ')} };`
  })
}

/** Packages inside the library ask for modules of Node alone. `createRequire` needs a place, which a bundle may not have. */
function withoutRequire(code) {
  return code
    .replace(/^import \{ createRequire \} from "node:module";$/m, '')
    .replace('createRequire(import.meta.url)', BUILTIN)
}

/** A text of bytes alone is read, kept and compiled in half the memory. */
function inAscii(code) {
  if (/\\[\u0080-\uffff]/.test(code)) throw new Error('a sign outside ASCII stands behind a backslash')
  return code.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function declarations() {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  const run = spawn(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', next])
  let output = ''
  run.stdout.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((done, failed) => {
    run.on('close', (code) => (code === 0 ? done(typesFrom(next)) : failed(new Error(`Types:\n${output}`))))
  })
}

async function typesFrom(folder) {
  await writePublicTypes(folder)
  describeDeclarations(folder)
}

function swap() {
  mkdirSync(next, { recursive: true })
  writeFileSync(join(next, '.built'), '')
  utimesSync(join(next, '.built'), started, started)
  const old = `${next}.old`
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(next, 'dist')
  rmSync(old, { recursive: true, force: true })
}

function stop(reason) {
  rmSync(next, { recursive: true, force: true })
  console.error(process.stderr.isTTY ? reason : stripVTControlCharacters(reason))
  process.exit(1)
}
