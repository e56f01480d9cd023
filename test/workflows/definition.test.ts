import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { parse } from 'yaml'
import { PHASES } from '../../src/domain/blocks/phases.ts'
import { checkWorkflow } from '../../src/domain/workflow/check.ts'
import { WORKFLOW_SCHEMA } from '../../src/domain/workflow/workflow.ts'
import { phasesText } from '../../src/service/workflows/phases.ts'
import { by, openWorkspace, person } from '../support/program/workspace.ts'

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../examples/workflows/feature.yaml'), 'utf8')

const GOOD = `name: good
steps:
  - id: plan
    agent: planner
  - id: build
    agent: codex
    needs: [plan]
    gate: { name: result, to: maria }
    on_failure: { retry: 1, route_to: gemini }
  - id: ship
    agent: codex
`

interface Case {
  readonly why: string
  readonly change: readonly [from: string, to: string]
  readonly says: RegExp
}

// biome-ignore format: read as a table
const REFUSED: readonly Case[] = [
  { why: 'a field that does not exist', change: ['agent: planner', 'agnt: planner'], says: /^good:4: there is no field agnt here; did you mean agent\?/ },
  { why: 'a field of a gate that does not exist', change: ['name: result,', 'nam: result,'], says: /^good:8: there is no field nam here; did you mean name\?$/ },
  { why: 'a field of a rule that does not exist', change: ['retry: 1', 'retr: 1'], says: /^good:9: there is no field retr here; did you mean retry\?$/ },
  { why: 'a need that is no step', change: ['[plan]', '[pln]'], says: /^good:7: build needs pln, and there is no such step; did you mean plan\?$/ },
  { why: 'an agent that nobody knows', change: ['agent: planner', 'agent: planer'], says: /^good:4: baton\.yaml lists no agent planer; did you mean planner\?$/ },
  { why: 'a rule that routes to nobody', change: ['gemini', 'gemni'], says: /^good:9: baton\.yaml lists no agent gemni; did you mean gemini\?$/ },
  { why: 'a gate for an agent', change: ['to: maria', 'to: codex'], says: /^good:8: only a person can decide a gate, not codex; write human, or ask a person to run: baton agent add codex --kind human$/ },
  { why: 'a circle', change: ['agent: planner\n', 'agent: planner\n    needs: [build]\n'], says: /^good:5: plan needs build needs plan; remove one of them from needs\ngood:11: ship can never start: it needs build, which waits for a circle of steps$/ },
  { why: 'a step that needs itself', change: ['[plan]', '[build]'], says: /^good:7: build needs build; remove one of them from needs/ },
  { why: 'two steps of one name', change: ['id: ship', 'id: plan'], says: /^good:10: there is already a step plan; give this one another name$/ },
  { why: 'a step without a name', change: ['id: plan\n    agent', 'agent'], says: /^good:3: id is missing; give the step a name, for example: id: review$/ },
  { why: 'a step that nobody does', change: ['    agent: planner\n', ''], says: /^good:3: agent is missing; say who does plan, for example: agent: codex$/ },
  { why: 'an agent and a role', change: ['agent: planner', 'agent: planner\n    role: pm'], says: /^good:5: plan has both agent and role; keep one of them$/ },
  { why: 'a role that nobody has', change: ['agent: planner', 'role: revewer'], says: /^good:4: nobody here has the role or capability revewer; did you mean reviewer\?; give it to somebody with: baton agent add NAME --capability revewer$/ },
  { why: 'an unknown kind of gate', change: ['name: result,', 'type: blocing,'], says: /^good:8: "blocing" is not one of blocking, advisory, auto; did you mean blocking\?$/ },
  { why: 'a number out of range', change: ['retry: 1', 'retry: 99'], says: /^good:9: 99 cannot be retry: write at most 20$/ },
  { why: 'a text where a list belongs', change: ['[plan]', 'plan'], says: /^good:7: "plan" cannot be needs: write a list: lines that start with -$/ },
  { why: 'a name in other letters', change: ['id: plan', 'id: The Plan'], says: /^good:3: "The Plan" cannot be id: write small letters, digits and dashes, for example security-check$/ },
  { why: 'a rule for silence that says too little', change: ['to: maria', 'to: maria, silence: { policy: expire }'], says: /^good:8: silence: expire needs after_s$/ },
  { why: 'a field given twice', change: ['agent: planner', 'agent: planner\n    agent: codex'], says: /^good:5: "agent" is given twice, first on line 4; keep one of them/ },
  { why: 'brackets that do not close', change: ['[plan]', '[plan'], says: /^good:\d+: / },
  { why: 'another name than the file has', change: ['name: good', 'name: goods'], says: /^good:1: the file is called good and the workflow goods; give both one name$/ },
  { why: 'no steps', change: [GOOD.slice(GOOD.indexOf('steps:')), 'steps: []\n'], says: /^good:2: \[\] cannot be steps: write at least 1$/ },
  { why: 'something else than a workflow', change: [GOOD, 'just text'], says: /^good:1: "just text" cannot be a workflow: write fields on lines of their own, indented$/ },
]

async function open(t: TestContext) {
  const agents = {
    planner: { capabilities: ['reviewer'] },
    codex: {},
    gemini: {},
    maria: { kind: 'human' as const },
    orchestrator: {},
  }
  return openWorkspace(t, { policy: { agents } })
}

