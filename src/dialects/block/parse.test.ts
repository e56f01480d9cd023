import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { samplesOf } from '../../../test/support/documents/samples.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { Draft } from '../draft.ts'
import { sourcesOf } from '../text/sources.ts'
import { block } from './index.ts'
import { validateHandoff } from './validate.ts'

interface Read {
  readonly form: string
  readonly line: number
  readonly draft: Draft | undefined
  readonly value: unknown
  readonly diagnostics: readonly PlacedProblem[]
}

function blocksIn(text: string, path?: string): readonly Read[] {
  return sourcesOf(text, path === undefined ? {} : { path }).flatMap((source) => {
    const form = block.formOf(source)
    if (form === undefined) return []
    const { draft, diagnostics } = block.interpret(source, form)
    const all = [...source.diagnostics, ...diagnostics].toSorted(
      (a, b) => a.line - b.line || a.column - b.column,
    )
    const value = (source.value as { handoff?: unknown } | undefined)?.handoff
    return [{ form, line: source.position(source.start).line, draft, value, diagnostics: all }]
  })
}

/** The one block of a summary, with these lines below the four fields; a field given again takes its place. */
function read(lines: string): {
  readonly draft: Draft
  readonly codes: readonly string[]
  readonly said: string
} {
  const given = lines.split('\n').map((line) => `  ${line}`)
  const four = ['  phase: "Testing"', '  from: "@tester"', '  to: "None"', '  status: "complete"'].filter(
    (line) => !given.some((other) => other.startsWith(line.slice(0, line.indexOf(':') + 1))),
  )
  const text = ['```yaml', 'handoff:', ...four, ...given, '```', ''].join('\n')
  const found = blocksIn(text)
  assert.equal(found.length, 1, text)
  const { draft, diagnostics } = found[0]!
  assert.ok(draft)
  return {
    draft,
    codes: diagnostics.map(({ severity, code }) => `${severity} ${code}`),
    said: diagnostics.map(({ message }) => message).join('\n'),
  }
}

describe('words of a block with spaces around them', () => {
  const words = {
    phase: ['Testing ', ' Testing'],
    from: [' @a', '@a '],
    to: ['None ', ' None', ' @a'],
    status: ['complete ', '\\tcomplete'],
  }
  for (const [key, values] of Object.entries(words))
    it(`[S2-41] are an error in ${key}, as the document's function says`, () => {
      for (const value of values) {
        const { codes, said, draft } = read(`${key}: "${value}"`)
        const given = { phase: 'Testing', from: '@a', to: 'None', status: 'complete' }
        const spoken = { ...given, [key]: value.replace('\\t', '\t') }
        assert.ok(
          codes.some((code) => code.startsWith('error ')),
          value,
        )
        if (value !== '@a ')
          assert.throws(
            () => validateHandoff(spoken),
            ({ message }) => said.includes(message.trim()),
          )
        assert.deepEqual([draft.phase, draft.state], ['Testing', 'completed'])
      }
    })
})

