import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { STEP_HOMES } from '../../src/domain/home.ts'
import { checkWorkflow } from '../../src/domain/workflow/check.ts'
import { folders } from '../support/documents/folders.ts'
import { ask } from '../support/program/command.ts'
import { by, describeOnEngines, person, type Workspace } from '../support/program/workspace.ts'

const planner = by('planner')

const DEFINITION = (home: string) => `name: data
home: ${home}
steps:
  - id: plan
    agent: architect
    input: { request: run.input.request }
    input_schema: { type: object, required: [request], properties: { request: { type: string } } }
  - parallel:
      - { id: api, agent: api-dev, input: { user: steps.plan.output.user } }
      - { id: design, agent: designer, input: steps.plan.output }
  - id: page
    agent: web-dev
    input: { user: steps.plan.output.user, url: steps.api.output.links.0.url, request: run.input.request }
    input_schema:
      type: object
      required: [user, url]
      properties: { user: { type: object, required: [name] }, url: { type: string } }
`

const start = async ({ service }: Workspace, home: string, input?: unknown) =>
  (await service.workflows()).start(planner, { definition: DEFINITION(home), input })

/** Takes a step on and hands it in; completes it where its sender has the last word. */
async function work({ service, store }: Workspace, id: string, to: string, result: object) {
  const { uid, home } = (await store.handoff(id))!
  if ((await store.handoff(uid))?.state === 'offered')
    await service.receiving.accept(by(to), uid, { start: true, understood: 'The step' })
  const handed = await service.receiving.submit(by(to), uid, result)
  const judge = home === 'markdown' ? by('perplexity') : planner
  return handed.state === 'in_review' ? service.closing.verify(judge, uid, { pass: true }) : handed
}
const inputOf = async ({ store }: Workspace, id: string) =>
  (await store.content((await store.handoff(id))!.uid))?.package.input

describeOnEngines('a workflow carries data', (open) => {
  for (const home of STEP_HOMES)
    it(`from the run and from the outputs of earlier steps: ${home}`, async (t) => {
      const w = await open(t)
      const run = await start(w, home, { request: 'A page of users', other: 1 })
      assert.deepEqual(await inputOf(w, `${run.id}.plan`), { request: 'A page of users' })
      const output = { user: { name: 'Ada' }, colour: 'blue' }
      const refused = (message: RegExp) => ({ code: 'unmet', message })

      // The next steps are judged when it is handed in, not when they begin.
      await assert.rejects(
        work(w, `${run.id}.plan`, 'architect', { output: { colour: 'blue' } }),
        refused(
          /the step api needs steps\.plan\.output\.user; the step page needs steps\.plan\.output\.user/,
        ),
      )
      await assert.rejects(
        work(w, `${run.id}.plan`, 'architect', { output: { user: {} } }),
        refused(/the input of the step page: user: Missing required field 'name'$/),
      )
      await work(w, `${run.id}.plan`, 'architect', {
        output,
        next_steps: ['Cache it'],
        metadata: { files: 2 },
      })

      assert.deepEqual(await inputOf(w, `${run.id}.api`), { user: { name: 'Ada' } })
      assert.deepEqual(await inputOf(w, `${run.id}.design`), output)
      const { uid } = (await w.store.handoff(`${run.id}.api`))!
      const data = (await w.store.content(uid))?.package.data
      assert.deepEqual(data?.results, { plan: { next_steps: ['Cache it'], metadata: { files: 2 } } })
      await work(w, `${run.id}.design`, 'designer', { output: 'done' })
      await work(w, `${run.id}.api`, 'api-dev', { output: { links: [{ url: '/users' }] } })
      assert.deepEqual(await inputOf(w, `${run.id}.page`), {
        user: { name: 'Ada' },
        url: '/users',
        request: 'A page of users',
      })
      await work(w, `${run.id}.page`, 'web-dev', { output: 1 })
      assert.equal((await w.store.run(run.uid))?.state, 'completed')
    })

  it('and is not started without the input that its steps take', async (t) => {
    const w = await open(t)
    const refused = (message: string) => ({ code: 'invalid_input', message })
    await assert.rejects(
      start(w, 'queue'),
      refused('the step plan needs run.input.request; give it as input'),
    )
    await assert.rejects(
      start(w, 'queue', { request: 5 }),
      refused('the input of the step plan: request: must be string; give it as input'),
    )
    assert.equal((await w.store.runs({}, { limit: 5 })).items.length, 0)
  })

  it('and forgets the output of a step that a person sends back', async (t) => {
    const w = await open(t)
    const definition = `name: again\nhome: queue\nsteps:
  - { id: plan, agent: architect, gate: { name: plan, to: maria } }
  - { id: page, agent: web-dev, input: { user: steps.plan.output.user } }\n`
    await w.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
    const run = await (await w.service.workflows()).start(planner, { definition })
    await work(w, `${run.id}.plan`, 'architect', { output: { user: 'Ada' } })
    await w.service.closing.decide(person('maria'), `${run.id}.plan.gate`, 'reject', 'another user')
    assert.equal((await w.store.run(run.uid))?.steps[0]?.values, undefined)
    await work(w, `${run.id}.plan.2`, 'architect', { output: { user: 'Grace' } })
    await w.service.closing.decide(person('maria'), `${run.id}.plan.gate.2`, 'approve')
    assert.deepEqual(await inputOf(w, `${run.id}.page`), { user: 'Grace' })
  })
})

it('a definition is refused where a step takes the output of a step that is not before it', () => {
  const steps = [
    { id: 'plan', agent: 'a' },
    { id: 'side', agent: 'b', needs: [] },
    { id: 'page', agent: 'c', needs: ['plan'], input: { x: 'steps.side.output', y: 'steps.pln.output.z' } },
    { id: 'odd', agent: 'd', input: 'plan.output' },
  ]
  const found = checkWorkflow({ name: 'data', steps: steps.slice(0, 3) })
  assert.deepEqual(found.ok ? [] : found.problems.map(({ path, message }) => [path.join('.'), message]), [
    ['steps.2.input.x', 'page takes steps.side.output, and side is not a step before it; write plan'],
    ['steps.2.input.y', 'page takes steps.pln.output.z, and pln is not a step before it; did you mean plan?'],
  ])
  const odd = checkWorkflow({ name: 'data', steps: [steps[0], steps[3]] })
  assert.match(odd.ok ? '' : odd.problems[0]!.message, /write run\.input or steps\.<step>\.output/)
})

it('baton workflow start takes the input as JSON or from a file', async (t) => {
  const cwd = folders(t).folder('project')
  await ask({ cwd }, 'init')
  writeFileSync(join(cwd, 'data.yaml'), DEFINITION('queue'))
  writeFileSync(join(cwd, 'request.json'), '{"request": "from a file"}')
  for (const input of ['{"request": "as JSON"}', '@request.json'])
    await ask({ cwd }, 'workflow', 'start', 'data.yaml', '--input', input, '--as', 'planner')
  const shown = await ask({ cwd }, 'show', 'data-2.plan', '--json')
  assert.match(JSON.stringify(shown), /from a file/)
})
