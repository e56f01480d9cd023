import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import {
  markdownDocument,
  packageDocument,
  queueDocument,
  recordDocument,
  summaryDocument,
} from '../support/documents/documents.ts'
import { folders, git } from '../support/documents/folders.ts'
import { ask, baton, lines, onTerminal, quick, refusal } from '../support/program/command.ts'

const ID = 'handoff-grok-claude-BPRD-2026-0042-20260221'

interface Entry {
  readonly file: string
  readonly dialect: string | null
  readonly ok: boolean
  readonly summary: Readonly<Record<string, string | null>>
  readonly diagnostics: readonly Readonly<Record<string, string | number>>[]
}

/** A folder without a workspace and without git. */
function desk(t: TestContext, files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const { path } = folders(t)
  const cwd = path('desk')
  const put = (name: string, content: string | Uint8Array): void => {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), content)
  }
  mkdirSync(cwd)
  for (const [name, content] of Object.entries(files)) put(name, content)
  return { cwd, put, at: (name: string) => join(cwd, name) }
}

const entriesOf = (stdout: string): readonly Entry[] =>
  (JSON.parse(stdout) as { documents: Entry[] }).documents

describe('baton check', () => {
  it('shows where a document is wrong as compilers do, counts, and exits with 8', async (t) => {
    const where = desk(t, {
      'good.md': markdownDocument(),
      'bad.md': markdownDocument({ id: 'bad' }).replace('status: Active', 'status: Sleeping'),
    })

    const { code, stdout, stderr } = await baton(where, 'check', 'good.md', 'bad.md')

    assert.deepEqual([code, stderr], [8, ''])
    const shown = lines(stdout)
    const at = shown.findIndex((line) => /^bad\.md:\d+:\d+ error \w+: .*Sleeping/.test(line))
    assert.ok(at >= 0, stdout)
    assert.match(shown[at + 1]!, /^ {4}status: Sleeping {2}# set by hand$/)
    const column = Number(shown[at]!.split(':')[2]?.split(' ')[0])
    assert.equal(shown[at + 2], `    ${' '.repeat(column - 1)}^`)
    assert.ok(shown.some((line) => line.startsWith(`✓ good.md: markdown`) && line.includes('grok → claude')))
    assert.match(shown.at(-1)!, /^2 files, 2 documents, \d+ errors?, \d+ warnings?$/)
    assert.equal(existsSync(where.at('.baton')), false)
  })

  it('prints the same as JSON, one entry for each document and at least one for each file', async (t) => {
    const where = desk(t, {
      'report.md': summaryDocument({}, { from: 'b' }),
      'notes.txt': 'Nothing of ours.\n',
      'hoff-1.json': queueDocument('hoff-1'),
    })

    const { code, stdout } = await baton(where, 'check', 'report.md', 'notes.txt', 'hoff-1.json', '--json')

    assert.equal(code, 8)
    const entries = entriesOf(stdout)
    assert.deepEqual(
      entries.map(({ file, dialect, ok }) => [file, dialect, ok]),
      [
        ['report.md', 'block', true],
        ['report.md', 'block', true],
        ['notes.txt', null, false],
        ['hoff-1.json', 'queue', true],
      ],
    )
    for (const entry of entries) {
      assert.deepEqual(Object.keys(entry), ['file', 'dialect', 'ok', 'summary', 'diagnostics'])
      assert.deepEqual(Object.keys(entry.summary), [
        'id',
        'from',
        'to',
        'status',
        'state',
        'task',
        'title',
        'createdAt',
      ])
      for (const each of entry.diagnostics)
        assert.deepEqual(Object.keys(each), ['severity', 'code', 'message', 'line', 'column'])
    }
    assert.deepEqual(Object.keys(JSON.parse(stdout)), ['documents'])
    assert.deepEqual(
      [entries[3]?.summary.id, entries[3]?.summary.from, entries[3]?.summary.state],
      ['hoff-1', 'frontend-orchestrator', 'offered'],
    )
  })

  it('finds one sample of each format in examples/documents, and nothing wrong in it', async () => {
    const cwd = resolve(import.meta.dirname, '../../examples/documents')
    const { code, stdout } = await quick({ cwd }, 'check', '.', '--strict', '--json')

    assert.equal(code, 0, stdout)
    assert.deepEqual(
      entriesOf(stdout)
        .flatMap(({ dialect }) => dialect ?? [])
        .sort(),
      ['block', 'markdown', 'package', 'queue', 'writeback'],
    )
  })

  it('reads the pipe, and counts warnings as errors when it is strict', async (t) => {
    const where = desk(t)
    const odd = { ...where, input: '{"task_id": "P0.1.1", "progress": 40}\n' }

    assert.equal((await baton({ ...where, input: summaryDocument({}) }, 'check', '-')).code, 0)
    const [entry] = entriesOf((await quick(odd, 'check', '-', '--json')).stdout)
    assert.equal(entry?.file, '-')
    assert.deepEqual([entry?.ok, entry?.diagnostics[0]?.severity], [true, 'warning'])
    assert.notEqual((await quick(odd, 'check', '-', '--strict')).code, 0)
  })

  it('prints SARIF that code scanning takes', async (t) => {
    const where = desk(t, { 'my notes/bad.md': markdownDocument({ status: 'Sleeping' }) })

    const { code, stdout } = await baton(where, 'check', '.', '--sarif')

    assert.equal(code, 8)
    const { $schema, version, runs } = JSON.parse(stdout)
    assert.deepEqual(
      [$schema, version, runs.length],
      ['https://json.schemastore.org/sarif-2.1.0.json', '2.1.0', 1],
    )
    const [{ tool, results }] = runs
    const [first] = results
    assert.equal(tool.driver.rules[first.ruleIndex].id, first.ruleId)
    assert.ok(['error', 'warning', 'note'].includes(first.level))
    const { artifactLocation, region } = first.locations[0].physicalLocation
    assert.equal(artifactLocation.uri, 'my%20notes/bad.md')
    assert.ok(region.startLine >= 1 && region.startColumn >= 1)
    assert.equal((await refusal(where, 'check', '.', '--sarif')).exit, 2)
  })

  it('walks folders in the order of names, past git, packages and links, and blames no other file', async (t) => {
    const where = desk(t, {
      'b/two.md': markdownDocument(),
      'a/one.json': queueDocument('hoff-1'),
      'README.md': '# A project\n\nNothing of ours.\n',
      'package.json': '{"name": "shop"}\n',
      'program.ts': 'export {}\n',
      '.git/handoff.md': markdownDocument({ status: 'Broken' }),
      'node_modules/x/handoff.md': markdownDocument({ status: 'Broken' }),
      '.project/07-audit/sessions/s1/handoffs/HO-001.yaml': packageDocument('HO-001', '2026-02-21T09:00:00Z'),
    })
    const outside = desk(t, { 'handoff.md': markdownDocument({ status: 'Broken' }) })
    symlinkSync(outside.cwd, where.at('link'))
    symlinkSync(where.cwd, where.at('a/loop'))

    const { code, stdout } = await quick(where, 'check', '.', '--json')

    assert.deepEqual(
      entriesOf(stdout).map(({ file, ok }) => [file, ok]),
      [
        ['.project/07-audit/sessions/s1/handoffs/HO-001.yaml', true],
        ['README.md', true],
        ['a/one.json', true],
        ['b/two.md', true],
        ['package.json', true],
      ],
    )
    assert.equal(code, 0)
  })

  it('takes nothing for a handoff that only speaks of them, and hears of what was meant as one', async (t) => {
    const where = desk(t, {
      'README.md': '# Shop\n\nWe send a handoff to codex; its task_id: is in the log.\n',
      'docs/handoff-guide.md': '# Handoffs\n\nHow to acknowledge one.\n',
      'docs/handoff.schema/x.json': '{"properties": {"from_agent": {}}}\n',
      'notes/broken.md': '---\nhandoff_id: "x\nfrom_agent: grok\n---\n',
      'notes/keys.json': '{"from_agent": "grok"}\n',
      'notes/handoff-1.json': '{"a": 1}\n',
    })
    await quick(where, 'setup', 'claude-code', '--yes')
    const meant = ['notes/broken.md', 'notes/handoff-1.json', 'notes/keys.json']

    const { code, stdout } = await quick(where, 'check', '.', '--json')
    const wrong = entriesOf(stdout).flatMap(({ file, ok }) => (ok ? [] : [file]))
    const imported = await quick(where, 'import', '.', '--json', '--as', 'maria')
    const { items } = JSON.parse(imported.stdout) as { items: { file: string }[] }

    assert.deepEqual([code, wrong], [8, meant])
    assert.deepEqual(
      items.map(({ file }) => file),
      meant,
    )
    assert.equal((await quick(where, 'check', 'README.md')).code, 8)
  })

  it('[S0-57] [S0-59] [S0-68] names required keys that are there and say nothing, also where others say it', async (t) => {
    const file = '_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20260221.md'
    const where = desk(t, {})
    const wrong = async (text: string) => {
      where.put(file, text)
      const { code, stdout } = await quick(where, 'check', file, '--json')
      const errors = entriesOf(stdout)[0]!.diagnostics.filter(({ severity }) => severity === 'error')
      return [code, ...errors.map(({ code: what, message }) => `${what} ${String(message).split(';')[0]}`)]
    }
    assert.deepEqual(await wrong(markdownDocument()), [0])

    for (const key of ['title', 'handoff_id', 'from_agent', 'to_agent', 'related_task', 'created_at'])
      for (const blank of ['null', '"  "', '']) {
        const text = markdownDocument().replace(new RegExp(`^${key}: .*$`, 'm'), `${key}: ${blank}`)
        const [code, error, ...others] = await wrong(text)
        assert.deepEqual([code, others], [8, []])
        assert.match(String(error), new RegExp(`^required_field ${key} is empty`))
      }
  })

  it('does not read what is no text or too large, and says so', async (t) => {
    const where = desk(t, {
      'in/handoff.md': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]),
      'in/large.json': Buffer.alloc(33 * 1024 * 1024, 'x'),
      'in/latin.md': Buffer.from(markdownDocument({ title: 'Gr\u00fc\u00dfe' }), 'latin1'),
    })

    const walked = await quick(where, 'check', 'in', '--json')
    const named = await quick(where, 'check', 'in/handoff.md', '--json')

    assert.deepEqual(
      entriesOf(walked.stdout).map(({ file, ok, diagnostics }) => [file, ok, diagnostics[0]?.code]),
      [
        ['in/handoff.md', true, 'binary_file'],
        ['in/large.json', true, 'file_too_large'],
        ['in/latin.md', true, 'not_utf8'],
      ],
    )
    assert.deepEqual([named.code, entriesOf(named.stdout)[0]?.ok], [8, false])
  })

  it('takes control characters out of what it shows', async (t) => {
    const where = desk(t, { 'bad.md': markdownDocument({ status: '\u001b]0;owned\u0007Sleeping' }) })

    const { stdout } = await quick(where, 'check', 'bad.md')

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
    assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f]/)
  })

  it('looks at two thousand files on threads, in order, with progress on a terminal only', async (t) => {
    const where = desk(t)
    const name = (n: number) => `all/${String(n).padStart(4, '0')}.md`
    for (let n = 0; n < 2_000; n++)
      where.put(
        name(n),
        n % 500 === 7 ? summaryDocument({ status: 'nonsense' }) : summaryDocument({ from: `a${n}` }),
      )

    const { code, stdout, stderr } = await baton(where, 'check', 'all', '--json')
    const shown = onTerminal(where, ['check', 'all'])

    assert.deepEqual([code, stderr], [8, ''])
    const entries = entriesOf(stdout)
    assert.deepEqual(
      entries.map(({ file }) => file),
      Array.from({ length: 2_000 }, (_, n) => name(n)),
    )
    assert.deepEqual(
      entries.filter(({ ok }) => !ok).map(({ file }) => file),
      [7, 507, 1_007, 1_507].map(name),
    )
    assert.equal(entries[1_999]?.summary.from, 'a1999')
    assert.match(shown.raw, /checked \d+ of 2000 files/)
    assert.match(shown.shown, /2000 files, 2000 documents, 4 errors/)
  })

  it('[S4-33] compares the artifacts of a package with what git says was changed', async (t) => {
    const files = folders(t)
    const where = { cwd: files.repository('shop') }
    const put = (name: string, text: string) => files.file(`shop/${name}`, text)
    put('docs/specs/search.md', '# Search\n')
    put('src/index.ts', 'export {}\n')
    git(where.cwd, 'add', '.')
    git(where.cwd, 'commit', '--quiet', '--message', 'work')
    put('src/left out.ts', 'export {}\n')
    put('handoff.yaml', packageDocument('HO-2026-001', '2026-02-21T09:00:00Z'))

    const { code, stdout } = await baton(where, 'check', 'handoff.yaml', '--git', 'HEAD~1', '--json')
    const clean = await ask<{ documents: Entry[] }>(where, 'check', 'handoff.yaml')

    assert.equal(code, 0)
    const [entry] = entriesOf(stdout)
    assert.deepEqual(
      entry?.diagnostics.map((each) => [each.code, String(each.message).split(' was ')[0]]),
      [
        ['artifact_unlisted', 'src/index.ts'],
        ['artifact_unlisted', 'src/left out.ts'],
      ],
    )
    const line = Number(entry?.diagnostics[0]?.line)
    assert.match(packageDocument('', '').split('\n')[line - 1]!, /artifacts:|path:/)
    assert.deepEqual(clean.documents[0]?.diagnostics, [])
    assert.equal((await quick(where, 'check', 'handoff.yaml', '--git', 'HEAD~1', '--strict')).code, 8)
    assert.equal((await refusal(where, 'check', 'handoff.yaml', '--git', '--output=x')).exit, 2)
  })

  it('refuses what is not there and what contradicts itself', async (t) => {
    const where = desk(t)

    assert.equal((await refusal(where, 'check', 'missing.md')).exit, 3)
    assert.equal((await refusal(where, 'check')).exit, 2)
    assert.equal((await refusal(where, 'check', '-', '.')).exit, 2)
  })
})

