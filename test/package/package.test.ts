import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { publint } from 'publint'
import { fetchNode } from './nodes.ts'
import { type Ended, npm, run } from './program.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const EXAMPLES = join(ROOT, 'examples/typescript')
const MEGABYTE = 1024 * 1024

let folder: string
let project: string
let tarball: string
let packed: { readonly path: string }[]
let nodes: Readonly<Record<22 | 24 | 26, Promise<string>>>

before(async () => {
  // Fetched while everything else is done.
  nodes = { 22: fetchNode(22), 24: Promise.resolve(process.execPath), 26: fetchNode(26) }
  for (const node of Object.values(nodes)) node.catch(() => undefined)
  assert.ok(existsSync(join(ROOT, 'dist/.built')), 'there is no build to pack: run npm run build first')
  folder = mkdtempSync(join(tmpdir(), 'baton-package-'))
  project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const pack = succeeded(
    await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT),
  )
  const [about] = JSON.parse(pack.stdout)
  packed = about.files
  tarball = join(folder, about.filename)
  succeeded(
    await npm(
      ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', tarball],
      project,
    ),
  )
  for (const name of readdirSync(EXAMPLES)) copyFileSync(join(EXAMPLES, name), join(project, name))
  writeFileSync(join(project, 'foreign.js'), FOREIGN)
})
after(() => rmSync(folder, { recursive: true, force: true }))

function succeeded(ended: Ended): Ended {
  assert.equal(ended.code, 0, `${ended.stdout}\n${ended.stderr}`)
  return ended
}

const SMALL_PROGRAM = `
import { openBaton } from 'batonpass'
import { readDocuments } from 'batonpass/documents'
const baton = await openBaton(':memory:')
const planner = baton.as('planner')
const sent = await planner.send({ to: 'codex', title: 'x', priority: 'high' })
const { output, handoff } = await sent.wait()
await baton.work('codex', {}, async (work) => ({ output: work.input }))
const { items } = await planner.inbox()
const { package: travels } = await planner.get(sent.id)
const [document] = readDocuments('')
export const seen = [document?.draft?.title, output, handoff.state, items.length, travels.summary]
`

const TYPED_PROGRAM = `
import { defineWork, openBaton } from 'batonpass'
import * as z from 'zod'
const input = z.object({ name: z.string() })
const output = z.object({ files: z.array(z.string()) })
const userCard = defineWork({ to: 'react-specialist', input, output })
await using baton = await openBaton(':memory:')
await baton.work(userCard, async (work) => ({ files: [work.input.name + '.tsx'] }))
const { files } = await baton.as('planner').request(userCard, { name: 'UserCard' })
export const seen: string[] = files
`

