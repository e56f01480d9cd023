import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { type Folders, folders } from '../../test/support/documents/folders.ts'
import { parseConfig } from '../config/file.ts'
import type { Actor } from '../domain/actor.ts'
import type { Check } from '../domain/handoffs/package.ts'
import { trust } from '../workspace/trust.ts'
import { createWorkspace } from '../workspace/workspace.ts'
import { type Context, type OpenContextOptions, openContext } from './open.ts'

const codex: Actor = { name: 'codex', kind: 'agent', auth: 'os-user' }

describe('opening a workspace', () => {
  it('makes it with the first write, once, in a repository', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')

    const first = await opened(t, place, { cwd, write: true })
    const second = await opened(t, place, { cwd, write: true })

    assert.deepEqual([first.created, second.created], [true, false])
    assert.equal(first.service.deps.store.info.location, place.path('project/.baton/baton.db'))
    assert.deepEqual(first.warnings, [])
    assert.equal(first.config, undefined)
  })

  it('makes a store that only its owner can read', async (t) => {
    const place = folders(t)
    await opened(t, place, { cwd: place.repository('project'), write: true })

    assert.equal(statSync(place.path('project/.baton/baton.db')).mode & 0o777, 0o600)
  })

  it('makes one for twenty at the same time, all of whom work in it', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')

    const contexts = await Promise.all(
      Array.from({ length: 20 }, () => opened(t, place, { cwd, write: true })),
    )

    assert.equal(contexts.filter(({ created }) => created).length, 1)
    assert.equal(new Set(contexts.map(({ service }) => service.deps.store.info.origin)).size, 1)
  })

  it('is refused to a reader where there is none, with the two ways to make one', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')

    await assert.rejects(openContext(options(place, { cwd })), {
      code: 'not_found',
      message: `there is no workspace in ${cwd} or above it; make one with: baton init`,
    })
    assert.equal(existsSync(place.path('project/.baton')), false)
  })

  it('is refused to a reader where there is only a baton.yaml', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    place.file('project/baton.yaml', '')

    await assert.rejects(openContext(options(place, { cwd })), {
      code: 'not_found',
      message: /project has no \.baton folder yet; make one with: baton init/,
    })
  })

  it('lets a reader look into one that was made and never written', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    await createWorkspace(cwd, place.environment)

    const { service } = await opened(t, place, { cwd })

    assert.deepEqual((await service.looking.counts()).handoffs, {})
  })

  it('leaves nothing behind for a coding agent that does not say its name', async (t) => {
    const place = folders(t, { CLAUDECODE: '1', BATON_WORKSPACE: '.' })
    const cwd = place.repository('project')

    await assert.rejects(openContext(options(place, { cwd, write: true })), {
      code: 'not_allowed',
      message: /CLAUDECODE shows that a coding agent is calling/,
    })
    assert.equal(existsSync(place.path('project/.baton')), false)
  })

  it('refuses a store that is a link to another file', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    place.folder('project/.baton')
    symlinkSync(place.file('private.txt', 'mine'), place.path('project/.baton/baton.db'))

    await assert.rejects(openContext(options(place, { cwd, write: true })), {
      code: 'not_allowed',
      message: /baton\.db is a symbolic link/,
    })
    assert.equal(readFileSync(place.path('private.txt'), 'utf8'), 'mine')
  })

  it('can be closed twice', async (t) => {
    const place = folders(t)
    const context = await openContext(options(place, { cwd: place.repository('project'), write: true }))

    await context.close()
    await context.close()
  })
})