describe('a definition that is wrong', () => {
  for (const { why, change, says } of REFUSED)
    it(`is refused with line and fix: ${why}`, async (t) => {
      const { service, store } = await open(t)
      const definition = GOOD.replace(...change)
      assert.notEqual(definition, GOOD)

      await assert.rejects(
        (await service.workflows()).start(by('orchestrator'), { name: 'good', definition }),
        (error: Error) => {
          assert.equal((error as Error & { code: string }).code, 'invalid_input')
          assert.match(error.message.replaceAll('workflows/good.yaml', 'good'), says)
          return true
        },
      )
      assert.deepEqual((await store.handoffs({}, { limit: 1 })).items, [])
    })

  it('is refused with every problem at once, also where a step cannot be read', async (t) => {
    const { service } = await open(t)
    const definition = GOOD.replace('agent: codex\n', 'agnt: codex\n    timeout: 5x\n')
      .replace('[plan]', '[pln]')
      .replace('id: ship\n    agent: codex', 'id: ship\n    needs: [plan, biuld]')
      .replace(/$/, '  - parallel: [{ id: plan, agent: codex, needs: [plan, shp] }]\n')

    await assert.rejects(
      (await service.workflows()).start(by('orchestrator'), { name: 'good', definition }),
      {
        code: 'invalid_input',
        message: [
          '6: there is no field agnt here; did you mean agent?',
          '7: "5x" cannot be timeout: write seconds or a time such as 90s, 30m, 2h or 1d',
          '8: build needs pln, and there is no such step; did you mean plan?',
          '11: agent is missing; say who does ship, for example: agent: codex',
          '12: ship needs biuld, and there is no such step; did you mean build?',
          '13: there is already a step plan; give this one another name',
          '13: plan needs shp, and there is no such step; did you mean ship?',
        ]
          .map((line) => `workflows/good.yaml:${line}`)
          .join('\n'),
      },
    )
  })

  it('is refused by name where there is none', async (t) => {
    const { service } = await open(t)

    await assert.rejects((await service.workflows()).start(by('orchestrator'), { name: 'feature' }), {
      code: 'not_found',
      message:
        'there is no workflow feature: no workflows/feature.yaml; make one with: baton workflow init feature',
    })
  })

  it('never makes the reader fail, whatever the text is', () => {
    fc.assert(
      fc.property(fc.anything(), (data) => {
        const checked = checkWorkflow(data)
        assert.ok(checked.ok || checked.problems.length > 0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a definition that is right', () => {
  it('is read with everything that it leaves out filled in', () => {
    const checked = checkWorkflow(parse(EXAMPLE))

    assert.ok(checked.ok)
    assert.deepEqual(
      checked.workflow.steps.map(({ id, needs }) => `${id}: ${needs.join(' ')}`),
      [
        'specification: ',
        'architecture: specification',
        'backend: architecture',
        'frontend: architecture',
        'integration: backend frontend',
        'release: integration',
      ],
    )
    assert.equal(checked.workflow.steps[2]?.timeout_s, 14_400)
    assert.deepEqual(checked.workflow.steps[4]?.gate, {
      type: 'auto',
      name: 'integration',
      items: ['All checks pass'],
      to: 'human',
    })
  })

  it('is what the guide shows', () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/workflows.md'), 'utf8')
    const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? []

    const checked = checkWorkflow(parse(shown))

    assert.ok(checked.ok, JSON.stringify(checked))
    assert.deepEqual(checked.workflow.steps.at(-1)?.needs, ['backend', 'frontend'])
  })

  it('starts what needs nothing at once, and takes whoever has the role', async (t) => {
    const { service, store } = await open(t)
    const definition =
      'name: wide\nsteps:\n  - { id: a, agent: codex }\n  - { id: b, role: reviewer, needs: [] }\n'

    await (await service.workflows()).start(by('orchestrator'), { definition })

    const [b, a] = (await store.handoffs({}, { limit: 9 })).items
    assert.deepEqual([a?.id, a?.to, b?.id, b?.to], ['wide-1.a', 'codex', 'wide-1.b', 'planner'])
  })

  it('makes a person of whom a person names for a gate', async (t) => {
    const { service, store } = await openWorkspace(t)
    const definition = 'name: one\nsteps:\n  - { id: a, agent: codex, gate: { to: paul } }\n'
    await assert.rejects((await service.workflows()).start(by('codex'), { definition }), {
      code: 'invalid_input',
    })

    await (await service.workflows()).start(person('maria'), { definition })

    const paul = (await store.agents()).find(({ name }) => name === 'paul')
    assert.equal(paul?.kind, 'human')
  })

  it("[S2-53] [S2-54] comes with Baton for document 002's phases, and tells phase, holder and progress", async (t) => {
    const { service } = await openWorkspace(t)

    const run = await (await service.workflows()).start(by('orchestrator'), { name: 'phases' })

    assert.deepEqual(
      run.workflow.steps.map(({ phase }) => phase),
      [...PHASES],
    )
    assert.deepEqual(
      run.workflow.steps.map(({ needs }) => needs.length),
      [0, 1, 1, 1, 1, 1, 1, 1],
    )
    const { runView } = await import('../../src/domain/workflow/run-view.ts')
    const { run: now, handoffs } = await (await service.workflows()).status(run.id)
    const { phase, waiting_for, state } = runView(now, handoffs)
    assert.deepEqual(phase, { name: 'Research', step: 1, of: 8, percent: 12.5 })
    assert.deepEqual([state, waiting_for[0]?.who], ['running', 'research-agent'])
  })
})

describe('the JSON Schema of definitions', () => {
  const isValid = new Ajv2020({ strict: false }).compile(WORKFLOW_SCHEMA())

  it('takes the example and the phases', () => {
    for (const text of [EXAMPLE, phasesText()])
      assert.ok(isValid(parse(text)), JSON.stringify(isValid.errors))
  })

  it('refuses what the reader refuses about fields', () => {
    assert.ok(!isValid(parse(GOOD.replace('agent: planner', 'agnt: planner'))))
    assert.ok(!isValid({ name: 'x', steps: [] }))
  })
})
