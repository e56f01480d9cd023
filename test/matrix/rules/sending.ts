import assert from 'node:assert/strict'
import { person } from '../../support/program/workspace.ts'
import {
  accepted,
  adopted,
  DOCUMENTS,
  NOT_HANDOFFS,
  NOT_RECORDS,
  newFile,
  offered,
  PACKAGES_ONLY,
  TASK,
  WORK,
  workFor,
} from '../situations.ts'
import { CALLS, type Cells, cannot, type Rule, refused } from '../table.ts'
import type { World } from '../world.ts'

const DAY_MS = 86_400_000
const ELSEWHERE = 'It was sent elsewhere. Its receiver finds the fault when it accepts.'

/** A package that breaks a rule of sending, in a file and as a document. */
const packages = (facts: Parameters<typeof DOCUMENTS.package>[0]): Cells => ({
  ...CALLS,
  ...PACKAGES_ONLY,
  'file: package': newFile('package', facts),
  'import: package': adopted('package', facts, ELSEWHERE),
})

const NO_KEY = cannot('A document has no key for the reviewer. The rules of its format hold.')
const NO_REVIEW: Cells = {
  ...CALLS,
  'file: markdown': NO_KEY,
  'file: queue': NO_KEY,
  'file: package': NO_KEY,
  'import: markdown': NO_KEY,
  'import: queue': NO_KEY,
  'import: block': NO_KEY,
  'import: package': NO_KEY,
  'import: writeback': NOT_RECORDS,
  collect: NO_KEY,
  'task import': NOT_HANDOFFS,
}

const LONGER = { from: 'builder', to: 'mallory' }
const BEGINS = 'What comes from elsewhere begins a chain of its own.'
const outside = '  expectations:\n    deliverable: "Middleware"\n'
const isCounted = async ({ service }: World): Promise<void> => {
  const { agents } = await service.deps.store.counts()
  assert.ok((agents.planner?.outgoing ?? 0) > 0, 'it does not count for its sender')
}

/** A new handoff to somebody, by every surface that can hand over. */
const handingOver = (to: string, why: string): Cells => ({
  ...CALLS,
  'file: markdown': newFile('markdown', { to }),
  'file: queue': newFile('queue', { to }),
  'file: package': newFile('package', { to }),
  'import: markdown': adopted('markdown', { to }, why, isCounted),
  'import: queue': adopted('queue', { to }, why, isCounted),
  'import: block': adopted('block', { to }, why),
  'import: package': adopted('package', { to }, why, isCounted),
  'import: writeback': NOT_RECORDS,
  collect: refused(() => DOCUMENTS.block({ to })),
  'task import': NOT_HANDOFFS,
})

/** An open handoff of planner for codex, about another task. */
const before = (world: World) => offered(world, { task: 'BPRD-2026-0041' })

