import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../../../test/support/documents/folders.ts'
import { ask, baton, quick, refusal, type Where } from '../../../test/support/program/command.ts'
import { ERROR_CODES } from '../../domain/errors.ts'
import { loadOperations } from '../../operations/index.ts'
import { firstWords, OTHER_COMMANDS, secondWords } from './catalog.ts'
import { GLOBAL_FLAGS, optionsOf } from './input/args.ts'
import { operationCommand } from './operation-command.ts'

const here = (t: TestContext, env: Record<string, string> = {}): Where => ({
  cwd: folders(t).repository('shop'),
  env,
})

const send = (where: Where, ...more: string[]) =>
  ask<{ handoff: { id: string; uid: string } }>(
    where,
    'send',
    '--to',
    'codex',
    '--title',
    'Add limits',
    ...more,
  )

describe('version', () => {
  for (const asked of ['--version', '-v', '-V', 'version'])
    it(`is told by baton ${asked}`, async (t) => {
      const { code, stdout } = await baton({ cwd: folders(t).home }, asked)

      assert.equal(code, 0)
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
    })
})

describe('help', () => {
  it('is there at every level, with an example of every command', async (t) => {
    const where = { cwd: folders(t).home }
    for (const first of firstWords().filter((word) => word !== 'help')) {
      const verbs = secondWords(first)
      const pages = verbs.length === 0 ? [[first]] : [...verbs.map((verb) => [first, verb])]
      for (const page of pages) {
        const { code, stdout, stderr } = await quick(where, ...page, '--help')
        assert.deepEqual([code, stderr], [0, ''], page.join(' '))
        assert.match(stdout, /\nUsage {2}baton [\s\S]*\nExamples\n {2}\$ /)
        assert.deepEqual(await quick(where, 'help', ...page), { code, stdout, stderr })
      }
      if (verbs.length > 0)
        assert.match((await quick(where, first, '--help')).stdout, /^Usage {2}baton \S+ <verb>/)
    }
  })

  it('begins with a page that names every command and noun, and no old spelling', async (t) => {
    const { code, stdout } = await quick({ cwd: folders(t).home })

    assert.equal(code, 0)
    for (const word of [...Object.keys(OTHER_COMMANDS), 'send', 'inbox', 'task', 'artifact'].filter(
      (each) => !['help', 'find'].includes(each),
    ))
      assert.match(stdout, new RegExp(`\\b${word}\\b`))
    assert.doesNotMatch(stdout, /\bfind\b/)
  })

  it('explains each option of every command, on its first page and in whole help', async (t) => {
    for (const argv of [['help'], ['send', '--help', '--all']]) {
      const { stdout } = await quick({ cwd: folders(t).home }, ...argv)
      const [, table = ''] = stdout.split('Options of every command\n')
      for (const option of ['as', 'json', 'key', 'store', 'quiet', 'no-color', 'help'])
        assert.match(table, new RegExp(`^ +--${option}(?: <\\w+>)? {2,}\\w+`, 'm'), argv.join(' '))
    }
  })

  it('begins with at most 25 commands, with those that move work on among them', async (t) => {
    const { stdout } = await quick({ cwd: folders(t).home })
    const first = [...stdout.split('\nAlso')[0]!.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, word]) => word!)

    assert.ok(first.length <= 25, first.join())
    const moves = ['list', 'edit', 'cancel', 'reassign', 'retry', 'resend']
    assert.deepEqual(
      moves.filter((word) => !first.includes(word)),
      [],
    )
  })

  it('explains the options of every command once, on the first page', async (t) => {
    const where = { cwd: folders(t).home }
    const { stdout } = await quick(where, 'help')
    const page = await quick(where, 'inbox', '--help')

    for (const { about } of GLOBAL_FLAGS) assert.equal(stdout.split(about!).length, 2, about)
    assert.match(page.stdout, /\nAlso: --as --json .*; see: baton help\n$/)
  })

  it('shows the ten options of send that people use, and with --all every one with those of every command', async (t) => {
    const where = { cwd: folders(t).home }
    const options = (page: string) => page.match(/^ {2}--[a-z-]+/gm)?.length ?? 0

    const few = (await quick(where, 'send', '--help')).stdout
    const all = (await quick(where, 'send', '--help', '--all')).stdout

    assert.equal(options(few), 10)
    assert.equal(options(all), optionsOf(await operationCommand('handoff_send')).length)
    assert.match(few, new RegExp(`${options(all) - GLOBAL_FLAGS.length - 10} more: baton send --help --all`))
    assert.equal((await quick(where, 'help', 'send', '--all')).stdout, all)
  })

  it('tells every exit code of the table of errors', async (t) => {
    const { code, stdout } = await quick({ cwd: folders(t).home }, 'help', 'exit-codes')

    assert.equal(code, 0)
    for (const [name, { exit }] of Object.entries(ERROR_CODES))
      assert.match(stdout, new RegExp(`^${exit}\\s+${name}\\s`, 'm'))
    assert.match(stdout, /audit verify and collect have\s+codes of their own in their help/)
    for (const [page, codes] of [
      ['audit verify', /Exit 0 ok, 1\s+tampered, 2 cannot be verified, 3 wrong use/],
      ['collect', /Exit code: 0 complete, 1 failed, 10 blocked, 11 not finished, 12\s+no block/],
    ] as const)
      assert.match((await quick({ cwd: folders(t).home }, ...page.split(' '), '--help')).stdout, codes)
  })

  it('shows the verbs of a noun that stands alone, which is an error unless it was asked for', async (t) => {
    const where = { cwd: folders(t).home }

    const alone = await quick(where, 'store')

    assert.deepEqual([alone.code, alone.stdout], [2, ''])
    assert.equal((await quick(where, 'store', '-h')).stdout, alone.stderr)
    assert.match(alone.stderr, /store backup +Writes everything into one new file/)
  })
})

