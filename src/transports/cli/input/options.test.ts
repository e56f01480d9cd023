import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../../../../test/support/documents/folders.ts'
import { loadOperation, loadOperations, type OperationName } from '../../../operations/index.ts'
import { byHand, NOUNS, shortForm, typedAs } from '../catalog.ts'
import { operationCommand } from '../operation-command.ts'
import { GLOBAL_FLAGS, optionsOf, readArguments, readCommandLine } from './args.ts'
import { toEvidence } from './evidence.ts'
import { flagsOf } from './flags.ts'
import { toInput } from './values.ts'

/** The input that an operation gets for these arguments. */
async function inputOf(
  name: OperationName,
  argv: readonly string[],
  cwd = '.',
  stdin = '',
): Promise<Record<string, unknown>> {
  const op = await loadOperation(name)
  const flags = flagsOf(op)
  const args = readArguments(argv, [...flags, ...GLOBAL_FLAGS], name)
  return toInput(args, flags, op.positional ?? [], { cwd, stdin: Readable.from([stdin]) })
}

const refuses = (name: OperationName, argv: readonly string[], message: RegExp) =>
  assert.rejects(inputOf(name, argv), { code: 'invalid_input', message })

/** Splits an example as a shell does. */
const shellWords = (line: string): string[] =>
  (line.match(/(?:"(?:\\.|[^"])*"|[^\s"])+/g) ?? []).map((word) =>
    word.replaceAll(/"((?:\\.|[^"])*)"/g, '$1'),
  )

describe('readCommandLine', () => {
  it('reads global options from a command line that cannot be parsed', () => {
    const { as, store, isJson } = readCommandLine([
      'inbox',
      '--bad',
      '--as=codex',
      '-store',
      'a.db',
      '--json',
    ])

    assert.deepEqual({ as, store, isJson }, { as: 'codex', store: 'a.db', isJson: true })
  })

  it('takes nothing after -- for an option', () => {
    const { words, as, isJson } = readCommandLine(['find', '--', '--as', 'codex', '--json'])

    assert.deepEqual({ words, as, isJson }, { words: ['find'], as: undefined, isJson: false })
  })
})