describe('baton convert', () => {
  it('writes another dialect without a workspace and tells on standard error what is lost', async (t) => {
    const where = desk(t, { 'handoff.md': markdownDocument() })

    const { code, stdout, stderr } = await baton(where, 'convert', 'handoff.md', '--to', 'package')

    assert.equal(code, 0, stderr)
    assert.match(stdout, /^handoff:\n/)
    assert.match(stderr, /^! lost [\w., ]*\back_deadline\b[\w., ]*; --json says why\n$/)
    const { losses } = await ask<{ losses: { field: string; reason: string }[] }>(
      where,
      ...['convert', 'handoff.md', '--to', 'package'],
    )
    assert.match(losses.find(({ field }) => field === 'ack_deadline')?.reason ?? '', /no deadline/)
    assert.equal(existsSync(where.at('.baton')), false)
    const piped = await quick({ ...where, input: stdout }, 'check', '-', '--json')
    assert.equal(entriesOf(piped.stdout)[0]?.dialect, 'package')
  })

  it('lists what is missing as the options that supply it, and exits with 8', async (t) => {
    const where = desk(t, { 'handoff.md': markdownDocument() })

    const { code, stdout, stderr } = await baton(where, 'convert', 'handoff.md', '--to', 'writeback')
    const sha = 'b'.repeat(40)
    const supplied = await quick(
      where,
      'convert',
      'handoff.md',
      '--to',
      'writeback',
      ...['record.branch=main', `record.commit_sha=${sha}`, 'record.tests_run=npm test'].flatMap((set) => [
        '--set',
        set,
      ]),
    )

    assert.deepEqual([code, stdout], [8, ''])
    assert.match(stderr, /^ {2}--set record\.commit_sha=… {2}\S/m)
    assert.equal(supplied.code, 0, supplied.stderr)
    assert.equal(JSON.parse(supplied.stdout).commit_sha, sha)
  })

  it('writes a new file, and replaces one only when it is told to', async (t) => {
    const where = desk(t, { 'handoff.md': markdownDocument(), 'there.yaml': 'mine\n' })
    const to = ['convert', 'handoff.md', '--to', 'package', '--quiet']

    const made = await quick(where, ...to, '-o', 'new.yaml')
    const refused = await refusal(where, ...to, '-o', 'there.yaml')

    assert.deepEqual([made.code, made.stdout], [0, '✓ written to new.yaml\n'])
    assert.match(readFileSync(where.at('new.yaml'), 'utf8'), /^handoff:\n/)
    assert.deepEqual([refused.exit, readFileSync(where.at('there.yaml'), 'utf8')], [6, 'mine\n'])
    assert.equal((await quick(where, ...to, '-o', 'there.yaml', '--force')).code, 0)
    assert.match(readFileSync(where.at('there.yaml'), 'utf8'), /^handoff:\n/)
  })

  it('comes back exactly by the slot', async (t) => {
    const where = desk(t, { 'hoff.json': queueDocument('hoff-001-1', { priority: 'critical' }) })

    const there = await quick(where, 'convert', 'hoff.json', '--to', 'package', '--slot', '--json')
    const { text, losses } = JSON.parse(there.stdout)
    const back = await quick({ ...where, input: text }, 'convert', '-', '--to', 'queue', '--json')

    assert.deepEqual(losses, [])
    const before = JSON.parse(readFileSync(where.at('hoff.json'), 'utf8'))
    assert.deepEqual(JSON.parse(JSON.parse(back.stdout).text), before)
  })

  it('refuses several files, a folder and a dialect that there is not', async (t) => {
    const where = desk(t, { 'a.md': markdownDocument(), 'b.md': markdownDocument() })

    assert.equal((await refusal(where, 'convert', 'a.md', 'b.md', '--to', 'queue')).exit, 2)
    assert.equal((await refusal(where, 'convert', '.', '--to', 'queue')).exit, 2)
    assert.equal((await refusal(where, 'convert', 'a.md')).exit, 2)
    assert.equal((await refusal(where, 'convert', 'a.md', '--to', 'latin')).exit, 2)
    assert.equal((await refusal(where, 'convert', 'a.md', '--to', 'queue', '--set', 'nothing')).exit, 2)
  })
})