describe('a word that is not known', () => {
  for (const [argv, message] of [
    [['sned'], 'baton has no command sned; did you mean send?'],
    [['inbx', '--json'], 'baton has no command inbx; did you mean inbox?'],
    [['frobnicate'], 'baton has no command frobnicate; see: baton help'],
    [['handoff', 'lst'], 'handoff has no verb lst; did you mean list?'],
    [['store', 'burn'], 'store has no verb burn; it has backup, grants, info, move, restore, upgrade'],
    [['inbox', '--jsno'], 'inbox has no option --jsno; did you mean --json?'],
    [['--jsno', 'inbox'], 'baton has no option --jsno; did you mean --json?'],
    [['accept', 'HO-2026-001', 'extra'], 'accept does not take "extra"; put text with spaces in quotes'],
    [
      ['complete', 'HO-2026-001'],
      'baton has no command complete; did you mean baton task complete HO-2026-001 or baton handoff complete HO-2026-001?',
    ],
    [['collect', '-x'], 'collect has no option -x; see: baton collect --help'],
    [['send', 'codex', 'Add limits'], 'send does not take "Add limits"; see: baton send --help'],
    [
      ['audit', 'redact'],
      'audit redact needs <id>, --field and -m; for example: baton audit redact HO-2026-001 --field summary -m leaked-key',
    ],
    [['show'], 'show needs <id>; for example: baton show HO-2026-001'],
    [
      ['reject', '1'],
      'reject needs -m; for example: baton reject @ -m "I have no access to the billing service" --as codex',
    ],
  ] as const)
    it(`is refused with the way out: baton ${argv.join(' ')}`, async (t) => {
      const { code, stdout, stderr } = await quick({ cwd: folders(t).home }, ...argv)

      assert.deepEqual([code, stdout], [2, ''])
      const text = stderr.startsWith('{')
        ? JSON.parse(stderr).error.message
        : stderr.replace(/^✗ /, '').trimEnd()
      assert.equal(text, message)
    })
})

describe('--json', () => {
  it("answers with exactly the operation's output, and with everything else on standard error", async (t) => {
    const where = here(t)
    const operations = new Map((await loadOperations()).map((op) => [op.name, op]))
    const exact = async (name: string, ...argv: string[]) => {
      const { code, stdout, stderr } = await quick(where, ...argv, '--json')
      assert.equal(code, 0, stderr)
      const output = JSON.parse(stdout)
      assert.deepEqual(operations.get(name as never)!.output.parse(output), output)
      return stderr
    }

    const told = await exact(
      'handoff_send',
      'send',
      '--to',
      'codex',
      '--title',
      'Add limits',
      '--criterion',
      'be good',
    )
    assert.match(told, /created workspace/)
    await exact('handoff_inbox', 'inbox', '--as', 'codex')
    await exact('handoff_accept', 'accept', '@', '--as', 'codex')
    await exact('handoff_submit', 'submit', '@', '--as', 'codex', '--note', 'done')
    await exact('handoff_verify', 'verify', '@', '--fail', 'no tests')
    await exact('handoff_get', 'show', '@')
    await exact('handoff_list', 'handoff', 'list')
    await exact('task_create', 'task', 'create', 'T1', '--title', 'First')
    await exact('task_next_actions', 'next')
    await exact('agent_list', 'agent', 'list')
    await exact('report_status', 'status')
  })

  it('shows no control or hidden character, whichever way it is asked', async (t) => {
    const where = here(t)
    const title = 'A\u001b]0;x\u0007\u202eB\u200b\u009b31m'

    await send(where, '--summary', title)
    const { stdout } = await quick(where, 'show', '@', '--json')

    assert.equal(JSON.parse(stdout).package.summary, 'AB')
    assert.match(stdout, /^[ -~]*\n$/)
    assert.match((await quick(where, 'show', '@')).stdout, /Summary\tAB\n/)
  })
})

