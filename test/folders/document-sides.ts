import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import type { Service } from '../../src/service/service.ts'
import type { Store } from '../../src/storage/store.ts'
import { quick } from '../support/program/command.ts'
import { run } from '../support/program/invoke.ts'
import { by, Clock, type Engine } from '../support/program/workspace.ts'
import { newDatabase } from '../support/store/store-places.ts'

export interface Side {
  readonly service: Service
  readonly store: Store
}

/** A document that an agent or a person brings. */
export interface Brought {
  readonly name: string
  readonly text: string
  readonly by: string
}

/** The side of the commands, and the side that gets the same as documents. */
export interface Sides extends AsyncDisposable {
  readonly clock: Clock
  readonly command: Side
  readonly files: Side
  bring(how: 'collect' | 'import', document: Brought): Promise<unknown>
}

async function sidesOn(command: StoreTarget, files: StoreTarget): Promise<Omit<Sides, 'bring'>> {
  const clock = new Clock()
  const side = async (target: StoreTarget): Promise<Side> => {
    const store = await openStore(target)
    return { store, service: createService(store, { now: clock.now }) }
  }
  const [one, other] = [await side(command), await side(files)]
  return {
    clock,
    command: one,
    files: other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.store.close(), other.store.close()])
    },
  }
}

const MEMORY = { engine: 'sqlite', path: ':memory:' } as const

/** Without a disk: the text goes into the operation that the command calls. */
export async function memorySides(): Promise<Sides> {
  const sides = await sidesOn(MEMORY, MEMORY)
  const { service } = sides.files
  return {
    ...sides,
    bring: (how, { name, text, by: caller }) =>
      how === 'collect'
        ? run(service, by(caller), 'document_collect', { documents: [{ path: name, text }] })
        : run(service, by(caller), 'document_import', { path: name, text }),
  }
}

/** Through real files: each is written, and `baton collect` or `baton import` reads it. */
export async function fileSides(engine: Engine): Promise<Sides> {
  const root = mkdtempSync(join(tmpdir(), 'baton-walks-'))
  const url = engine === 'sqlite' ? join(root, 'files.db') : await newDatabase()
  const target = (workspace: string): StoreTarget =>
    engine === 'sqlite'
      ? { engine, path: join(root, `${workspace === 'default' ? 'files' : workspace}.db`) }
      : { engine, url, workspace }
  const sides = await sidesOn(target('command'), target('default'))
  return {
    ...sides,
    async bring(how, { name, text, by: caller }) {
      writeFileSync(join(root, name), text)
      const where = { cwd: root, env: { BATON_STORE: url } }
      const { stdout, stderr } = await quick(where, how, name, '--as', caller, '--json')
      assert.notEqual(stdout, '', stderr)
      return JSON.parse(stdout)
    },
    [Symbol.asyncDispose]: async () => {
      await sides[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

export interface Walked {
  readonly numRuns: number
  readonly length: number
}

/** As many walks as share a store: an escalation reads all agents of it. */
const ROUND = 200

/** Many walks, in rounds that begin with empty stores. */
export async function inRounds(
  open: () => Promise<Sides>,
  { numRuns, length }: Walked,
  check: (sides: Sides, walked: Walked) => Promise<void>,
): Promise<void> {
  for (let left = numRuns; left > 0; left -= ROUND) {
    await using sides = await open()
    await check(sides, { numRuns: Math.min(left, ROUND), length })
  }
}