export const SENDING: readonly Rule[] = [
  {
    kind: 'sending',
    rule: 'A summary that says nothing is not sent.',
    home: 'package',
    code: 'invalid_input',
    sentence: `summary: "It's done" tells the receiver nothing; say what was done and what is needed`,
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { summary: "It's done" }) },
    cells: packages({ summary: "It's done" }),
  },
  {
    kind: 'sending',
    rule: 'Work without a review has a check that decides.',
    code: 'invalid_input',
    sentence:
      'review none needs a check that decides; add one to checks, for example {"kind": "json_schema", "schema": {…}} for the output',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { review: 'none' }) },
    cells: NO_REVIEW,
  },
  {
    kind: 'sending',
    rule: 'A receiver does not review its own work.',
    code: 'invalid_input',
    sentence: 'codex cannot review its own work; name another agent, or sender',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { review: 'codex' }) },
    cells: NO_REVIEW,
  },
  {
    kind: 'sending',
    rule: 'A placeholder is not sent.',
    home: 'package',
    code: 'invalid_input',
    sentence: 'summary: [what was done] is a placeholder; write the value that it stands for',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex', { summary: '[what was done]' }) },
    cells: packages({ summary: '[what was done]' }),
  },
  {
    kind: 'sending',
    rule: 'A delegation names the result that it wants.',
    home: 'package',
    code: 'invalid_input',
    sentence:
      'deliverables: a delegation needs a deliverable; name the result you expect (--deliverable, or expectations.deliverable in a file)',
    asked: {
      as: 'planner',
      op: 'handoff_send',
      input: {
        to: 'codex',
        title: 'Check',
        type: 'delegation',
        summary: 'The plan was agreed in the standup',
      },
    },
    cells: packages({ type: 'delegation', more: '' }),
  },
  {
    kind: 'sending',
    rule: 'An artifact lies inside the project.',
    home: 'package',
    code: 'invalid_input',
    sentence:
      'artifacts.0.path: artifact /etc/passwd is not inside the project; copy it there and write its path relative to the project',
    asked: {
      as: 'planner',
      op: 'handoff_send',
      input: workFor('codex', { artifacts: [{ path: '/etc/passwd' }] }),
    },
    cells: packages({ more: `    artifacts:\n      - path: "/etc/passwd"\n${outside}` }),
  },
  {
    kind: 'sending',
    rule: 'A markdown handoff of a task is open once between two agents.',
    home: 'markdown',
    code: 'conflict',
    sentence: `${WORK} already hands ${TASK} from planner to codex and is open`,
    prepare: offered,
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex') },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', { made: -DAY_MS }),
      'file: queue': cannot('The rule belongs to markdown handoffs.'),
      'file: package': cannot('The rule belongs to markdown handoffs.'),
      'import: markdown': adopted(
        'markdown',
        { made: -DAY_MS },
        'It is open elsewhere already, and both are shown.',
      ),
      'import: queue': cannot('The rule belongs to markdown handoffs.'),
      'import: block': cannot('The rule belongs to markdown handoffs.'),
      'import: package': cannot('The rule belongs to markdown handoffs.'),
      'import: writeback': NOT_RECORDS,
      collect: cannot('The rule belongs to markdown handoffs.'),
      'task import': NOT_HANDOFFS,
    },
  },
  {
    kind: 'sending',
    rule: 'Nothing is sent to an agent that was removed.',
    code: 'not_found',
    sentence: 'agent builder was removed; add it again with: baton agent add builder',
    prepare: async ({ service }) => {
      await service.agents.remove(person('maria'), 'builder')
    },
    asked: { as: 'planner', op: 'handoff_send', input: workFor('builder') },
    cells: handingOver('builder', 'It was sent before the agent was removed.'),
  },
  {
    kind: 'sending',
    rule: 'Only agents that baton.yaml lists take part.',
    code: 'not_found',
    sentence: 'unknown agent ghost; baton.yaml lists codex, planner',
    settings: 'agents:\n  planner: {}\n  codex: {}\n',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('ghost') },
    cells: {
      ...handingOver('ghost', 'Not used.'),
      'import: markdown': refused(() => DOCUMENTS.markdown({ to: 'ghost' })),
      'import: queue': refused(() => DOCUMENTS.queue({ to: 'ghost' })),
      'import: block': refused(() => DOCUMENTS.block({ to: 'ghost' })),
      'import: package': refused(() => DOCUMENTS.package({ to: 'ghost' })),
      collect: refused(() => DOCUMENTS.block({ to: 'ghost' }), { trace: [] }),
    },
  },
  {
    kind: 'limits',
    rule: 'A sender has no more open handoffs than its limit.',
    code: 'limit_exceeded',
    sentence: 'planner has 1 active outgoing handoffs (max: 1)',
    settings: 'default_limits: {outgoing: 1}\n',
    prepare: before,
    asked: { as: 'planner', op: 'handoff_send', input: workFor('builder') },
    cells: handingOver('builder', 'A limit counts what was sent elsewhere and does not refuse it.'),
  },
  {
    kind: 'limits',
    rule: 'A receiver has no more open handoffs than its limit.',
    code: 'limit_exceeded',
    sentence: 'codex has 1 active incoming handoffs (max: 1)',
    settings: 'default_limits: {incoming: 1}\n',
    prepare: before,
    asked: { as: 'planner', op: 'handoff_send', input: workFor('codex') },
    cells: handingOver('codex', 'A limit counts what was sent elsewhere and does not refuse it.'),
  },
  {
    kind: 'limits',
    rule: 'Work is given to another receiver only within its limit.',
    code: 'limit_exceeded',
    sentence: 'builder has 1 active incoming handoffs (max: 1)',
    settings: 'default_limits: {incoming: 1}\n',
    prepare: async (world) => {
      await offered(world)
      await world.does('planner', 'handoff_send', workFor('builder', { alias: 'handoff-next' }))
      await world.sync()
    },
    asked: { as: 'planner', op: 'handoff_reassign', input: { id: WORK, to: 'builder' } },
    cells: { ...CALLS, ...reassigned() },
  },
  {
    kind: 'limits',
    rule: 'A chain of handoffs is no longer than its limit.',
    home: 'package',
    code: 'limit_exceeded',
    sentence:
      'this would be handoff 3 in one chain (max: 2); finish or return the work instead of passing it on; the chain is planner → codex → builder (handoff-work, handoff-next), and now to mallory',
    settings: 'depth_limit: 1\n',
    prepare: async (world) => {
      await accepted(world)
      await world.does('codex', 'handoff_send', workFor('builder', { alias: 'handoff-next' }))
    },
    asked: { as: 'builder', op: 'handoff_send', input: workFor('mallory') },
    cells: {
      ...CALLS,
      'file: markdown': newFile('markdown', LONGER),
      'file: queue': newFile('queue', LONGER),
      'file: package': newFile('package', {
        ...LONGER,
        more: `  expectations:\n    deliverable: "Middleware"\n  workflow_state: {name: "${TASK}"}\n`,
      }),
      'import: markdown': adopted('markdown', LONGER, BEGINS),
      'import: queue': adopted('queue', LONGER, BEGINS),
      'import: block': adopted('block', LONGER, BEGINS),
      'import: package': adopted('package', LONGER, BEGINS),
      'import: writeback': NOT_RECORDS,
      collect: {
        is: 'answers',
        by: () => DOCUMENTS.block(LONGER),
        why: 'The block completes the work of its author. Only the handing on is refused, with the same sentence.',
        async holds({ service }) {
          const { items } = await service.deps.store.handoffs({ to: 'mallory' }, { limit: 1 })
          assert.deepEqual(items, [])
        },
      },
      'task import': NOT_HANDOFFS,
    },
  },
  {
    kind: 'routes',
    rule: 'An agent hands over only where the routes lead.',
    code: 'not_allowed',
    sentence: 'planner may not hand to builder; see routes in baton.yaml',
    settings: 'routes: [{from: planner, to: [codex]}]\n',
    asked: { as: 'planner', op: 'handoff_send', input: workFor('builder') },
    cells: handingOver('builder', 'It was handed over elsewhere, where other routes hold.'),
  },
  {
    kind: 'routes',
    rule: 'Work is given to another receiver only where the routes lead.',
    code: 'not_allowed',
    sentence: 'planner may not hand to builder; see routes in baton.yaml',
    settings: 'routes: [{from: planner, to: [codex]}]\n',
    prepare: offered,
    asked: { as: 'planner', op: 'handoff_reassign', input: { id: WORK, to: 'builder' } },
    cells: {
      ...CALLS,
      ...reassigned(),
    },
  },
]

/** No document has a key by which known work goes to another receiver. */
function reassigned(): Omit<Cells, keyof typeof CALLS> {
  const fixed = cannot('The receiver of a handoff cannot be changed in its file.')
  const known = cannot('An import takes no step of a handoff that is here.')
  return {
    'file: markdown': fixed,
    'file: queue': fixed,
    'file: package': fixed,
    'import: markdown': known,
    'import: queue': known,
    'import: block': known,
    'import: package': known,
    'import: writeback': NOT_RECORDS,
    collect: cannot('A block hands its own work on. It does not move the work of others.'),
    'task import': NOT_HANDOFFS,
  }
}
