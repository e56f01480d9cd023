// How far one command walks: the source files that it loads, and those in which a function runs.
// node scripts/walk.ts [--list]
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = dirname(import.meta.dirname)
const CLI = join(ROOT, 'src', 'transports', 'cli', 'cli.ts')
const SEND = ['send', '--to', 'codex', '--title', 'X']

export interface Walk {
  /** Paths below `src/`, sorted. */
  readonly loaded: readonly string[]
  /** Those of them in which a named function ran. */
  readonly ran: readonly string[]
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/** The first send of a new user in a fresh repository, run from the sources under V8's coverage. */
export function walkOfSend(): Walk {
  const home = mkdtempSync(join(tmpdir(), 'baton-walk-'))
  try {
    const repository = join(home, 'repository')
    const coverage = join(home, 'coverage')
    mkdirSync(repository)
    execFileSync('git', ['init', '-q'], { cwd: repository })
    execFileSync(process.execPath, [CLI, ...SEND], {
      cwd: repository,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        USER: 'walker',
        NODE_V8_COVERAGE: coverage,
        // Functions from a cache of compiled code would be counted differently.
        NODE_DISABLE_COMPILE_CACHE: '1',
      },
      stdio: 'pipe',
    })
    return walkIn(coverage)
  } finally {
    rmSync(home, { recursive: true })
  }
}

function walkIn(folder: string): Walk {
  const sources = pathToFileURL(join(ROOT, 'src') + sep).href
  const loaded = new Set<string>()
  const ran = new Set<string>()
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage
    for (const { url, functions } of result) {
      if (!url.startsWith(sources)) continue
      const file = relative(join(ROOT, 'src'), fileURLToPath(url))
      loaded.add(file)
      // Anonymous functions at the top level run while the file is loaded; those inside a named one count with it.
      const inner = functions.filter(({ functionName }) => functionName !== '')
      if (inner.some(({ ranges }) => ranges[0]!.count > 0)) ran.add(file)
    }
  }
  return { loaded: [...loaded].sort(), ran: [...ran].sort() }
}

if (process.argv[1] === import.meta.filename) {
  const { loaded, ran } = walkOfSend()
  console.log(`baton ${SEND.join(' ')}: ${loaded.length} source files loaded, functions run in ${ran.length}`)
  if (process.argv.includes('--list'))
    for (const file of loaded) console.log(`${ran.includes(file) ? 'ran   ' : 'loaded'} ${file}`)
}
