import assert from 'node:assert/strict'
import { accepted, adopted, DOCUMENTS, newFile, PACKAGES_ONLY, TASK, WORK, workFor } from '../situations.ts'
import { CALLS, cannot, type Rule, refused } from '../table.ts'
import type { World } from '../world.ts'
import { edited, steps } from './acting.ts'

const GATE = 'handoff-gate'
const SHUT = `the gate design (${GATE}) waits for maria`

/** A gate that codex or planner asks maria about the work. */
const gate = (as: string) => async (world: World) => {
  const about = { summary: 'The design is ready to be judged', title: 'Design?', type: 'gate' }
  const home = world.home === 'package' ? 'package' : 'native'
  await world.does(as, 'handoff_send', {
    ...about,
    to: 'maria',
    gate: { name: 'design' },
    parent: WORK,
    alias: GATE,
    home,
  })
  await world.sync()
}

async function gated(world: World): Promise<void> {
  await accepted(world)
  await gate('codex')(world)
}

/** The gate still waits, whatever was imported. */
async function staysShut({ service }: World): Promise<void> {
  assert.equal((await service.deps.store.handoff(GATE))?.state, 'needs_input')
}

const ELSEWHERE = 'It was handed on elsewhere. The gate here stays shut.'
const on = { from: 'codex', to: 'builder' }

/** Moves the file of the work to another folder of the queue, with other keys. */
export const moved =
  (to: 'pending' | 'in-progress' | 'completed' | 'failed', more: object = {}) =>
  (world: World): string => {
    const at = ['pending', 'in-progress', 'completed', 'failed'].find((place) =>
      world.has(`handoffs/${place}/${WORK}.json`),
    )
    const from = `handoffs/${at}/${WORK}.json`
    const said = { ...JSON.parse(world.read(from)), status: to, ...more }
    world.write(from, `${JSON.stringify(said, undefined, 2)}\n`)
    world.move(from, `handoffs/${to}/${WORK}.json`)
    return ''
  }

export const OUTPUT = {
  artifact_id: 'artifact-1',
  artifact_path: 'artifacts/phase-13-react/artifact-1.json',
  artifact_type: 'react-components',
  schema_compliance: 'valid',
}

/** The same with an output that lies in the project. */
export const completed =
  (more: object = {}) =>
  (world: World) => {
    world.write(OUTPUT.artifact_path, '{"files": []}\n')
    return moved('completed', { completed_at: new Date().toISOString(), output: OUTPUT, ...more })(world)
  }

export const PEOPLE = 'The surface lets only people call this operation, and says so in its own words.'
const HANDED_IN = 'Work in this format is handed in and then verified.'

