import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { BATON, baton, cleanEnv, type Where } from '../support/program/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'baton-compiled-'))
after(() => rmSync(folder, { recursive: true, force: true }))

describe('compiled code that the command keeps', () => {
  it('is kept where only its user can write, and used by the next run', async () => {
    const { where, place } = fresh('kept')
    const first = await inbox(where)
    const kept = codeIn(place)
    const times = kept.map(({ file }) => statSync(file).mtimeMs)
    const second = await inbox(where)

    assert.ok(kept.some(({ name }) => name.startsWith('daily-')))
    // Beside it Node keeps code of its own, as open as the user's umask.
    assert.equal(statSync(join(place, `baton-code-${process.getuid?.()}`)).mode & 0o777, 0o700)
    assert.deepEqual(second, first)
    assert.deepEqual(
      kept.map(({ file }) => statSync(file).mtimeMs),
      times,
    )
  })

  it('grows by what another command needs', async () => {
    const { where, place } = fresh('grown')
    await inbox(where)
    const before = codeIn(place)
    await send(where)
    const after = codeIn(place)

    assert.ok(sizeOf(after, 'daily-') > sizeOf(before, 'daily-'))
    assert.ok(after.length > before.length)
  })

  it('is made again when it is broken, cut off, empty, a link or another’s', async () => {
    const { where, place } = fresh('broken')
    await inbox(where)
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'mine')
    const damage: ((file: string, content: Buffer) => void)[] = [
      (file, content) => writeFileSync(file, content.subarray(0, content.length / 2)),
      (file, content) => writeFileSync(file, content.fill(0, content.length >> 1)),
      (file, content) => writeFileSync(file, content.fill(0, content.length >> 2, content.length >> 1)),
      (file) => writeFileSync(file, ''),
      (file) => {
        rmSync(file)
        symlinkSync(victim, file)
      },
      // Only an administrator can give a file away.
      ...(process.getuid?.() === 0 ? [(file: string) => chownSync(file, 65_534, 65_534)] : []),
    ]
    for (const harm of damage) {
      const before = codeIn(place)
      for (const { file, content } of before) harm(file, content)
      await inbox(where)

      for (const { file } of before) {
        const stats = lstatSync(file)
        assert.ok(stats.isFile() && stats.size > 8 && stats.uid === process.getuid?.(), file)
      }
      assert.equal(readFileSync(victim, 'utf8'), 'mine')
    }
  })

  it('is not that of a file which was changed by hand', async () => {
    const { where, place } = fresh('patched')
    await inbox(where)
    const before = codeIn(place).map(({ name }) => name)
    const installed = join(folder, 'patched', 'installed')
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(dirname(BATON), '..', part), join(installed, part), { recursive: true })
    const chunks = join(installed, 'dist/chunks')
    const daily = join(chunks, String(readdirSync(chunks).find((name) => name.startsWith('daily-'))))
    const text = readFileSync(daily, 'utf8')
    writeFileSync(daily, text.replaceAll('baton has no command', 'BATON HAS NO COMMAND'))
    const { stderr } = spawnSync(process.execPath, [join(installed, 'bin/baton.js'), 'nonsense'], {
      cwd: where.cwd,
      env: cleanEnv(where),
      encoding: 'utf8',
    })

    assert.match(text, /baton has no command/)
    assert.match(stderr, /BATON HAS NO COMMAND/)
    assert.ok(codeIn(place).length > before.length)
  })

  it('is neither read nor written in a folder that others can write', async () => {
    const { where, place } = fresh('open')
    await inbox(where)
    const [own] = readdirSync(place)
    const kept = codeIn(place)
    for (const { file } of kept) writeFileSync(file, 'of a stranger')
    chmodSync(join(place, String(own)), 0o777)
    await send(where)

    assert.deepEqual(
      codeIn(place).map(({ name, content }) => [name, String(content)]),
      kept.map(({ name }) => [name, 'of a stranger']),
    )
  })

  it('is a favour: a folder that cannot be made, or a wish for none, changes nothing', async () => {
    const { where, place } = fresh('none')
    await send({ ...where, env: { ...where.env, NODE_DISABLE_COMPILE_CACHE: '1' } })
    assert.deepEqual(readdirSync(place), [])

    await send({ ...where, env: { NODE_COMPILE_CACHE: 'below' } })
    assert.ok(!existsSync(join(where.cwd, 'below', `baton-code-${process.getuid?.()}`)))

    writeFileSync(join(folder, 'a-file'), '')
    await send({ ...where, env: { NODE_COMPILE_CACHE: join(folder, 'a-file') } })
  })
})

function fresh(name: string): { where: Where; place: string } {
  const place = join(folder, name, 'code')
  const cwd = join(folder, name, 'work')
  mkdirSync(place, { recursive: true })
  mkdirSync(join(cwd, '.baton'), { recursive: true })
  return { where: { cwd, env: { NODE_COMPILE_CACHE: place } }, place }
}

async function inbox(where: Where): Promise<string> {
  return succeeded(where, 'inbox', '--as', 'codex', '--json')
}

async function send(where: Where): Promise<string> {
  return succeeded(where, 'send', '--as', 'codex', '--to', 'maria', '--title', 'Parser', '--json')
}

async function succeeded(where: Where, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await baton(where, ...args)
  assert.equal(code, 0, stderr)
  return stdout
}

/** Node keeps its own code beside ours when it is told where. */
function codeIn(place: string): { name: string; file: string; content: Buffer }[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.startsWith('baton-code-') && /\.cjs-\w+$/.test(path))
    .map((path) => {
      const file = join(place, path)
      return { name: path.slice(path.lastIndexOf('/') + 1), file, content: readFileSync(file) }
    })
}

function sizeOf(kept: ReturnType<typeof codeIn>, start: string): number {
  return kept.find(({ name }) => name.startsWith(start))?.content.length ?? 0
}