describe('the store of a workspace', () => {
  it('is the one that --store names, before BATON_STORE, and then no folder is made', async (t) => {
    const place = folders(t, { BATON_STORE: 'environment.db' })
    const cwd = place.folder('notes')

    const byFlag = await opened(t, place, { cwd, write: true, store: 'flag.db' })
    const byVariable = await opened(t, place, { cwd, write: true })

    assert.deepEqual(
      [byFlag, byVariable].map(({ service }) => service.deps.store.info.location),
      [place.path('notes/flag.db'), place.path('notes/environment.db')],
    )
    assert.deepEqual([byFlag.workspace, byFlag.created], [undefined, false])
    assert.equal(existsSync(place.path('notes/.baton')), false)
  })

  it('is a workspace of a PostgreSQL database when the address says so, by the name in baton.yaml', async (t) => {
    const workspace = `open-${process.pid}`
    const place = folders(t, { BATON_STORE: process.env.TEST_POSTGRES_URL ?? '' })
    place.file('project/baton.yaml', `workspace: ${workspace}\n`)

    const { created, service } = await opened(t, place, { cwd: place.folder('project'), write: true })

    const { engine, workspace: name } = service.deps.store.info
    assert.deepEqual({ engine, name, created }, { engine: 'postgres', name: workspace, created: false })
    assert.equal(existsSync(place.path('project/.baton')), false)
  })

  it('is opened for reading when that is asked for', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    await (await openContext(options(place, { cwd, write: true }))).close()

    const { service, warnings } = await opened(t, place, { cwd, readOnly: true })

    assert.equal(service.deps.store.info.readOnly, true)
    assert.deepEqual(warnings, [])
  })

  for (const [what, folderMode] of [
    ['the file', 0o777],
    ['the folder', 0o555],
  ] as const)
    it(`is opened for reading, with a warning, for a reader who may not write ${what}`, async (t) => {
      const place = folders(t)
      const cwd = place.repository('project')
      await (await openContext(options(place, { cwd, write: true }))).close()
      chmodSync(place.path('project/.baton/baton.db'), 0o444)
      chmodSync(place.path('project/.baton'), folderMode)
      chmodSync(place.home, 0o755)

      const environment = { ...place.environment, workspace: cwd }
      const { warnings, ...answer } = asNobody(options({ ...place, environment }, { cwd }))
      chmodSync(place.path('project/.baton'), 0o755)

      assert.deepEqual(answer, { readOnly: true, handoffs: {} })
      const file = place.path('project/.baton/baton.db')
      assert.equal(warnings[0], `${file} is not writable for you; it was opened read-only`)
      // An ordinary user cannot become another one here: then it is the maker who reads.
      assert.equal(warnings.length, process.getuid?.() === 0 ? 2 : 1)
      assert.match(
        warnings.at(1) ?? 'baton.db was not made by you on this machine',
        /was not made by you on this machine/,
      )
    })
})

describe('the caller', () => {
  it('is of the kind that the store knows', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    const { service, actor } = await opened(t, place, { cwd, write: true })
    await service.agents.add({ actor }, { name: 'omar', kind: 'human' })
    await service.agents.add({ actor }, { name: 'crew', kind: 'pool' })

    const kinds = []
    for (const as of ['omar', 'crew', 'codex']) kinds.push((await opened(t, place, { cwd, as })).actor.kind)

    assert.deepEqual(kinds, ['human', 'pool', 'agent'])
  })

  it('is of the kind that a trusted baton.yaml lists before the store has seen it', async (t) => {
    const place = folders(t, { BATON_AGENT: 'omar' })
    const cwd = place.repository('project')
    const text = 'agents:\n  omar:\n    kind: human\n'
    place.file('project/baton.yaml', text)
    assert.equal((await opened(t, place, { cwd, write: true })).actor.kind, 'agent')
    await trusted(place, text)

    const { actor, why } = await opened(t, place, { cwd, write: true })

    assert.deepEqual(actor, { name: 'omar', kind: 'human', auth: 'os-user' })
    assert.equal(why, 'named by BATON_AGENT')
  })
})

describe('the baton.yaml of a workspace', () => {
  it('sets its rules and the home of its handoffs', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    place.file('project/baton.yaml', 'dialect: queue\ndepth_limit: 3\n')

    const { config, service } = await opened(t, place, { cwd, write: true })

    assert.deepEqual(config, { dialect: 'queue', depth_limit: 3 })
    assert.deepEqual([service.deps.home, service.deps.policy.depthLimit], ['queue', 3])
  })

  it('stops every command while it is wrong, and makes nothing', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    place.file('project/baton.yaml', 'agnets: {}\n')

    await assert.rejects(openContext(options(place, { cwd, write: true })), {
      code: 'invalid_input',
      message: `${place.path('project/baton.yaml')}:1:1 agnets: there is no such field; did you mean agents?`,
    })
    assert.equal(existsSync(place.path('project/.baton')), false)
  })

  it('has no say over the store and the commands before it is trusted, and a warning says so', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    const file = place.file('project/baton.yaml', 'store: ../theirs.db\nchecks:\n  commands: [touch ran]\n')

    const { config, service, warnings } = await opened(t, place, { cwd, write: true })

    assert.deepEqual(config, {})
    assert.equal(service.deps.store.info.location, place.path('project/.baton/baton.db'))
    assert.deepEqual(warnings, [
      `${file} sets checks.commands and store, which takes effect only after: baton trust; this call uses ${place.path('project/.baton/baton.db')}`,
    ])
    assert.equal(existsSync(place.path('theirs.db')), false)
    assert.deepEqual(await ranCommand(service, place), { ran: false })
  })

  it('chooses the store, from where it lies, and lets commands run once it is trusted', async (t) => {
    const place = folders(t)
    place.repository('project')
    const text = 'store: data/ours.db\nchecks:\n  commands: [touch ran]\n'
    place.file('project/baton.yaml', text)
    await trusted(place, text)

    const { service, warnings } = await opened(t, place, { cwd: place.folder('project/src'), write: true })

    assert.equal(service.deps.store.info.location, place.path('project/data/ours.db'))
    assert.deepEqual(warnings, [])
    assert.deepEqual(await ranCommand(service, place), { ran: true })
  })

  it('keeps the trusted store in force when it names another', async (t) => {
    const place = folders(t)
    const cwd = place.repository('project')
    const text = 'store: ours.db\n'
    const file = place.file('project/baton.yaml', text)
    await trusted(place, text)
    await (await openContext(options(place, { cwd, write: true }))).close()
    writeFileSync(file, 'store: theirs.db\n')

    const { service, warnings } = await opened(t, place, { cwd, write: true })

    assert.equal(service.deps.store.info.location, place.path('project/ours.db'))
    assert.deepEqual(warnings, [`${file} sets store, which takes effect only after: baton trust`])
  })
})