describe('the package as it is published', { concurrency: true }, () => {
  it('holds the build, the command, the verifiers, the docs, the examples, the licences and nothing else', () => {
    const paths = packed.map(({ path }) => path)
    const expected =
      /^(?:dist\/.*\.(?:c?js|d\.ts)|dist\/baton-verify\.(?:mjs|html)|dist\/web\/(?:index\.html|icon\.svg|assets\/[\w-]+\.css)|docs\/.*\.(?:md|json|svg|service)|docs\/screenshots\/board-light\.png|examples\/.*\.(?:ts|mjs|md|sh|py|json|ya?ml)|bin\/(?:baton\.js|code-cache\.cjs)|plugins\/(?:[\w.-]+\/)+[\w.-]+\.(?:json|md)|package\.json|(?:README|CHANGELOG|CONTRIBUTING)\.md|LICENSE|THIRD-PARTY-LICENSES\.txt)$/

    assert.deepEqual(
      paths.filter((path) => !expected.test(path) || /\.(?:test|contract)\./.test(path)),
      [],
    )
    for (const path of [
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli.cjs',
      'dist/baton-verify.mjs',
      'dist/baton-verify.html',
      'dist/web/index.html',
      'docs/generated/schemas/package-handoff.json',
      'plugins/.claude-plugin/marketplace.json',
      'plugins/claude-code/.mcp.json',
      'plugins/gemini/gemini-extension.json',
      'LICENSE',
      'THIRD-PARTY-LICENSES.txt',
    ])
      assert.ok(paths.includes(path), `${path} is missing`)
  })

  it('has a README whose links lead into the package or to an address', () => {
    const paths = packed.map(({ path }) => path)
    const text = readFileSync(join(project, 'node_modules/batonpass/README.md'), 'utf8')
    const links = [...text.matchAll(/\]\((?<to>[^)\s#]+)/g)].map(({ groups }) => groups?.to ?? '')
    const isThere = (to: string) =>
      /^https:\/\//.test(to) ||
      paths.includes(to) ||
      paths.some((path) => path.startsWith(`${to.replace(/\/$/, '')}/`))

    assert.ok(links.length > 15, 'the links were not found')
    assert.deepEqual(
      links.filter((to) => !isThere(to)),
      [],
    )
  })

  it('exports what is listed by hand', () => {
    const { exports, bin, engines, type } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

    assert.deepEqual(exports, {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './client': { types: './dist/client.d.ts', default: './dist/client.js' },
      './documents': { types: './dist/documents.d.ts', default: './dist/documents.js' },
      './testing': { types: './dist/test-kit.d.ts', default: './dist/testing.js' },
      './queue': { types: './dist/queue.d.ts', default: './dist/queue.js' },
      './package.json': './package.json',
    })
    assert.deepEqual([bin, engines, type], [{ baton: './bin/baton.js' }, { node: '>=22.18' }, 'module'])
  })

  it('[T22] installs as few packages, without install scripts and in under 25 MB', (t) => {
    const lock = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8'))
    const installed = Object.entries<{ hasInstallScript?: boolean }>(lock.packages)
    const bytes = sizeOf(join(project, 'node_modules'))

    t.diagnostic(
      `${installed.length} packages, ${(bytes / MEGABYTE).toFixed(1)} MB installed, ${(statSync(tarball).size / MEGABYTE).toFixed(2)} MB packed`,
    )
    assert.deepEqual(
      installed.map(([path]) => path),
      ['node_modules/batonpass', 'node_modules/zod'],
    )
    assert.deepEqual(
      installed.filter(([, { hasInstallScript }]) => hasInstallScript),
      [],
    )
    assert.ok(bytes < 25 * MEGABYTE)
  })

  it('has nothing for publint to say', async () => {
    const { messages } = await publint({
      pkgDir: join(project, 'node_modules/batonpass'),
      pack: false,
      strict: true,
    })

    assert.deepEqual(messages, [])
  })

  it('has types that resolve for everyone who can import it', async () => {
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')

    succeeded(
      await run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-color'], { cwd: folder }),
    )
  })

  it('types a program of its user, and refuses a wrong one', async () => {
    writeFileSync(join(project, 'wrong.ts'), WRONG)
    // A program that reads its arguments has the types of its runtime.
    writeFileSync(
      join(project, 'runtime.d.ts'),
      'declare const process: { readonly argv: string[]; once(signal: string, run: () => void): void }',
    )
    const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2024']
    const files = readdirSync(project).filter((name) => name.endsWith('.ts'))

    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const args = [tsc, ...flags, '--module', 'nodenext', '--lib', 'es2024,dom', '--types', '', ...files]
    succeeded(await run(process.execPath, args, { cwd: project }))
  })

  for (const [name, program] of [
    ['sends and waits', SMALL_PROGRAM],
    ['gives typed work with zod', TYPED_PROGRAM],
  ] as const)
    it(`costs the compiler of its user little: a program that ${name}`, async () => {
      const file = `${name.replaceAll(' ', '-')}.mts`
      writeFileSync(join(project, file), program)
      const flags = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', '']
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
      const more = ['--lib', 'es2024,dom', '--skipLibCheck', '--extendedDiagnostics']

      const { stdout } = succeeded(
        await run(process.execPath, [tsc, ...flags, ...more, file], { cwd: project }),
      )

      const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
      assert.ok(instantiations < 30_000, `${instantiations} instantiations`)
    })
})

/** Each line below must be refused: an error that is expected and does not come is an error too. */
const WRONG = `
import { openBaton } from 'batonpass'
import * as z from 'zod'

const baton = await openBaton({ store: ':memory:' })
const codex = baton.as('codex')
// @ts-expect-error there is no receiver
await codex.send({ title: 'x' })
// @ts-expect-error a priority is a word
await codex.send({ to: 'codex', title: 'x', priority: 1 })
// @ts-expect-error there is no such operation
await codex.call('handoff_sned', {})
// @ts-expect-error pass is missing
await codex.verify('HO-1', {})
const output = z.object({ total: z.number() })
const input = z.object({ name: z.string() })
await baton.specialist('codex', { input, output }, async ({ input: { name } }) => ({ output: { total: name.length } }))
// @ts-expect-error the total is a number
await baton.specialist('codex', { input, output }, async ({ input: { name } }) => ({ output: { total: name } }))
// @ts-expect-error there is no such field in the input
await baton.specialist('codex', { input }, async (work) => ({ output: work.input.title }))
const { handoff } = await (await codex.send({ to: 'codex', title: 'x' })).wait()
const state: 'completed' | string = handoff.state
export { state }
`

describe('the installed package runs', () => {
  for (const line of [22, 24, 26] as const) {
    it(`on Node ${line}: every example prints what it says`, async () => {
      const node = await nodes[line]

      const printed = await Promise.all(
        readdirSync(EXAMPLES).map(async (name) => {
          const { stdout, stderr } = succeeded(await start(node, [name]))
          return [name, stdout, stderr.replaceAll(EXPERIMENTAL, '')]
        }),
      )

      assert.deepEqual(
        printed,
        readdirSync(EXAMPLES).map((name) => [name, expectedOf(name), '']),
      )
    })

    it(`on Node ${line}: a first handoff by the command`, async () => {
      const node = await nodes[line]
      const repository = join(folder, `repository-${line}`)
      mkdirSync(repository)
      succeeded(await run('git', ['init', '--quiet'], { cwd: repository }))
      const baton = async (...args: string[]) =>
        start(node, [join(project, 'node_modules/batonpass/bin/baton.js'), ...args], repository)

      const version = succeeded(await baton('--version'))
      const sent = succeeded(
        await baton('send', '--as', 'planner', '--to', 'codex', '--title', 'Add limits', '--json'),
      )
      const inbox = succeeded(await baton('inbox', '--as', 'codex', '--json'))
      const missing = await baton('show', 'HO-1999-001', '--as', 'codex', '--json')

      assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
      assert.equal(JSON.parse(inbox.stdout).items[0].uid, JSON.parse(sent.stdout).handoff.uid)
      assert.equal(inbox.stderr, '')
      assert.equal(missing.code, 3)
      assert.equal(JSON.parse(missing.stderr).error.code, 'not_found')
    })

    it(`on Node ${line}: a schema of others is checked in a thread of its own`, async () => {
      const { stdout } = succeeded(await start(await nodes[line], ['foreign.js']))

      assert.deepEqual(JSON.parse(stdout), [
        'check failed: output matches its JSON Schema (total: must be number)',
        'completed',
      ])
    })
  }
})

const FOREIGN = `
import { openBaton } from 'batonpass'

const baton = await openBaton({ store: ':memory:' })
const codex = baton.as('codex')
const schema = { type: 'object', properties: { total: { type: 'number', minimum: 1 }, note: { pattern: '^a' } } }
const checks = [{ kind: 'json_schema', schema }]
const sent = await baton.as('planner').send({ to: 'codex', title: 'Count', home: 'queue', checks })
await codex.accept(sent.id)
const refused = await codex.submit(sent.id, { output: { total: 'three' } }).catch((error) => error)
const { handoff } = await codex.submit(sent.id, { output: { total: 3 } })
console.log(JSON.stringify([refused.details.unmet[0].message, handoff.state]))
await baton.close()
`

/** What Node 22 says of its built-in SQLite to a program that uses it; the command keeps it quiet. */
const EXPERIMENTAL = /\(node:\d+\) ExperimentalWarning: SQLite.*\n\(Use .*\n/g

/** Without the variables of whoever runs the tests: a coding agent's would change who is calling. */
function start(node: string, args: readonly string[], cwd = project): Promise<Ended> {
  return run(node, args, { cwd, env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder } })
}

/** The lines after `Prints:` at the end of an example. */
function expectedOf(name: string): string {
  const [, printed = ''] = readFileSync(join(EXAMPLES, name), 'utf8').split('\n// Prints:\n')
  return printed.replaceAll(/^\/\/ ?/gm, '')
}

function sizeOf(place: string): number {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