describe('blocks in a text', () => {
  const nested =
    '# Done\n\n````markdown\n## X\n\n```yaml\nhandoff:\n  phase: "QA"\n  from: "@a"\n  to: "None"\n  status: "complete"\n```\n'

  it('[S2-01] [S2-02] are found in a summary, each with its line', () => {
    const [found, ...others] = blocksIn(
      'Done.\n\n```yaml\nhandoff:\n  phase: "QA"\n  from: "@a"\n```\nBye.\n',
    )

    assert.equal(others.length, 0)
    assert.equal(found?.form, 'block')
    assert.equal(found?.line, 4)
    assert.equal(found?.draft?.from, 'a')
    assert.equal(found?.draft?.body, 'Done.')
  })

  it('[S2-03] [S2-04] are no other data and no other language', () => {
    assert.deepEqual(blocksIn('```yaml\nphase: "Testing"\n```\n\n```yaml\nmetrics:\n  tests: 1\n```\n'), [])
    assert.deepEqual(
      blocksIn('```javascript\nhandoff: { phase: 1 }\n```\n\n```bash\nhandoff:\n  phase: x\n```\n'),
      [],
    )
  })

  it('[S2-06] are found inside another fence', () => {
    assert.deepEqual(
      blocksIn(nested).map(({ draft }) => draft?.phase),
      ['QA'],
    )
  })

  it('[S2-07] come in order, several of one text', () => {
    const one = (agent: string) => `\`\`\`yaml\nhandoff:\n  phase: "QA"\n  from: "@${agent}"\n\`\`\`\n`
    const found = blocksIn(`${one('a')}\nThen:\n\n${one('b')}\n${one('c')}`)

    assert.deepEqual(
      found.map(({ line, draft }) => [line, draft?.from, draft?.body]),
      [
        [2, 'a', undefined],
        [10, 'b', '\nThen:'],
        [16, 'c', undefined],
      ],
    )
  })

  it('[S2-08] are reported with their place when broken, and hide no other', () => {
    const found = blocksIn(
      '```yaml\nhandoff:\n  phase: "QA"\n   from: "@a"\n```\n\n```yaml\nhandoff:\n  phase: "QA"\n  from: "@b"\n```\n',
    )
    const errors = found[0]?.diagnostics.filter(({ code }) => code === 'yaml_syntax') ?? []

    assert.deepEqual(
      errors.map(({ line }) => line),
      [4],
    )
    assert.equal(found.at(-1)?.draft?.from, 'b')
  })

  it('[S2-09] [S2-11] may be absent: nothing is found and nothing is wrong', () => {
    assert.deepEqual(blocksIn('## TESTING COMPLETE\n\nAll is well.\n'), [])
  })

  it('[S2-10] may be absent: what old lines say is inferred, and said to be', () => {
    const [found] = blocksIn(
      '## TESTING COMPLETE\n\n✅ Tests passed: 25/25\n✅ Coverage: 95%\n✅ Execution time: 45s\n\n**Next Agent:** None\n',
    )

    assert.equal(found?.form, 'summary')
    assert.equal(found?.draft?.to, null)
    assert.equal(found?.draft?.state, 'completed')
    assert.deepEqual(found?.draft?.metrics, {
      tests_passed: 25,
      tests_total: 25,
      coverage: '95%',
      execution_time: '45s',
    })
    assert.deepEqual(
      found?.diagnostics.map(({ severity, code }) => `${severity} ${code}`),
      ['info inferred'],
    )
    assert.deepEqual(blocksIn(nested.replace('## X', '**Next Agent:** None')).length, 1)
  })

  it('are not claimed where document 004 speaks: a mapping as sender, or its keys without one', () => {
    const packages = [
      'from:\n    agent: a\n  to:\n    agent: b',
      'to: router\n  reason: x',
      'to: "@a"\n  expectations: {}',
      'from: a\n  to: b\n  expectations: {}',
      'from: a\n  to: b\n  context:\n    summary: x',
    ]
    for (const lines of packages) assert.deepEqual(blocksIn(`handoff:\n  ${lines}\n`, 'x.yaml'), [])
    for (const lines of ['to: "@a"', 'from: a\n  to: b', 'from: a\n  status: x\n  context:\n    summary: x'])
      assert.equal(blocksIn(`handoff:\n  ${lines}\n`, 'x.yaml').length, 1, lines)
  })
})

