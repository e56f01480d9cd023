import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { guideCommands, shellWords } from '../support/documents/guide-commands.ts'
import { quick } from '../support/program/command.ts'
import { PROGRAMS, textOf } from './files.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const guide = (name: string): string => readFileSync(join(DOCS, name), 'utf8')

describe('the guide to the first handoff', () => {
  it('has a picture of its commands', () => {
    const commands = guideCommands(guide('tutorials/first-handoff.md'))
    const picture = guide('tutorials/first-handoff.svg')

    for (const command of commands)
      assert.ok(picture.includes(shellWords(command).slice(0, 2).join(' ')), command)
    assert.equal(commands.length, 6)
  })
})

describe('the guide of each program', () => {
  for (const program of PROGRAMS)
    it(`of ${program} names the files that setup writes, and commands that work`, async (t) => {
      const cwd = folders(t).repository('shop')
      const page = guide(`how-to/${program}.md`)
      const { stdout } = await quick({ cwd }, 'setup', program, '--yes', '--json')

      for (const { path } of JSON.parse(stdout).files as { path: string }[]) {
        const name = path.startsWith(cwd) ? path.slice(cwd.length + 1) : `~/${relative(dirname(cwd), path)}`
        assert.ok(page.includes(`\`${name}\``), name)
      }
      for (const command of guideCommands(page)) {
        const { code, stderr } = await quick({ cwd }, ...shellWords(command).slice(1), '--yes')
        assert.equal(code, 0, `${command}\n${stderr}`)
      }
      assert.ok(guideCommands(page).length >= 3)
      assert.throws(() => textOf(cwd, JSON.parse(stdout).files[0].path))
    })

  it('is linked from the first one', () => {
    const linked = [...guide('tutorials/first-handoff.md').matchAll(/\]\(\.\.\/how-to\/([\w-]+\.md)\)/g)].map(
      ([, file]) => file!,
    )
    const files = readdirSync(join(DOCS, 'how-to'))

    assert.deepEqual(linked.sort(), PROGRAMS.map((name) => `${name}.md`).sort())
    for (const file of linked) assert.ok(files.includes(file), file)
  })
})
