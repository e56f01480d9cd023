import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { basename, delimiter, dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Folders, folders, git } from '../support/documents/folders.ts'
import { cleanEnv } from '../support/program/command.ts'
import { newDatabase } from '../support/store/store-places.ts'
import { type Block, blocksOf, hasCommands, isTyped, shownLines, typedLines } from './page.ts'
import { commandIn, onShell } from './shell.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const STAND_INS = join(import.meta.dirname, 'stand-ins')
const HOST = 'https://github.com/batonpass/baton.git'
/** Addresses in pages that stand for servers of the reader. */
const ADDRESSES = ['clone', 'registry', 'database']
const PATTERNS = ['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'examples/*/README.md']
const PAGES = globSync(PATTERNS, { cwd: ROOT }).sort()

const page = (name: string): readonly Block[] => blocksOf(readFileSync(join(ROOT, name), 'utf8'))
/** Addresses of files that are not in the package. */
const FILES = 'https://github.com/batonpass/baton/'
const PACKED: readonly string[] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).files
const isPacked = (file: string): boolean => {
  const matches = (pattern: string) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`)
  const left = PACKED.filter((each) => each.startsWith('!')).map((each) => each.slice(1))
  return file === 'README.md' || (PACKED.some(matches) && !left.some(matches))
}

/** The names of a page's headings in links, as GitHub makes them. */
const headingsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
const toRun = (name: string): readonly Block[] =>
  page(name).filter((block) => isTyped(block) && !block.marks['run by'] && !block.marks['not run'])

describe('the commands of a page', { concurrency: 3 }, () => {
  const place = folders({ after })
  const clone = place.path('baton')
  before(() => makeClone(clone))

  it('are run, or the page names the test that runs them or the reason why none does', () => {
    const wrong = PAGES.flatMap((name) =>
      page(name).flatMap((block) => {
        const say = (what: string) => [`${name}:${block.line}: ${what}`]
        const { 'run by': test, 'not run': why, 'stand-ins': used = '' } = block.marks
        const unknown = listOf(used).find(
          (each) => !ADDRESSES.includes(each) && !existsSync(join(STAND_INS, each)),
        )
        if (block.language === '')
          return say('name a language: sh or console to be run, text for anything else')
        if (hasCommands(block) && !test && !why)
          return say(`commands in a block of ${block.language} are not run`)
        if (unknown) return say(`no stand-in ${unknown}`)
        if (test && !readFileSync(join(ROOT, test), 'utf8').includes(basename(name)))
          return say(`${test} does not name ${basename(name)}`)
        return []
      }),
    )

    assert.deepEqual(wrong, [])
    assert.ok(PAGES.length > 60)
  })

  it('stand on pages whose links lead to a packed file and a heading in it, or to a file of the project', () => {
    const isWrong = (name: string, to: string, heading?: string): boolean => {
      if (to.startsWith(FILES))
        return !existsSync(join(ROOT, to.slice(FILES.length).replace(/^\w+\/main\//, '')))
      if (/^\w+:/.test(to)) return false
      const file = to === '' ? join(ROOT, name) : join(ROOT, dirname(name), to)
      const isMissing = heading !== undefined && file.endsWith('.md') && !headingsOf(file).includes(heading)
      return !existsSync(file) || !isPacked(relative(ROOT, file)) || isMissing
    }
    const wrong = PAGES.flatMap((name) =>
      [
        ...readFileSync(join(ROOT, name), 'utf8')
          .replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
          .matchAll(/\]\(([^)\s#]*)(?:#([^)\s]+))?/g),
      ]
        .filter(([, to = '', heading]) => isWrong(name, to, heading))
        .map(([link]) => `${name}: ${link}`),
    )

    assert.deepEqual(wrong, [])
  })

  for (const name of PAGES.filter((each) => toRun(each).length > 0))
    it(`of ${name} work as they are typed`, async (t) => {
      const { code, shown } = await type(folders(t), clone, toRun(name), name !== 'README.md')

      assert.equal(code, 0, shown)
      const screen = shown.replaceAll(/\s+/g, ' ')
      for (const line of toRun(name).flatMap(shownLines)) assert.match(screen, patternOf(line))
    })
})

/** A program that goes on and shows something: the page ends when it is on the screen. */
const staysOpen = (block: Block): boolean =>
  block.marks.background !== undefined && shownLines(block).length > 0
const until = (line: string): string => line.split(/…|4180/)[0]!.trim()

const listOf = (names: string): readonly string[] => names.split(', ').filter(Boolean)

/** A line of a page as it has to be on the screen; … stands for anything. */
const patternOf = (line: string): RegExp => {
  const parts = line
    .trim()
    .replaceAll(/\s+/g, ' ')
    .split(/…|4180/)
  return new RegExp(parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*?'))
}

/**
 * Types the blocks into a shell on a terminal of its own, which answers yes to every question. The command is there
 * from the start, but for a page that says how to get it.
 */
async function type(place: Folders, clone: string, blocks: readonly Block[], isInstalled: boolean) {
  const shop = place.repository('shop')
  const used = new Set(blocks.flatMap(({ marks }) => listOf(marks['stand-ins'] ?? '')))
  const port = String(await freePort())
  const bin = place.folder('bin')
  if (isInstalled) writeFileSync(join(bin, 'baton'), commandIn(clone), { mode: 0o755 })
  for (const each of used)
    if (existsSync(join(STAND_INS, each))) symlinkSync(join(STAND_INS, each), join(bin, each))
  const database = used.has('database') ? await newDatabase() : ''
  const script = place.file(
    'typed.sh',
    [
      'set -eo pipefail',
      ...blocks.flatMap((block) => [...scriptOf(block, { clone, shop, port, database })]),
    ].join('\n'),
  )
  const env = {
    ...cleanEnv({ cwd: shop }),
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    TMPDIR: place.folder('tmp'),
    EDITOR: 'true',
    GIT_CONFIG_NOSYSTEM: '1',
    ...(used.has('clone') && gitSettings(place, clone)),
    ...(used.has('registry') && NPM),
  }
  place.file('.gitconfig', '[user]\n\tname = Maria\n\temail = maria@example.com\n')
  const steps = blocks
    .filter(staysOpen)
    .flatMap(shownLines)
    .slice(0, 1)
    .map((line) => [until(line), '\n'] as const)
  return onShell({ script, cwd: shop, env, steps })
}

interface Place {
  readonly clone: string
  readonly shop: string
  readonly port: string
  readonly database: string
}

function* scriptOf(block: Block, { clone, shop, port, database }: Place): Generator<string> {
  const { marks } = block
  const background = listOf(marks.background ?? '')
  yield `echo "== line ${block.line}"`
  if (marks.in === 'clone') yield `cd ${clone}`
  if (marks.before) yield marks.before.replaceAll('<clone>', clone)
  if (marks.exit) yield 'set +e'
  for (const line of typedLines(block)) {
    // Another program may have the port, and the databases of pages do not exist.
    const typed = line
      .replaceAll('4180', port)
      .replace(
        /^(baton serve|npm start)(?= *(?:#|$))/,
        (start) => `${start}${start === 'npm start' ? ' --' : ''} --port ${port}`,
      )
      .replaceAll(/postgres:\/\/\w+@db\.example\.com\/\w+/g, database)
      .replaceAll('<clone>', clone)
    yield background.some((start) => line.startsWith(start)) ? inBackground(typed, port) : typed
  }
  if (staysOpen(block)) yield 'read -r _'
  if (marks.exit) yield `[ $? = ${marks.exit} ] || exit 1; set -e`
  if (marks.in === 'clone') yield `cd ${shop}`
}

/** Goes on when the program runs, a server when its port is open, and ends it with the page. */
const inBackground = (line: string, port: string): string =>
  [
    `( ${line.replace(/#.*/, '')} ) & started="$started $!"`,
    "trap 'kill $started 2>/dev/null || true' EXIT",
    line.includes(port)
      ? `for _ in $(seq 400); do (echo >/dev/tcp/127.0.0.1/${port}) 2>/dev/null && break; sleep 0.05; done`
      : 'sleep 0.5',
  ].join('\n')

const NPM = {
  npm_config_cache: join(process.env.HOME ?? '', '.npm'),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

/** A clone by its public address is one of this clone, with what npm installs there in place. */
function gitSettings(place: Folders, clone: string): Record<string, string> {
  const hook = place.file('template/hooks/post-checkout', `#!/bin/sh\n${fill(clone)}\n`)
  chmodSync(hook, 0o755)
  return {
    GIT_TEMPLATE_DIR: place.path('template'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${clone}.insteadOf`,
    GIT_CONFIG_VALUE_0: HOST,
  }
}

const fill = (from: string): string =>
  `[ -e bin/baton.js ] || exit 0
cp -RP ${from}/node_modules .
[ -e ${from}/dist/.built ] || exit 0
cp -RL ${from}/dist . && cp -RL ${from}/web/dist web/ && touch dist/.built web/dist/index.html`

/** A clone as a person has it after an install: the files of git, the packages and the build of this run. */
function makeClone(clone: string): void {
  git(ROOT, 'clone', '--quiet', ROOT, clone)
  const changed = git(ROOT, 'ls-files', '-z', '--modified', '--others', '--exclude-standard').split('\0')
  for (const file of changed.filter(Boolean)) {
    rmSync(join(clone, file), { force: true })
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(clone, file), { recursive: true })
  }
  git(clone, 'add', '--all')
  git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'changes of the working tree')
  // Links, so that nothing that npm does in the clone reaches the packages of this run.
  // Sources that have changed since the build run themselves.
  const builtMs = statSync(join(ROOT, 'dist/.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const isBuilt = sources.every((file) => statSync(join(ROOT, file)).mtimeMs <= builtMs)
  for (const made of ['node_modules', ...(isBuilt ? ['dist', 'web/dist'] : [])]) {
    mkdirSync(join(clone, made))
    for (const name of existsSync(join(ROOT, made)) ? readdirSync(join(ROOT, made)) : [])
      if (name !== '.built') symlinkSync(join(ROOT, made, name), join(clone, made, name))
  }
  // The files of a clone are newer than the build that they belong to.
  if (isBuilt) writeFileSync(join(clone, 'dist/.built'), '')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}
