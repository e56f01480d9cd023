import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { lines, onTerminal } from '../support/program/command.ts'

const README = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8').replaceAll(
  /\\\n\s*/g,
  '',
)
/** The README's line that begins so, as it stands there. */
const line = (start: string): string => {
  const said = README.split('\n').map((each) => each.replace(/ +# .*/, ''))
  const found = said.find((each) => each === start) ?? said.find((each) => each.startsWith(start))
  assert.ok(found, `the README does not say ${start}`)
  return found
}
const words = (typed: string): string[] =>
  (typed.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).slice(1).map((word) => word.replaceAll('"', ''))

type Answers = readonly (readonly [seen: string, typed: string])[]

describe('a team of three agents and a person, by the README alone', () => {
  it('goes from the setup to the release in terminals of 80 and 120 columns; each next: works', (t) => {
    const files = folders(t)
    const cwd = files.repository('shop')
    const tools = files.folder('bin')
    writeFileSync(join(tools, 'baton'), '', { mode: 0o755 })
    mkdirSync(join(cwd, 'src'))
    writeFileSync(join(cwd, 'src', 'limit.ts'), '')
    const where = { cwd, env: { PATH: `${tools}:${process.env.PATH}` } }
    const told = new Set<string>()
    const type = (typed: string, { columns = 80, steps = [] as Answers } = {}): string => {
      const { code, shown } = onTerminal(where, words(typed), { columns, steps })
      assert.equal(code, 0, `$ ${typed}\n${shown}`)
      // What setup shows are lines of files, as they will be written. A path is not broken.
      const wide = lines(shown).filter(
        (each) => each.length > columns && !/^[+ ] /.test(each) && !each.includes(cwd),
      )
      assert.deepEqual(wide, [], `$ ${typed}, in ${columns} columns`)
      told.delete(typed)
      for (const [, next] of shown.matchAll(/^next: (baton .*)$/gm)) told.add(next!)
      return shown
    }
    /** Types the command that was printed last, with the placeholders filled in. */
    const follow = (shown: string, filled: Readonly<Record<string, string>> = {}, steps: Answers = []) => {
      const next = /^next: (baton .*)$/m.exec(shown)?.[1]
      assert.ok(next, `no next: in\n${shown}`)
      told.delete(next)
      return type(
        Object.entries(filled).reduce((text, [name, value]) => text.replaceAll(name, value), next),
        { steps },
      )
    }
    const works = (agent: string, note: string) => {
      follow(type(`baton inbox --as ${agent}`))
      assert.match(type(`baton submit @ --as ${agent} -m "${note}"`), /is completed/)
    }

    // Your first handoff
    type(line('baton send --to codex --title "Add rate limiting"'))
    const taken = follow(type(line('baton inbox --as codex')))
    follow(taken, { '<deliverable>': 'Middleware in src/', '<proof>': 'src/limit.ts' })
    follow(type('baton inbox'), {}, [['Does it pass?', 'y\n']])
    assert.match(type(line('baton show @'), { columns: 120 }), /Deliverable +✓ Middleware in src\/\n +=/)

    // With agents
    const asked: Answers = [
      ['Write this?', 'y\n'],
      ['Allow this?', 'y\n'],
    ]
    type(line('baton setup claude-code'), { steps: asked })
    const steps = follow(type(line('baton send --to claude')))
    assert.match(steps, /0 of 4 steps[\s\S]*claude[\s\S]*codex[\s\S]*gemini[\s\S]*human/)
    follow(type('baton inbox --as claude'))

    // With people
    type(line('baton send --as claude --to human --type gate'))
    for (const columns of [80, 120]) {
      const status = type(line('baton status'), { columns })
      assert.match(status.replaceAll(/\s+/g, ' '), /Is the plan good\?: a decision is awaited/)
    }
    const held = onTerminal(where, words('baton submit @ --as claude -m "docs/plan.md"'))
    assert.match(held.shown, /cannot be completed yet: the gate plan/)
    const inbox = type(line('baton inbox'), { columns: 120 })
    assert.match(inbox, /decide +\S+ +Gate: plan/)
    follow(inbox, {}, [
      ['approve', 'approve\n'],
      ['[y/N]', 'y\n'],
    ])
    type('baton submit @ --as claude -m "docs/plan.md"')
    works('codex', 'built')
    works('gemini', 'tested')
    follow(type(line('baton inbox')))
    type('baton submit @ -m "released"')

    assert.match(type(line('baton status'), { columns: 120 }), /Handoffs +\d+ completed\n/)
    assert.deepEqual([...told], [], 'printed after next: and never typed')
  })
})