export const GATES: readonly Rule[] = [
  {
    kind: 'gates',
    rule: 'Work is not completed past a gate that is shut.',
    home: 'package',
    code: 'unmet',
    sentence: `${WORK} cannot be completed yet: ${SHUT}`,
    prepare: gated,
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, note: 'Done' } },
    cells: steps(
      {
        'file: markdown': refused(
          edited(
            ['status: Acknowledged', 'status: Complete'],
            ['completion_verified_by: null', 'completion_verified_by: perplexity'],
          ),
          { sentence: `${WORK} cannot be submitted yet: ${SHUT}`, why: HANDED_IN },
        ),
        'file: queue': refused(completed()),
        'file: package': refused(edited([/status: "?in_progress"?/, 'status: completed'])),
      },
      {
        collect: refused(() => DOCUMENTS.block({ from: 'codex', to: 'None' })),
      },
    ),
  },
  {
    kind: 'gates',
    rule: 'Work is not handed on past a gate that is shut.',
    home: 'package',
    code: 'unmet',
    sentence: `${WORK} cannot be passed on yet: ${SHUT}`,
    prepare: gated,
    asked: { as: 'codex', op: 'handoff_send', input: workFor('builder', { parent: WORK }) },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', on),
      'file: queue': newFile('queue', on),
      'file: package': newFile('package', {
        ...on,
        more: `  expectations:\n    deliverable: "Middleware"\n  workflow_state: {name: "${TASK}"}\n`,
      }),
      'import: markdown': adopted('markdown', on, ELSEWHERE, staysShut),
      'import: queue': adopted('queue', on, ELSEWHERE, staysShut),
      'import: block': adopted('block', on, ELSEWHERE, staysShut),
      'import: package': adopted('package', on, ELSEWHERE, staysShut),
      'import: writeback': cannot('A task record names a task. It hands nothing over.'),
      collect: refused(() => DOCUMENTS.block(on), {
        sentence: `${WORK} cannot be completed yet: ${SHUT}`,
        why: 'The block says that the work is complete, which is refused first.',
      }),
      'task import': cannot('A task list names tasks. It hands nothing over.'),
    },
  },
  {
    kind: 'gates',
    rule: 'Work is not verified past a gate that is shut.',
    home: 'markdown',
    code: 'unmet',
    sentence: `${WORK} cannot be completed yet: ${SHUT}`,
    prepare: async (world) => {
      await accepted(world)
      if (world.home === 'markdown') await world.does('codex', 'handoff_submit', { id: WORK, note: 'Done' })
      await gate('planner')(world)
    },
    asked: {
      as: 'perplexity',
      op: 'handoff_verify',
      input: {
        id: WORK,
        pass: true,
        checks: [{ deliverable: 'Middleware', status: 'verified', evidence: 'seen' }],
      },
    },
    cells: steps({
      'file: markdown': refused(
        edited(
          ['status: Acknowledged', 'status: Complete'],
          [
            'completion_verified_by: null\n',
            'completion_verified_by: perplexity\nverification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  deliverable_checks:\n    - {deliverable: Middleware, status: verified, evidence: seen}\n',
          ],
        ),
      ),
      'file: queue': cannot('The receiver of queue work completes it. Nobody verifies it.'),
      'file: package': cannot('The receiver of a package completes it. Nobody verifies it.'),
    }),
  },
  {
    kind: 'gates',
    rule: 'Only a person decides a gate.',
    home: 'package',
    code: 'not_allowed',
    sentence: 'only a person can decide a gate, and codex is not one',
    prepare: gated,
    asked: { as: 'codex', op: 'gate_decide', input: { id: GATE, choice: 'approve' } },
    cells: {
      'command line': {
        is: 'refused',
        sentence: 'baton decide is for people only, and codex is of kind agent; ask a person to run it',
        why: PEOPLE,
      },
      MCP: {
        is: 'refused',
        sentence: 'gate_decide is for people only, and codex is of kind agent; ask a person to run it',
        why: PEOPLE,
      },
      HTTP: {
        is: 'refused',
        sentence: 'only a person may do this, and codex is of kind agent; ask a person to do it',
        why: PEOPLE,
      },
      TypeScript: {
        is: 'refused',
        sentence: 'gate_decide is for people only; a person must run it at a terminal or in the dashboard',
        why: PEOPLE,
      },
      ...PACKAGES_ONLY,
      'file: package': refused((world) => {
        const path = `.project/07-audit/sessions/${new Date().toISOString().slice(0, 10)}/handoffs/${GATE}.yaml`
        world.write(path, `${world.read(path)}gate_response:\n  decision: approve\n  by: codex\n`)
        return ''
      }),
      'import: package': adopted(
        'package',
        {
          from: 'codex',
          to: 'maria',
          status: 'completed',
          more: '  gate: {type: blocking, name: design}\ngate_response:\n  decision: approve\n  by: codex\n',
        },
        'A gate that was opened elsewhere opens none here.',
        staysShut,
      ),
    },
  },
  {
    kind: 'gates',
    rule: 'A gate is sent to a person.',
    home: 'package',
    code: 'invalid_input',
    sentence:
      'only a person can decide a gate, not builder; send it to human, or ask a person to run: baton agent add builder --kind human',
    asked: {
      as: 'codex',
      op: 'handoff_send',
      input: { to: 'builder', title: 'Design?', type: 'gate', summary: 'The design is ready to be judged' },
    },
    cells: {
      ...CALLS,
      ...PACKAGES_ONLY,
      'file: package': newFile('package', {
        from: 'codex',
        to: 'builder',
        more: '  gate: {type: blocking}\n',
      }),
      'import: package': adopted(
        'package',
        { from: 'codex', to: 'builder', more: '  gate: {type: blocking}\n' },
        'It was asked elsewhere, where builder may be a person.',
      ),
    },
  },
]