describe('a refusal', () => {
  it('is told with its code, message, details and whether to try again, and ends with its number', async (t) => {
    const where = here(t)
    const agent = { ...where, env: {} }
    await send(where)
    const file = folders(t).file(
      'notes.txt',
      'not a database, and long enough to be taken for one. '.repeat(20),
    )
    const large = folders(t).file('large.bin', 'x'.repeat(11 * 1024 * 1024))
    const cases: readonly (readonly [
      code: string,
      exit: number,
      retry: boolean,
      where: Where,
      ...argv: string[],
    ])[] = [
      ['invalid_input', 2, false, where, 'send', '--to', 'a b', '--title', 'x'],
      ['not_found', 3, false, where, 'show', 'HO-2001-999'],
      ['not_allowed', 4, false, agent, 'accept', '1', '--as', 'gemini'],
      ['wrong_state', 5, false, where, 'answer', '1', 'yes'],
      ['timed_out', 9, true, where, 'wait', '1', '--timeout', '0'],
      ['unavailable', 13, true, where, 'inbox', '--store', 'postgres://127.0.0.1:1/baton'],
      ['too_large', 14, false, where, 'artifact', 'put', 'large.bin', '--content', `@${large}`],
      ['unauthenticated', 15, false, { ...where, env: { BATON_URL: 'http://127.0.0.1:1' } }, 'inbox'],
      ['store_refused', 17, false, where, 'inbox', '--store', file],
      ['internal', 70, false, { cwd: '/nowhere/at/all' }, 'inbox'],
    ]

    for (const [code, exit, retry, place, ...argv] of cases) {
      const { details, message, ...rest } = await refusal(place, ...argv)
      assert.deepEqual(rest, { exit, code, retry }, `${argv.join(' ')}: ${message}`)
      assert.equal(typeof details, 'object')
      assert.ok(message.length > 10 && !/\n +at /.test(message), message)
      const text = await quick(place, ...argv)
      assert.deepEqual([text.code, text.stdout], [exit, ''])
      assert.match(text.stderr, /^✗ [^\n]+\n$/)
    }
    assert.match(readFileSync(file, 'utf8'), /^not a database/)
  })

  it('has a number of its own for what the work itself brings about', async (t) => {
    const where = here(t)
    const codes = async (...argv: string[]) => {
      const { code, exit } = await refusal(where, ...argv)
      return [code, exit]
    }

    await send(where, '--key', 'k1')
    assert.deepEqual(await codes('send', '--to', 'codex', '--title', 'Another', '--key', 'k1'), [
      'conflict',
      6,
    ])
    await ask(where, 'accept', '1', '--as', 'codex')
    await ask(where, 'handoff', 'fail', '1', '--as', 'codex', '--message', 'no access')
    assert.deepEqual(await codes('wait', '1', '--timeout', '1'), ['failed', 16])
    await ask(where, 'agent', 'add', 'grok', '--max-outgoing', '0')
    assert.deepEqual(await codes('send', '--to', 'codex', '--title', 'x', '--as', 'grok'), [
      'limit_exceeded',
      7,
    ])
    await send(where, '--deliverable', 'Docs')
    await ask(where, 'accept', '@', '--as', 'codex')
    assert.deepEqual(await codes('submit', '@', '--as', 'codex'), ['unmet', 8])
  })

  it('names the evidence to type where a deliverable has none', async (t) => {
    const where = here(t)
    await send(where, '--deliverable', 'Middleware in src/')
    await ask(where, 'accept', '@', '--as', 'codex')

    const { message } = await refusal(where, 'submit', '@', '--as', 'codex')

    assert.match(message, /no evidence for "Middleware in src\/"; add --evidence "Middleware in src\/=…"$/)
  })

  it('points at a name that nobody has, where its inbox is empty', async (t) => {
    const where = here(t)
    await send(where)

    const slip = await quick(where, 'inbox', '--as', 'codx')
    const json = await ask<{ items: unknown[] }>(where, 'inbox', '--as', 'codx')
    await ask(where, 'reject', '@', '--as', 'codex', '--reason', 'no')
    const empty = await quick(where, 'inbox', '--as', 'codex')

    assert.deepEqual(
      [slip.code, slip.stdout, slip.stderr],
      [0, '', 'Nothing waits for codx, and nobody of that name is known here; did you mean codex?\n'],
    )
    assert.deepEqual([json.items, empty.stderr], [[], 'Nothing waits for codex.\n'])
  })

  it('names the option that people typed, not the field behind it', async (t) => {
    const { message } = await refusal(
      here(t),
      'send',
      '--to',
      'codex',
      '--title',
      'x',
      '--priority',
      'urgent',
      '--deliverable',
      '',
    )

    assert.match(message, /^--deliverable must not be empty; /)
    assert.match(message, /--priority is one of critical, high, normal, low/)
  })

  it('says which words and numbers an option takes', async (t) => {
    const where = here(t)
    await send(where)
    const told = async (...args: string[]) => (await refusal(where, ...args)).message

    assert.match(await told('handoff', 'list', '--state', 'offred'), /^--state is one of draft, offered, /)
    assert.match(await told('workflow', 'list', '--state', 'bad'), /^--state is one of running, waiting, /)
    assert.equal(await told('handoff', 'list', '--limit', 'x'), '--limit takes a number')
    assert.match(await told('agent', 'add', 'm', '--kind', 'persn'), /^--kind is one of agent, human, /)
  })

  it('shows where it came from only to whoever asks', async () => {
    const silent = await quick({ cwd: '/nowhere/at/all' }, 'inbox')
    const told = await quick({ cwd: '/nowhere/at/all', env: { BATON_DEBUG: '1' } }, 'inbox')

    assert.match(silent.stderr, /^✗ something went wrong inside Baton; [^\n]+\n$/)
    assert.match(told.stderr, /ENOENT[\s\S]+\n +at /)
  })
})