describe('the options of operations', () => {
  it('say how a field is typed that is made of others, whatever its schema says', async () => {
    const flags = flagsOf(await loadOperation('handoff_send'))
    const about = (name: string) => flags.find((flag) => flag.name === name)?.about ?? ''

    assert.match(about('gate'), /advisory:name/)
    assert.match(about('silence'), /escalate:4h:maria/)
    assert.match(about('check'), /file:path/)
    assert.match(about('retry'), /"delay_s": 30/)
    assert.match(about('validate'), /A point/)
  })

  it('let every field be given, and take every example of the help', async () => {
    for (const op of await loadOperations()) {
      const flags = flagsOf(op)
      assert.deepEqual(
        [...new Set(flags.map(({ field }) => field))].sort(),
        Object.keys(op.input.shape).sort(),
      )
      const names = [...flags, ...GLOBAL_FLAGS].flatMap(({ name, also }) => [name, ...(also ?? [])])
      assert.deepEqual(names, [...new Set(names)], `${op.name} has an option twice`)
      // The commands that are written by hand have options and examples of their own.
      if (byHand(op.name as OperationName)) continue
      for (const example of op.examples) await demandReadable(op.name as OperationName, example)
    }
  })

  it('have -m for a text, and take the name of its field without showing it', async () => {
    const spoken: string[] = []
    for (const op of await loadOperations()) {
      const flag = flagsOf(op).find(({ name }) => name === 'm')
      if (!flag || byHand(op.name as OperationName)) continue
      spoken.push(typedAs(op.name as OperationName))
      const typed = async (option: string) => inputOf(op.name as OperationName, [option, 'It is late'])
      assert.deepEqual(await typed('-m'), { [flag.field]: 'It is late' })
      for (const also of flag.also ?? []) assert.deepEqual(await typed(`--${also}`), await typed('-m'))
      const { flags = [], examples } = await operationCommand(op.name as OperationName)
      assert.ok(
        flags.some(({ name, about }) => name === 'm' && about),
        `${op.name} does not explain -m`,
      )
      assert.doesNotMatch(examples.join(), /--(reason|message|comment|notes?)\b/)
    }

    assert.deepEqual(
      spoken.sort(),
      // biome-ignore format: read as a table
      ['accept', 'answer', 'ask', 'audit redact', 'cancel', 'comment', 'decide', 'fail', 'handoff release', 'reassign', 'reject', 'submit',
       'task complete', 'task escalate', 'task reopen', 'task update', 'thought attest', 'thought record', 'verify', 'workflow cancel'],
    )
    await refuses('handoff_submit', ['@', '-m'], /^-m needs a value/)
    await refuses('handoff_submit', ['@', '--evidence', '-m', 'a'], /^--evidence needs a value/)
    await refuses('handoff_reject', ['@', '--reson', 'a'], /did you mean -m\?$/)
  })

  it('name a receiver with --to in every command, and reassign takes it as a word too', async () => {
    const input = { id: '7', to: 'gemini' }
    assert.deepEqual(await inputOf('handoff_reassign', ['7', '--to', 'gemini']), input)
    assert.deepEqual(await inputOf('handoff_reassign', ['7', 'gemini']), input)
    assert.deepEqual((await operationCommand('handoff_reassign')).words, ['id'])
  })

  it('have short names for lists, and take the long ones too', async () => {
    const short = await inputOf('handoff_send', [
      '--deliverable',
      'a',
      '--deliverable',
      'b',
      '--criterion',
      'c',
      '--constraint',
      'd',
    ])
    const long = await inputOf('handoff_send', [
      '--deliverables=a',
      '--deliverables',
      'b',
      '--criteria=c',
      '--constraints',
      'd',
    ])

    assert.deepEqual(short, { deliverables: ['a', 'b'], criteria: ['c'], constraints: ['d'] })
    assert.deepEqual(long, short)
    assert.deepEqual(
      await inputOf('task_create', ['T2', '--title', 't', '--depends-on', 'T1', '--depends_on', 'T0']),
      {
        id: 'T2',
        title: 't',
        depends_on: ['T1', 'T0'],
      },
    )
    assert.deepEqual(
      await inputOf('thought_record', ['T2', '--test', 'a.test.ts', '--file', 'a.ts', '--blocker', 'no key']),
      {
        task_id: 'T2',
        tests_run: ['a.test.ts'],
        files_changed: ['a.ts'],
        blockers: [{ description: 'no key' }],
      },
    )
  })

  it('take numbers, lengths of time, switches and their opposites', async () => {
    assert.deepEqual(await inputOf('handoff_send', ['--timeout', '10m']), { timeout_s: 600 })
    assert.deepEqual(await inputOf('handoff_wait', ['HO-2026-001', '--timeout-s', '5']), {
      id: 'HO-2026-001',
      timeout_s: 5,
    })
    assert.deepEqual(await inputOf('handoff_accept', ['@', '--no-start']), { id: '@', start: false })
    assert.deepEqual(await inputOf('task_update', ['T1', '--progress', '40']), {
      task_id: 'T1',
      progress: 40,
    })
    assert.deepEqual(await inputOf('handoff_heartbeat', ['@', '--no-blocked']), { id: '@', blocked: false })
    assert.deepEqual(await inputOf('handoff_heartbeat', ['@', '--blocked', 'no key']), {
      id: '@',
      blocked: 'no key',
    })
    assert.deepEqual(await inputOf('handoff_list', ['--state', 'offered', '--state', 'in_review']), {
      state: ['offered', 'in_review'],
    })
  })

  it('take the short form of what is an object, or the object', async () => {
    const short = [
      '--artifact',
      'a.ts',
      '--decision',
      'use a bucket',
      '--question',
      'which keys?',
      '--meeting',
      'm.md',
      '--link',
      'plan=p.md',
    ]
    assert.deepEqual(await inputOf('handoff_send', short), {
      artifacts: [{ path: 'a.ts' }],
      decisions: [{ decision: 'use a bucket' }],
      open_questions: [{ question: 'which keys?' }],
      links: { plan: 'p.md', meeting: 'm.md' },
    })
    assert.deepEqual(
      await inputOf('handoff_send', [
        '--artifact',
        '{"path":"a.ts","role":"input"}',
        '--validate',
        'one',
        '--validate',
        'two',
      ]),
      {
        artifacts: [{ path: 'a.ts', role: 'input' }],
        validation_request: { items: ['one', 'two'] },
      },
    )
    const hash = 'AB'.repeat(32)
    assert.deepEqual(
      await inputOf('handoff_send', [
        '--check',
        'npm test',
        '--check',
        'file:a.ts',
        '--check',
        `sha256:a.ts=${hash}`,
        '--check',
        'evidence:Docs',
      ]),
      {
        checks: [
          { kind: 'command', command: 'npm test' },
          { kind: 'file_exists', path: 'a.ts' },
          { kind: 'sha256', path: 'a.ts', sha256: hash.toLowerCase() },
          { kind: 'evidence', deliverable: 'Docs' },
        ],
      },
    )
    assert.deepEqual(await inputOf('handoff_submit', ['@', '--evidence', 'Docs=docs/a.md=b']), {
      id: '@',
      evidence: ['Docs=docs/a.md=b'],
    })
    await refuses('handoff_send', ['--link', 'docs/a.md'], /is not a pair, --link "name=path"/)
  })

  it('read long text and data from a file or standard input, and a leading @ when it is doubled', async (t) => {
    const cwd = filesFor(t, { 'summary.md': '# Why\n', 'input.json': '{"keys": [1]}' })

    assert.deepEqual(
      await inputOf('handoff_send', ['--summary', '@summary.md', '--input', '@input.json'], cwd),
      {
        summary: '# Why\n',
        input: { keys: [1] },
      },
    )
    assert.deepEqual(await inputOf('handoff_ask', ['@', '-'], cwd, 'which?'), { id: '@', question: 'which?' })
    assert.deepEqual(await inputOf('handoff_ask', ['@', '@@codex asks']), {
      id: '@',
      question: '@codex asks',
    })
    assert.deepEqual(await inputOf('handoff_send', ['--to', '@codex', '--title', '@home']), {
      to: '@codex',
      title: '@home',
    })
    assert.deepEqual(await inputOf('artifact_put', ['a', '--content', '@summary.md'], cwd), {
      path: 'a',
      content: 'IyBXaHkK',
    })
    await assert.rejects(inputOf('handoff_send', ['--summary', '@nothing.md'], cwd), {
      code: 'invalid_input',
      message: /names the file nothing\.md, which cannot be read \(ENOENT\); write @@/,
    })
  })

  it('take JSON where anything may stand, and text that is none as it is', async () => {
    assert.deepEqual(await inputOf('handoff_submit', ['@', '--output', '[1]']), { id: '@', output: [1] })
    assert.deepEqual(await inputOf('handoff_submit', ['@', '--output', 'all done']), {
      id: '@',
      output: 'all done',
    })
    await refuses('handoff_send', ['--data', 'a=b'], /--data is not JSON .*--data @file\.json/)
    await refuses('handoff_send', ['--input', '{"a": '], /--input is not JSON/)
  })

  it('refuse what is no object where names are kept with their values', async () => {
    for (const text of ['"hello"', '["a","b"]', '5', 'null', 'true'])
      for (const [name, option] of [
        ['handoff_send', 'data'],
        ['handoff_submit', 'metadata'],
      ] as const)
        await refuses(
          name,
          [`--${option}`, text],
          new RegExp(`--${option} .* is not an object; write --${option} '{`),
        )
    await refuses('handoff_send', ['--link', '["a"]'], /is not an object; write --link/)
    await refuses('handoff_send', ['--option', '"a"'], /is not an object; write --option/)
    assert.deepEqual(await inputOf('handoff_send', ['--data', '{"a": [1]}', '--data', '{"b": null}']), {
      data: { a: [1], b: null },
    })
  })

  it('refuse what they do not know and name the one that was meant', async () => {
    await refuses(
      'handoff_send',
      ['--titel', 'x'],
      /^handoff_send has no option --titel; did you mean --title\?$/,
    )
    await refuses('handoff_send', ['--frobnicate'], /^handoff_send has no option --frobnicate; see: baton/)
    await refuses('handoff_send', ['--to'], /^--to needs a value; see: baton /)
    await refuses('handoff_send', ['--to', '--title', 'x'], /^--to needs a value; see: baton /)
    await refuses('handoff_send', ['--title', 'x', '--title', 'y'], /^--title was given twice/)
    await refuses('handoff_send', ['--json=yes'], /^--json takes no value$/)
    await refuses('handoff_send', ['--timeout', 'soon'], /is not a length of time such as 90s/)
    assert.deepEqual(await inputOf('handoff_ask', ['@', '--', '--to']), { id: '@', question: '--to' })
  })
})

