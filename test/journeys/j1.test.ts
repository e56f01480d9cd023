import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { type Answer, baton, onTerminal } from '../support/program/command.ts'

/** Runs lines as a person types them into a shell; `baton` stands for the installed command. */
function typed(cwd: string) {
  return (line: string): Promise<Answer> => baton({ cwd }, ...words(line))
}

/** Splits a line as a shell does, as far as the journey needs it. */
function words(line: string): string[] {
  const found = line.replaceAll('\\\n', ' ').match(/(?:"[^"]*"|[^\s"])+/g) ?? []
  return found.slice(1).map((word) => word.replaceAll('"', ''))
}

const SEND = `baton send --to codex --title "Add rate limiting" --summary "API needs limits before launch; plan agreed in standup" \\
    --deliverable "Middleware in src/" --criterion "npm test passes"`

describe('J1, the first handoff', () => {
  it('goes from sending to done as it is typed, in a git repository where nobody has used Baton', async (t) => {
    const cwd = folders(t).repository('shop')
    const type = typed(cwd)

    const sent = await type(SEND)
    assert.deepEqual(
      [sent.code, sent.stderr, sent.stdout],
      [
        0,
        '✓ created workspace .baton/ (SQLite)\n',
        `✓ HO-${new Date().getUTCFullYear()}-001 to codex, waiting to be accepted\n`,
      ],
    )
    assert.equal(readFileSync(join(cwd, '.baton', '.gitignore'), 'utf8'), '*\n')
    const inbox = await type('baton inbox --as codex')
    assert.match(inbox.stdout, /^accept\tHO-\d{4}-001\tAdd rate limiting\t/)
    assert.match((await type('baton accept @ --as codex')).stdout, /^✓ HO-\d{4}-001 is yours, in progress\n$/)
    const submitted = await type(
      'baton submit @ --as codex --evidence "Middleware in src/=src/limit.ts" -m "12 tests"',
    )
    assert.match(submitted.stdout, /^✓ HO-\d{4}-001 is handed in; \S+ verifies it\n$/)
    const asked = await type('baton verify @')
    assert.deepEqual(
      [asked.code, asked.stderr],
      [2, '✗ say what you judge: --pass, or --fail -m "why" (a terminal would ask)\n'],
    )

    const screen = onTerminal({ cwd }, words('baton verify @'), { steps: [['Does it pass?', 'y\n']] })

    assert.match(screen.shown, /✓ Middleware in src\/\n +=\s+src\/limit\.ts/)
    assert.match(screen.shown, /npm test passes/)
    assert.match(screen.shown, /✓ HO-\d{4}-001 is completed/)
    assert.equal(screen.code, 0)
    const shown = await type('baton show @')
    assert.match(shown.stdout, /^HO-\d{4}-001 {2}Add rate limiting\n\S+ → codex · completed/)
    for (const act of ['send', 'accept', 'submit', 'verify_pass'])
      assert.match(shown.stdout, new RegExp(`\\thandoff\\.${act}\\t`))
    assert.match(shown.stdout, /\thandoff\.verify_pass\ttty\t/)
  })

  it('says the workspace once and points at a criterion that nobody can measure', async (t) => {
    const type = typed(folders(t).repository('shop'))

    const first = await type('baton send --to codex --title "Tidy up" --criterion "write good code"')
    const second = await type('baton send --to codex --title "Tidy up again"')

    assert.match(
      first.stderr,
      /^✓ created workspace .*\n! criterion "write good code" is not measurable \("good"\)/,
    )
    assert.equal(second.stderr.includes('created'), false)
  })

  it('lets a receiver that submitted nothing not complete, and no receiver verify its own work', async (t) => {
    const type = typed(folders(t).repository('shop'))
    await type(SEND)
    await type('baton accept @ --as codex')

    const empty = await type('baton submit @ --as codex')
    const early = await type('baton handoff complete 1 --as codex')
    await type('baton submit @ --as codex --evidence "Middleware in src/=src/limit.ts"')
    const own = await type('baton verify 1 --as codex --pass')

    assert.equal(empty.code, 8)
    assert.match(empty.stderr, /no evidence for "Middleware in src\/"/)
    assert.equal(early.code, 4)
    assert.equal(own.code, 4)
    assert.match(own.stderr, /^✗ codex may not verify HO-\d{4}-001; .*never its receiver codex\n$/)
  })

  it('asks for baton init in a folder without git, and leaves nothing behind', async (t) => {
    const cwd = folders(t).folder('plain')

    const { code, stderr } = await baton({ cwd }, ...words(SEND))

    assert.equal(code, 4)
    assert.match(stderr, /^✗ .*not in a git repository.*run: baton init\n$/)
    assert.equal(existsSync(join(cwd, '.baton')), false)
  })
})