describe('idempotency and names', () => {
  it('lets the same call with the same key happen once', async (t) => {
    const where = here(t)

    const first = await send(where, '--key', 'k1')
    const again = await send(where, '--key', 'k1')

    assert.equal(again.handoff.uid, first.handoff.uid)
    assert.equal((await ask<{ items: unknown[] }>(where, 'handoff', 'list')).items.length, 1)
  })

  it('takes global options before the command and between noun and verb', async (t) => {
    const where = here(t)
    await send(where)

    const before = await quick(where, '--as', 'codex', '--json', 'inbox')
    const between = await quick(where, 'handoff', '--as', 'codex', 'inbox', '--json')

    assert.equal(JSON.parse(before.stdout).items.length, 1)
    assert.equal(between.stdout, before.stdout)
  })

  it('speaks only when asked, with --quiet', async (t) => {
    const where = here(t)

    const { stdout, stderr } = await quick(
      where,
      'send',
      '--to',
      'codex',
      '--title',
      'x',
      '--criterion',
      'be good',
      '-q',
    )

    assert.equal(stderr, '')
    assert.match(stdout, /^✓ HO-\d{4}-001 to codex/)
  })

  it('says who the caller is and why, and which store this is', async (t) => {
    const where = here(t)
    const none = await ask<{ actor: { kind: string }; why: string; store?: unknown }>(where, 'whoami')
    await send(where)

    const known = await ask<{ actor: object; why: string; store: { engine: string; location: string } }>(
      where,
      'whoami',
      '--as',
      'codex',
    )

    assert.deepEqual([none.actor.kind, none.store], ['human', undefined])
    assert.match(none.why, /the system user/)
    assert.deepEqual(known.actor, { name: 'codex', kind: 'agent', auth: 'os-user' })
    assert.equal(known.why, 'named by --as')
    assert.deepEqual([known.store.engine, known.store.location], ['sqlite', `${where.cwd}/.baton/baton.db`])
  })

  it('finds handoffs and tasks by words', async (t) => {
    const where = here(t)
    await send(where)
    await ask(where, 'task', 'create', 'LIMIT-1', '--title', 'Measure first')

    const found = await ask<{ handoffs: { title: string }[]; tasks: { id: string }[] }>(
      where,
      'find',
      'limit',
    )

    assert.deepEqual(
      [found.handoffs.map(({ title }) => title), found.tasks.map(({ id }) => id)],
      [['Add limits'], ['LIMIT-1']],
    )
    assert.deepEqual(await quick(where, 'find', 'nothing at all'), {
      code: 0,
      stdout: '',
      stderr: 'Nothing matches.\n',
    })
  })

  it('writes the bytes of an artifact into a new file and no other', async (t) => {
    const where = here(t)
    writeFileSync(`${where.cwd}/plan.md`, '# Plan\n')
    const { uid, sha256 } = await ask<{ uid: string; sha256: string }>(
      where,
      'artifact',
      'put',
      'plan.md',
      '--content',
      '@plan.md',
    )
    const named = await ask<{ sha256: string; stored: boolean }>(where, 'artifact', 'put', 'plan.md')

    await ask(where, 'artifact', 'get', uid, '--out', 'copy.md')

    assert.equal(readFileSync(`${where.cwd}/copy.md`, 'utf8'), '# Plan\n')
    assert.deepEqual([named.sha256, named.stored], [sha256, false])
    assert.equal((await refusal(where, 'artifact', 'get', uid, '--out', 'copy.md')).code, 'conflict')
  })
})