function filesFor(t: TestContext, files: Readonly<Record<string, string>>): string {
  const { home, path } = folders(t)
  for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content)
  return home
}

/** Reads an example up to the schema: only what it leaves open by design may be missing. */
async function demandReadable(name: OperationName, example: string): Promise<void> {
  const [program, first = '', second = '', ...rest] = shellWords(example)
  const operation = shortForm(first) ?? NOUNS[first]?.[second]
  assert.deepEqual([program, operation], ['baton', name], example)
  const flags = optionsOf(await operationCommand(name))
  const op = await loadOperation(name)
  const own = flagsOf(op)
  const argv = shortForm(first) ? [second, ...rest].filter((word) => word !== '') : rest
  const args = readArguments(
    argv,
    [...flags, ...own.filter(({ name: each }) => !flags.some((flag) => flag.name === each))],
    name,
  )
  const input = await toInput(args, own, op.positional ?? [], { cwd: '.', stdin: Readable.from([]) })
  // What is told apart by the deliverables of the handoff is still as it was typed.
  if (Array.isArray(input.evidence))
    input.evidence = input.evidence.map((text) => toEvidence(text, [], 'evidence'))
  const checked = op.input.safeParse(name === 'handoff_verify' ? { pass: false, ...input } : input)
  assert.ok(checked.success, `${example}: ${checked.error?.message}`)
}
