import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { HOMES } from '../src/domain/home.ts'
import { ENTRIES, LAYERS, OUTSIDE } from './support/layers.ts'

const IMPURE =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\brandomUUID\b|\bperformance\.now\b|\bprocess\.(?:env|cwd|argv|hrtime)\b/
/** Rooms in which a format may be asked for by name. Elsewhere `HOME_RULES` answers. */
const HOME_ROOMS = /^(?:dialects|folders)\/|^domain\/home\.ts$/
const FORMAT = `['"](?:${HOMES.join('|')})['"]`
const ASKS_HOME = new RegExp(
  `\\bhome\\s*[!=]==?\\s*${FORMAT}|${FORMAT}\\s*[!=]==?\\s*[\\w.?]*\\bhome\\b|switch \\([\\w.?]*\\bhome\\)|${FORMAT}\\]\\.includes\\([\\w.?]*\\bhome\\)`,
)
const ENGINES = ['sqlite', 'postgres']

interface Import {
  readonly from: string
  readonly specifier: string
  /** The file meant, when it is one of ours. */
  readonly to?: string
  readonly typeOnly: boolean
  /** Loaded when it is called for, not with the file. */
  readonly lazy: boolean
}

const SRC = resolve(import.meta.dirname, '../src')
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/\.(test|contract)\.ts$/.test(file))
const imports = files.flatMap(importsOf)

describe('layers', () => {
  it('lets imports between folders point inwards only', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (to === undefined || to.startsWith('../') || layerOf(from) === layerOf(to)) return false
      return !LAYERS[layerOf(from)]?.imports.includes(layerOf(to))
    })

    assert.deepEqual(wrong.map(told), [])
  })

  it('keeps foreign modules out of the pure layers', () => {
    const wrong = imports.filter(({ from, to, specifier }) => {
      const allowed = LAYERS[layerOf(from)]?.packages
      return to === undefined && allowed && !allowed.some((name) => `${specifier}/`.startsWith(`${name}/`))
    })

    assert.deepEqual(wrong.map(told), [])
  })

  it('keeps the clock, chance and the environment out of the pure layers', () => {
    const pure = files.filter((file) => LAYERS[layerOf(file)]?.packages !== undefined)
    const wrong = pure.filter((file) => IMPURE.test(withoutComments(textOf(file))))

    assert.deepEqual(wrong, [])
  })

  it('lets src import no file outside of itself but the listed ones, which are loaded lazily', () => {
    const outside = imports.filter(({ to }) => to?.startsWith('../'))

    assert.deepEqual(outside.map(told), OUTSIDE)
    assert.deepEqual(outside.filter(({ lazy }) => !lazy).map(told), [])
  })

  it('lets no storage engine import the other', () => {
    const engineOf = (file: string | undefined): string | undefined =>
      ENGINES.find((engine) => file?.startsWith(`storage/${engine}/`))
    const wrong = imports.filter(({ from, to }) => {
      const [own, other] = [engineOf(from), engineOf(to)]
      return own !== undefined && other !== undefined && own !== other
    })

    assert.deepEqual(wrong.map(told), [])
  })

  it('lets the service name the port of the storage and nothing else of it', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        layerOf(from) === 'service' && to?.startsWith('storage/') && to !== 'storage/store.ts',
    )

    assert.deepEqual(wrong.map(told), [])
  })

  it('lets no room but those of the formats ask for a home by name', () => {
    const web = readdirSync(join(SRC, '../web/src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => `../web/src/${file.replaceAll('\\', '/')}`)
    const asking = [...files, ...web].filter((file) => ASKS_HOME.test(withoutComments(textOf(file))))

    assert.deepEqual(
      asking.filter((file) => !HOME_ROOMS.test(file)),
      [],
    )
  })

  it('has no cycle of imports at run time', () => {
    assert.deepEqual(firstCycle(), [])
  })
})

function importsOf(from: string): Import[] {
  const text = textOf(from)
  const statements =
    /^\s*(?:import|export)\s+(?<type>type\s)?(?:[\w$*\s{},]+?\s*from\s*)?['"](?<specifier>[^'"]+)['"]/gm
  const calls = /(?<type>typeof\s+)?\bimport\(\s*['"`](?<specifier>[^'"`$]+)['"`]\s*\)/g
  const found = [
    ...[...text.matchAll(statements)].map(({ groups }) => ({ groups, lazy: false })),
    ...[...text.matchAll(calls)].map(({ groups }) => ({ groups, lazy: true })),
  ]
  return found.map(({ groups, lazy }) => {
    const specifier = groups?.specifier ?? ''
    const typeOnly = groups?.type !== undefined
    if (!specifier.startsWith('.')) return { from, specifier, typeOnly, lazy }
    return { from, specifier, typeOnly, lazy, to: posix.join(posix.dirname(from), specifier) }
  })
}

/** The folder of `src/` that holds a file. */
function layerOf(file: string): string {
  return file.includes('/') ? file.split('/')[0]! : ENTRIES
}

function firstCycle(): string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to, typeOnly } of imports) {
    if (to !== undefined && !typeOnly) targets.set(from, [...(targets.get(from) ?? []), to])
  }
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const target of targets.get(file) ?? []) {
      const cycle = visit(target, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  return files.map((file) => visit(file, [])).find((cycle) => cycle.length > 0) ?? []
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

function told({ from, specifier }: Import): string {
  return `${from} imports ${specifier}`
}

function textOf(file: string): string {
  return readFileSync(join(SRC, file), 'utf8')
}