describe('the checks of a workspace', () => {
  it('look at the files of the worktree that the caller stands in', async (t) => {
    const place = folders(t)
    const main = place.repository('project')
    const cwd = place.worktree(main, 'codex')
    await createWorkspace(main, place.environment)
    place.file('codex/src/limit.ts', '')
    const checks: Check[] = [{ kind: 'file_exists', path: 'src/limit.ts' }]

    const results = []
    for (const folder of [cwd, main]) {
      const { service } = await opened(t, place, { cwd: folder, write: true, as: codex.name })
      results.push((await service.deps.runChecks!(checks, {} as never)).map(({ ok }) => ok))
    }

    assert.deepEqual(results, [[true], [false]])
  })
})

describe('the cost of opening', () => {
  it('includes no YAML reader, no schemas and no PostgreSQL without a baton.yaml', async (t) => {
    const place = folders(t)
    const loaded = modulesOf(options(place, { cwd: place.repository('project'), write: true }))

    assert.ok(loaded.some((url) => url.endsWith('/src/storage/sqlite/sqlite-store.ts')))
    assert.deepEqual(
      loaded.filter((url) =>
        /node_modules|\/src\/(?:config\/(?:check|issues|schema|yaml)|workspace\/trust)\.ts$/.test(url),
      ),
      [],
    )
  })
})

function options(place: Folders, more: Partial<OpenContextOptions> & { cwd: string }): OpenContextOptions {
  return { environment: place.environment, isTerminal: false, write: false, ...more }
}

async function opened(
  t: TestContext,
  place: Folders,
  more: Partial<OpenContextOptions> & { cwd: string },
): Promise<Context> {
  const context = await openContext(options(place, more))
  t.after(() => context.close())
  return context
}

async function trusted(place: Folders, text: string): Promise<void> {
  const config = await parseConfig(text, 'baton.yaml')
  trust(await createWorkspace(place.path('project'), place.environment), config, place.environment)
}

/** Whether a declared command has run: it leaves a file. */
async function ranCommand(service: Context['service'], place: Folders): Promise<{ ran: boolean }> {
  await service.deps.runChecks!([{ kind: 'command', command: 'touch ran' }], {} as never)
  return { ran: existsSync(place.path('project/ran')) }
}

/** Opens as a user who owns nothing. The administrator becomes one; everyone else is kept out by the permissions. */
function asNobody(asked: OpenContextOptions): { warnings: readonly string[]; readOnly: boolean } {
  const answer = runProgram(`
    const { openContext } = await import(${JSON.stringify(new URL('open.ts', import.meta.url).href)})
    await import(${JSON.stringify(new URL('../storage/sqlite/sqlite-store.ts', import.meta.url).href)})
    if (process.getuid() === 0) process.setuid(65534)
    const { service, warnings, close } = await openContext(${JSON.stringify(asked)})
    const { handoffs } = await service.looking.counts()
    console.log(JSON.stringify({ readOnly: service.deps.store.info.readOnly, handoffs, warnings }))
    await close()`)
  return answer as ReturnType<typeof asNobody>
}

/** The addresses of all modules that are loaded until the context is open. */
function modulesOf(asked: OpenContextOptions): string[] {
  return runProgram(`
    const { registerHooks } = await import('node:module')
    const urls = []
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
    const { openContext } = await import(${JSON.stringify(new URL('open.ts', import.meta.url).href)})
    const { close } = await openContext(${JSON.stringify(asked)})
    console.log(JSON.stringify(urls))
    await close()`) as string[]
}

function runProgram(program: string): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  })
  assert.ok(stdout.startsWith('{') || stdout.startsWith('['), stderr)
  return JSON.parse(stdout)
}
