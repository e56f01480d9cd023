import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { diffOf, SIGNS } from '../../src/setup/diff.ts'
import { applyEdits, type FileEdit } from '../../src/setup/file-edit.ts'
import { HASH_MARKS, withoutSection, withSection } from '../../src/setup/section.ts'
import { statementsOf } from '../../src/setup/toml-edit.ts'
import { UndoFile } from '../../src/setup/undo.ts'
import { folders } from '../support/documents/folders.ts'
import { put, snapshot, textOf } from './files.ts'

const here = (t: TestContext): string => folders(t).folder('project')
const edit = (path: string, before: string | undefined, after: string | undefined): FileEdit => ({
  path,
  before,
  after,
  why: 'a test',
})

describe('edits of files', () => {
  it('make, change and remove files, and leave no draft behind', async (t) => {
    const root = here(t)
    put(root, { 'b.txt': 'old', 'c.txt': 'gone' })
    chmodSync(join(root, 'b.txt'), 0o750)

    const { written, folders: made } = await applyEdits([
      edit(join(root, 'new/deep/a.txt'), undefined, 'a'),
      edit(join(root, 'b.txt'), 'old', 'new'),
      edit(join(root, 'c.txt'), 'gone', undefined),
      edit(join(root, 'd.txt'), undefined, undefined),
      { ...edit(join(root, 'hook'), undefined, '#!/bin/sh\n'), mode: 0o755 },
    ])

    assert.equal(written.length, 4)
    assert.deepEqual(made, [join(root, 'new'), join(root, 'new/deep')])
    assert.deepEqual(readdirSync(root).sort(), ['b.txt', 'hook', 'new'])
    assert.deepEqual([textOf(root, 'new/deep/a.txt'), textOf(root, 'b.txt')], ['a', 'new'])
    assert.equal(statSync(join(root, 'b.txt')).mode & 0o777, 0o750)
    assert.equal(statSync(join(root, 'hook')).mode & 0o777, 0o755)
  })

  const stale: readonly (readonly [string, Readonly<Record<string, string>>, string | undefined])[] = [
    ['was changed', { 'a.txt': 'theirs' }, 'mine'],
    ['has appeared', { 'a.txt': 'theirs' }, undefined],
    ['has gone', {}, 'mine'],
  ]
  for (const [title, files, before] of stale)
    it(`are refused as a whole when one of the files ${title} meanwhile`, async (t) => {
      const root = here(t)
      put(root, files)
      const all = snapshot(root)

      const refused = applyEdits([
        edit(join(root, 'first.txt'), undefined, 'x'),
        edit(join(root, 'a.txt'), before, 'after'),
      ])

      await assert.rejects(refused, {
        code: 'conflict',
        message: /a\.txt has changed since.*run the same command again/,
      })
      assert.deepEqual(snapshot(root), all)
    })

  it('say which files were written when a later one fails, and undoing still knows what was there', async (t) => {
    const root = here(t)
    put(root, { '.baton/.gitignore': '*\n', 'a.txt': 'as it was' })
    const before = snapshot(root)
    const undo = new UndoFile({ root, dir: join(root, '.baton') })
    const [a, b] = [join(root, 'a.txt'), join(root, 'b.txt')]
    const clean = (path: string, before: string | undefined, after: string) => ({
      ...edit(path, before, after),
      isClean: true,
    })

    await assert.rejects(
      undo.apply([clean(a, 'as it was', 'ours'), clean(b, undefined, 'b'), clean(b, undefined, 'again')]),
      { code: 'conflict', message: /already written: .*a\.txt, .*b\.txt$/ },
    )
    await undo.apply([{ ...edit(a, 'ours', 'ours, more of it'), isClean: false }])
    const kept = await undo.original(a, 'ours, more of it')
    await undo.restore([edit(a, 'ours, more of it', kept?.before), edit(b, 'b', undefined)])

    assert.deepEqual(kept, { before: 'as it was' })
    assert.deepEqual(snapshot(root), before)
    assert.equal(existsSync(join(root, '.baton', 'setup.json')), false)
  })
})

describe('the diff of edits', () => {
  it('shows what is added and taken away with the lines around it', () => {
    const lines = Array.from({ length: 12 }, (_, at) => `line ${at}\n`)
    const after = lines.with(6, 'other\nmore\n')

    assert.equal(
      diffOf([edit('/p/a.txt', lines.join(''), after.join(''))], '/p')
        .map(({ kind, text }) => `${SIGNS[kind]}${text}`)
        .join('\n'),
      [
        'a.txt (changed): a test',
        '  …',
        '  line 3',
        '  line 4',
        '  line 5',
        '- line 6',
        '+ other',
        '+ more',
        '  line 7',
        '  line 8',
        '  line 9',
        '  …',
      ].join('\n'),
    )
  })

  it('tells both texts whole, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
      .map((lines) => lines.map((l) => `${l}\n`).join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const shown = diffOf([edit('/p/x', before, `${after}end\n`)], '/p').slice(1)
        if (shown.some(({ kind }) => kind === 'gap')) return
        const side = (kind: string) =>
          shown
            .filter((line) => line.kind === kind || line.kind === 'same')
            .map((line) => `${line.text}\n`)
            .join('')
        assert.deepEqual([side('removed'), side('added')], [before, `${after}end\n`])
      }),
    )
  })
})

describe('a section of ours', () => {
  it('comes out as it went in, whatever the rest of the file is', () => {
    const line = fc.string({ maxLength: 6 }).filter((each) => !/[\r\n]|baton:/.test(each))
    const page = fc
      .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'))
      .map(([all, eol]) => all.join(eol))
    fc.assert(
      fc.property(page, (text) => {
        const once = withSection(text, 'one\ntwo', HASH_MARKS, 'x')

        assert.equal(withSection(once, 'one\ntwo', HASH_MARKS, 'x'), once)
        const back = withoutSection(once, HASH_MARKS, 'x')
        assert.ok(
          back === text || back === `${text}\n` || back === `${text}\r\n`,
          JSON.stringify([text, back]),
        )
      }),
    )
  })
})

describe('the statements of a TOML file', () => {
  it('are found between comments, texts of every kind and brackets over many lines', () => {
    const text = [
      'title = "a # \\" [x]" # why',
      "path = 'C:\\'",
      'long = """',
      '[not.a.table]',
      'says "this" \\""""',
      "raw = '''",
      "x = ''''",
      'list = [ # first',
      '  { a = "]" }, # ]',
      ']',
      '[ a . "b.c" ]',
      'key.sub = 2026-11-15T10:00:00Z',
      '[[many]]',
      "'quoted key' = 1",
    ].join('\n')

    assert.deepEqual(
      statementsOf(text, 'x').map(({ kind, name, line }) => `${line} ${kind} ${name}`),
      [
        '1 key title',
        '2 key path',
        '3 key long',
        '6 key raw',
        '8 key list',
        '11 table a.b.c',
        '12 key key.sub',
        '13 table many',
        '14 key quoted key',
      ],
    )
  })
})