describe('baton import and export', () => {
  function shop(t: TestContext) {
    const files = folders(t)
    return {
      cwd: files.repository('shop'),
      put: (name: string, text: string) => files.file(`shop/${name}`, text),
    }
  }

  it('takes a folder of files in, once, and shows what became of each', async (t) => {
    const where = shop(t)
    where.put(`_handoffs/active/${ID}.md`, markdownDocument())
    where.put('_handoffs/active/copy.md', markdownDocument())
    where.put('_handoffs/active/broken.md', markdownDocument({ status: 'Sleeping' }))
    where.put('_handoffs/README.md', '# What is here\n')
    where.put('records/p011.json', recordDocument('P0.1.1'))

    const first = await baton(where, 'import', '_handoffs', 'records')
    const again = await ask<{ items: { file: string; outcome: string }[] }>(
      where,
      'import',
      `_handoffs/active/${ID}.md`,
    )

    assert.equal(first.code, 8)
    const said = lines(first.stdout).map((line) => line.replace(/ {2}.*?(imported|twin|refused).*/, ' $1'))
    assert.deepEqual(said, [
      '✗ _handoffs/active/broken.md refused',
      '✓ _handoffs/active/copy.md imported',
      `! _handoffs/active/${ID}.md twin`,
      '✓ records/p011.json imported',
      '4 documents: 1 refused, 2 imported, 1 twin',
    ])
    assert.deepEqual(
      again.items.map(({ outcome }) => outcome),
      ['twin'],
    )
    const { handoff } = await ask<{ handoff: { home: string; imported_at: string } }>(where, 'show', ID)
    assert.equal(handoff.home, 'markdown')
  })

  it('[S0-20] reports one handoff at two places as a twin, also where both files are the same', async (t) => {
    const where = shop(t)
    where.put(`_handoffs/active/${ID}.md`, markdownDocument())
    where.put(`_handoffs/archived/2026/02/${ID}.md`, markdownDocument())

    const { items } = await ask<{ items: { outcome: string; names?: string[] }[] }>(
      where,
      'import',
      '_handoffs',
    )

    assert.deepEqual(
      items.map(({ outcome, names }) => [outcome, names]),
      [
        ['imported', undefined],
        ['twin', [`_handoffs/active/${ID}.md`, `_handoffs/archived/2026/02/${ID}.md`]],
      ],
    )
  })

  it('works on the path within the project, wherever it is typed', async (t) => {
    const where = shop(t)
    where.put(
      'handoffs/in-progress/hoff-001.json',
      queueDocument('hoff-001', { status: 'in_progress', started_at: '2026-02-21T10:05:00Z' }),
    )

    const below = { cwd: join(where.cwd, 'handoffs/in-progress'), env: { HOME: dirname(where.cwd) } }
    await ask(below, 'import', 'hoff-001.json')

    const { handoff } = await ask<{ handoff: { state: string } }>(where, 'show', 'hoff-001')
    assert.equal(handoff.state, 'in_progress')
  })

  it('writes a handoff as a document that is known again', async (t) => {
    const where = shop(t)
    await ask(
      where,
      ...['send', '--to', 'codex', '--title', 'Add limits', '--task', 'BPRD-2026-0001'],
      ...[
        '--summary',
        'The limits are agreed and the plan is written down.',
        '--deliverable',
        'Middleware in src/',
      ],
    )

    const made = await baton(where, 'export', '1', '--to', 'package', '-o', 'handoff.yaml')
    const { items } = await ask<{ items: { outcome: string; id: string }[] }>(where, 'import', 'handoff.yaml')

    assert.deepEqual([made.code, made.stdout], [0, '✓ written to handoff.yaml\n'], made.stderr)
    assert.deepEqual(
      items.map(({ outcome, id }) => [outcome, id]),
      [['unchanged', items[0]?.id]],
    )
    assert.match(items[0]?.id ?? '', /^HO-\d{4}-001$/)
  })

  it('writes what the receiver understood, so that check warns only where nothing was said', async (t) => {
    const where = shop(t)
    const summary = 'The limits are agreed and the plan is written down.'
    const warnings = async (id: string, ...understood: string[]) => {
      await ask(
        where,
        'send',
        '--to',
        'codex',
        '--title',
        'Work',
        '--summary',
        summary,
        '--deliverable',
        'Docs',
      )
      await ask(where, 'accept', id, '--as', 'codex', ...understood)
      await quick(where, 'export', id, '--to', 'package', '-o', `${id}.yaml`)
      const { code, stdout } = await quick(where, 'check', `${id}.yaml`, '--json')
      return [code, ...entriesOf(stdout).flatMap(({ diagnostics }) => diagnostics.map((each) => each.code))]
    }

    assert.deepEqual(await warnings('1', '--understood', 'Add limits'), [0])
    assert.deepEqual(await warnings('2'), [0, 'missing_understood'])
  })

  it('writes a task by its id, and refuses what is neither', async (t) => {
    const where = shop(t)
    where.put('p011.json', recordDocument('P0.1.1'))
    await ask(where, 'import', 'p011.json')

    assert.equal(JSON.parse((await quick(where, 'export', 'P0.1.1')).stdout).task_id, 'P0.1.1')
    assert.equal((await refusal(where, 'export', 'nothing-like-it', '--to', 'package')).exit, 3)
    assert.equal((await refusal(where, 'export')).exit, 2)
  })
})
