import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { folders } from '../documents/folders.ts'
import { newDatabase, query } from '../store/store-places.ts'
import { onTerminal, type Where } from './command.ts'
import type { Engine } from './workspace.ts'

/** One command, and what the older program answered. */
export interface Said {
  readonly as: string
  readonly args: readonly string[]
  readonly answer: Record<string, unknown>
}

/** A workspace that an older program made, copied to where a test may work on it. */
export interface OlderWorkspace {
  readonly where: Where
  readonly root: string
  /** The log as the older program exported it. */
  readonly exported: string
  /** Handoffs by what they are there for. */
  readonly ids: Readonly<Record<string, string>>
  /** Tokens by the name of their agent. */
  readonly secrets: Readonly<Record<string, string>>
  readonly answers: readonly Said[]
}

/** The folder in which the fixtures were made; answers name it. */
const MADE_IN = '/srv/example'

export async function openOlder(t: TestContext, version: string, engine: Engine): Promise<OlderWorkspace> {
  const kept = join(import.meta.dirname, '../../fixtures', version, engine)
  const place = folders(t)
  for (const name of ['shop', 'home', 'export']) copy(join(kept, name), place.path(name))
  const said = readFileSync(join(kept, 'said.json'), 'utf8').replaceAll(MADE_IN, place.home)
  const env: Record<string, string> = { HOME: place.path('home') }
  if (engine === 'postgres') {
    env.BATON_STORE = await newDatabase()
    await query(env.BATON_STORE, readFileSync(join(kept, 'dump.sql'), 'utf8'))
  }
  const root = place.path('shop')
  return { where: { cwd: root, env }, root, exported: place.path('export'), ...JSON.parse(said) }
}

/** A person adopts the store and trusts the settings, for which 0.1.0 never asked. */
export function trustOlder({ where }: OlderWorkspace): void {
  const steps = [
    ['Make this store yours', 'y\n'],
    ['Let this take effect?', 'y\n'],
  ] as const
  const { code, shown } = onTerminal(where, ['trust'], { steps })
  assert.equal(code, 0, shown)
}

/** Gives names back that git would take for its own. Keys are for their owner alone. */
function copy(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name.replace(/^dot-/, '.'))]
    if (entry.isDirectory()) copy(source, target)
    else {
      copyFileSync(source, target)
      chmodSync(target, 0o600)
    }
  }
}

/** Every file below a folder with its bytes, but for Baton's own. */
export function filesBelow(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !name.startsWith('.baton/'))
  return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]))
}
