import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openStore, toStoreTarget } from '../../src/compose/main.ts'
import { folders } from '../support/documents/folders.ts'
import { cleanEnv } from '../support/program/command.ts'
import { newDatabase } from '../support/store/store-places.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/typescript/durable-planner.ts')
const ENTRY = pathToFileURL(join(ROOT, 'src/index.ts')).href
/** The example imports the package by its name. */
const NAMED = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) =>
  name === 'batonpass' ? { url: '${ENTRY}', shortCircuit: true } : next(name, context) })`

/** Runs the example and kills it when it has printed this many lines; answers the lines. */
async function run(cwd: string, address: string, most: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', NAMED, EXAMPLE, address], {
    cwd,
    env: cleanEnv({ cwd }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (lines.length === most) child.kill('SIGKILL')
  }
  return lines
}

const PLACES = {
  SQLite: async (cwd: string) => join(cwd, 'baton.db'),
  PostgreSQL: () => newDatabase(),
}

for (const [engine, place] of Object.entries(PLACES))
  it(`a planner with a key for each step may be killed at every step, on ${engine}`, async (t) => {
    const cwd = folders(t).folder('project')
    const address = await place(cwd)
    const store = await openStore(toStoreTarget(address))
    t.after(() => store.close())
    let last: string[] = []
    for (let lines = 1; last.length < 7; lines += 1) {
      last = await run(cwd, address, lines)
      assert.ok(lines < 10)
    }

    assert.equal(last.at(-1), 'page(api(plan(job-1)))')
    const { items } = await store.handoffs({}, { limit: 50 })
    assert.deepEqual(
      items.map(({ title, state }) => `${title} ${state}`).sort(),
      ['api', 'page', 'plan'].map((name) => `${name} of job-1 completed`),
    )
  })