describe('the fields of a block', () => {
  it('[S2-14] [S2-15] name agents with an @, or nobody', () => {
    assert.equal(read('from: "@a.b-c_d"').draft.from, 'a.b-c_d')
    assert.equal(read('to: "@next"').draft.to, 'next')
    for (const to of ['"None"', 'None', '~', 'null', '']) assert.equal(read(`to: ${to}`).draft.to, null, to)
    assert.deepEqual(read('to: ~').codes, ['warning empty_to'])
    assert.deepEqual(read('from: @bare').codes, ['warning unquoted_at'])
  })

  it('name agents that could not be one with an error and what to write', () => {
    assert.match(
      read('from: tester').said,
      /^Agent name must start with @: tester\. Write from: "@tester"\.$/,
    )
    assert.match(read('to: none').said, /^Agent name must start with @: none\. Write to: "None"/)
    assert.equal(read('to: none').draft.to, null)
    for (const from of ['"@"', '"@ x"', '"@a b"'])
      assert.deepEqual(read(`from: ${from}`).codes, ['error invalid_agent_name'], from)
    assert.match(read('from: 5').said, /^Agent name must start with @: 5\./)
    assert.match(read('to:\n    agent: x').said, /mapping, as in a handoff package\. In a block write/)
  })

  it('[S2-17] [S2-18] [S2-19] say that work waits, goes on or is complete', () => {
    assert.equal(read('status: "pending"').draft.state, 'offered')
    assert.equal(read('status: "in_progress"').draft.state, 'in_progress')
    assert.equal(read('status: "complete"').draft.state, 'completed')
  })

  it('[S2-20] [S2-21] [S2-22] say that work failed, is blocked or is tried again', () => {
    assert.equal(read('status: "failed"').draft.state, 'failed')
    assert.equal(read('status: "blocked"').draft.state, 'blocked')
    assert.equal(read('status: "retry"').draft.state, 'retry_wait')
  })

  it("are read in other words too, as errors with the document's word", () => {
    const { draft, codes, said } = read('phase: qa\nstatus: Done')

    assert.deepEqual([draft.phase, draft.state], ['QA', 'completed'])
    assert.deepEqual(codes, ['error invalid_phase', 'error invalid_status'])
    assert.match(said, /^Invalid phase: qa\. Write phase: "QA"/)
    assert.match(said, /^Invalid status: Done\. Write status: "complete"/m)
    assert.equal(read('phase: "Migration"').draft.phase, 'Migration')
  })

  it('[S2-24] count retries in whole numbers from 0', () => {
    assert.equal(read('retry_count: 3').draft.retry_count, 3)
    assert.equal(read('metrics: {}').draft.retry_count, undefined)
    assert.deepEqual(read('retry_count: "1"').codes, ['warning number_as_text'])
    assert.equal(read('retry_count: "1"').draft.retry_count, 1)
    for (const count of ['-1', '1.5'])
      assert.deepEqual(read(`retry_count: ${count}`).codes, ['error invalid_retry_count'])
  })

  it('[S2-25] [S2-51] keep metrics as they are, of any shape and type', () => {
    const { draft, codes } = read(
      'metrics:\n    tests: 25\n    coverage: "95%"\n    ok: true\n    types:\n      unit: 1',
    )

    assert.deepEqual(draft.metrics, { tests: 25, coverage: '95%', ok: true, types: { unit: 1 } })
    assert.deepEqual(codes, [])
  })

  it('[S2-26] [S2-27] list tasks and subtasks, whose ids stay as written', () => {
    assert.deepEqual(read('dependencies: ["task-12", "task-15.3"]').draft.depends_on, [
      'task-12',
      'task-15.3',
    ])
    assert.deepEqual(read('dependencies: [12, 15.10, 0042]').draft.depends_on, ['12', '15.10', '0042'])
    assert.deepEqual(read('dependencies: []').draft.depends_on, [])
  })

  it('[S2-28] [S2-52] say what follows a failure, each rule optional', () => {
    const rules =
      'on_failure:\n    retry: 2\n    route_to: "@a"\n    notify: "@b"\n    escalate_after: 3\n    context: "why"'

    assert.deepEqual(read(rules).draft.on_failure, {
      retry: 2,
      route_to: 'a',
      notify: 'b',
      escalate_after: 3,
      context: 'why',
    })
    assert.deepEqual(read('on_failure:\n    route_to: "@a"').draft.on_failure, { route_to: 'a' })
    assert.deepEqual(read('on_failure:\n    route_to: "@a"').codes, [])
  })

  it('[S2-29] have a time, read as an instant', () => {
    assert.equal(read('timestamp: "2025-01-06T14:30:00Z"').draft.created_at, '2025-01-06T14:30:00Z')
    assert.equal(read('timestamp: "2025-01-06T14:30:00+02:00"').draft.created_at, '2025-01-06T12:30:00Z')
    assert.equal(read('metrics: {}').draft.created_at, undefined)
  })

  it('[S2-30] have a free context, of which a draft knows the workflow, the task and the commit', () => {
    const sha = '1234567890123456789012345678901234567890'
    const { draft } = read(
      `context:\n    workflow_id: 7\n    task_id: 15.10\n    commit_sha: ${sha}\n    decisions: [odd]\n    level: 3`,
    )

    assert.deepEqual(draft.workflow, { id: '7' })
    assert.equal(draft.task, '15.10')
    assert.equal(draft.record?.commit_sha, sha)
    assert.deepEqual(draft.package?.data, { decisions: ['odd'], level: 3 })
  })

  it('[S2-32] want an @ before the agents of on_failure too', () => {
    const { draft, codes } = read('on_failure:\n    route_to: fixer\n    notify: "@"')

    assert.deepEqual(codes, ['error agent_without_at', 'error invalid_agent_name'])
    assert.equal(draft.on_failure?.route_to, 'fixer')
  })

  it('[S2-33] keep what the document does not know', () => {
    assert.deepEqual(read('mood: good\non_failure:\n    wait: 5').draft.extra, {
      'handoff.mood': 'good',
      'handoff.on_failure.wait': 5,
    })
  })

  it("[S2-42] are checked beyond the document's function, whose sentences stay as they are", () => {
    const { codes } = read('retry_count: many\ndependencies: {a: 1}\nmetrics: [1]\ntimestamp: soon')

    assert.deepEqual(codes, ['error not_a_number', 'error not_text', 'error wrong_type', 'warning bad_time'])
    assert.equal(
      validateHandoff({ phase: 'QA', from: '@a', to: 'None', status: 'retry', metrics: [1] }),
      true,
    )
  })

  it('[S2-43] that are blanks of a template make no handoff', () => {
    const { draft, said } = read('phase: "string"\nfrom: "@agent-name"\nmetrics:\n    n: [X]\n    p: "[Y]%"')

    assert.match(said, /^Invalid phase: string\. That is the template's own text; write one of Research, /)
    assert.equal(said.match(/template/g)?.length, 4)
    assert.deepEqual([draft.phase, draft.from], [undefined, undefined])
  })

  it('[S2-87] of failed work recommend on_failure, except in the last phase', () => {
    assert.deepEqual(read('status: "failed"').codes, ['warning failed_without_on_failure'])
    assert.deepEqual(read('status: "failed"\non_failure:\n    retry: 1').codes, [])
    assert.deepEqual(read('phase: "Complete"\nstatus: "failed"').codes, [
      'warning complete_phase_not_complete',
    ])
  })
})

describe("the document's own blocks", () => {
  const found = blocksIn(samplesOf('block'))
  const valid = found.slice(1)

  it('[S2-05] are eight: a template and seven that are valid', () => {
    assert.deepEqual(
      found.map(({ line }) => line),
      [4, 27, 50, 72, 92, 109, 127, 161],
    )
    assert.throws(() => validateHandoff(found[0]?.value), /^Error: Invalid phase: string$/)
    for (const { value, diagnostics } of valid) {
      assert.equal(validateHandoff(value), true)
      assert.deepEqual(
        diagnostics.filter(({ severity }) => severity === 'error'),
        [],
      )
    }
  })

  it('[S2-44] [S2-45] [S2-46] read as the workflow, functional and unit testing agents meant them', () => {
    const [workflow, functional, unit] = valid.map(({ draft }) => draft)

    assert.deepEqual(workflow?.on_failure, {
      retry: 2,
      route_to: 'research-agent',
      notify: 'routing-agent',
      escalate_after: 3,
    })
    assert.deepEqual([workflow?.to, workflow?.state], ['feature-implementation-agent', 'in_progress'])
    assert.deepEqual([functional?.to, functional?.metrics?.scenarios_failed], [null, 1])
    assert.equal(functional?.on_failure?.escalate_after, undefined)
    assert.deepEqual(
      valid[1]?.diagnostics.map(({ code, line }) => [code, line]),
      [['complete_with_failures', 59]],
    )
    assert.deepEqual(unit?.metrics?.test_types, { unit: 25, kernel: 15, functional: 5 })
    assert.equal(unit?.on_failure, undefined)
  })

  it('[S2-47] [S2-48] [S2-49] read as the visual, project and research agents meant them', () => {
    const [visual, project, research] = valid.slice(3).map(({ draft }) => draft)

    assert.equal(visual?.metrics?.diff_threshold, '0.1%')
    assert.deepEqual([project?.phase, project?.to, project?.state], ['Complete', null, 'completed'])
    assert.equal(research?.package?.data?.cache_location, '.taskmaster/docs/research/')
  })

  it('[S2-50] include the shortest one, which stands in another fence', () => {
    const draft = valid.at(-1)?.draft

    assert.deepEqual([draft?.retry_count, draft?.depends_on], [undefined, undefined])
    assert.equal(draft?.metrics?.tests_passed, 25)
  })
})

describe('blocks as agents write them', () => {
  const folder = join(import.meta.dirname, 'fixtures')
  const names = readdirSync(folder).filter((name) => !name.endsWith('.expected.json'))
  for (const name of names)
    it(`are read as expected: ${name}`, () => {
      const found = blocksIn(readFileSync(join(folder, name), 'utf8'), name).map(
        ({ form, draft, diagnostics }) => ({
          form,
          draft,
          diagnostics: diagnostics.map((d) => `${d.line}:${d.column} ${d.severity} ${d.code}: ${d.message}`),
        }),
      )
      const expected = readFileSync(join(folder, `${name}.expected.json`), 'utf8')

      assert.deepEqual(JSON.parse(JSON.stringify(found)), JSON.parse(expected))
    })

  it('never throw, and what is read is a draft', () => {
    const samples = names.map((name) => readFileSync(join(folder, name), 'utf8'))
    const broken = fc
      .tuple(
        fc.constantFrom(...samples),
        fc.nat(),
        fc.nat(30),
        fc.constantFrom('', '@', ':', '\n', '[', '"', '- ', '__proto__: 1\n'),
      )
      .map(
        ([text, at, cut, put]) =>
          text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut),
      )

    fc.assert(
      fc.property(broken, (text) => {
        for (const { draft, diagnostics } of blocksIn(text)) {
          if (draft) assert.ok(Draft().safeParse(draft).success)
          else assert.ok(diagnostics.length > 0)
        }
      }),
      { numRuns: 150 },
    )
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
})
