import { by } from '../../support/program/workspace.ts'
import { accepted, fileOf, NOT_HANDOFFS, NOT_RECORDS, offered, TASK, WORK } from '../situations.ts'
import { CALLS, type Cell, type Cells, cannot, type Rule, refused } from '../table.ts'
import type { World } from '../world.ts'

/** Changes the file of the work. */
export const edited = (
  ...changes: readonly (readonly [from: string | RegExp, to: string])[]
): ((world: World) => string) => {
  return (world) => {
    world.edit(fileOf(world, WORK), ...changes)
    return ''
  }
}

/** Adds lines to the file of the work. */
export const appended =
  (text: string): ((world: World) => string) =>
  (world) => {
    const file = fileOf(world, WORK)
    world.write(file, `${world.read(file)}${text}`)
    return ''
  }

const KNOWN = `${WORK} is here already and says something else; change it with Baton, or see it with: baton show ${WORK}`
const DIFFERS = 'An import changes nothing that is here.'

/** The work as a document that says more than the workspace does. */
export const exported = (
  to: 'markdown' | 'queue' | 'package',
  ...changes: readonly (readonly [from: string | RegExp, to: string])[]
): Cell =>
  refused(
    async (world) => {
      const { text } = await world.does<{ text: string }>('planner', 'document_export', { id: WORK, to })
      return changes.reduce((said, [from, then]) => {
        const next = said.replace(from, then)
        if (next === said) throw new Error(`${from} is not in ${said}`)
        return next
      }, text)
    },
    { sentence: KNOWN, why: DIFFERS },
  )

/** A step of known work, which only a file of its own folder can take. */
export const steps = (
  files: Pick<Cells, 'file: markdown' | 'file: queue' | 'file: package'>,
  more: Partial<Cells> = {},
): Cells => ({
  ...CALLS,
  ...files,
  'import: markdown': ONLY_NEW,
  'import: queue': ONLY_NEW,
  'import: block': ONLY_NEW,
  'import: package': ONLY_NEW,
  'import: writeback': NOT_RECORDS,
  collect: cannot('A block tells of the work of its own author.'),
  'task import': NOT_HANDOFFS,
  ...more,
})

const ONLY_NEW = cannot('An import brings new handoffs. It takes no step of one that is here.')
const MOVED = cannot('A file in the queue folders is moved by its receiver. It names nobody else.')

const NO_REVIEWER = cannot('A file has no key for the reviewer. The rules of its format hold.')
const NO_SESSION = cannot('A file has no key for the session that wrote it. It counts as its agent.')
const NO_TASKS = cannot('A handoff does not change the progress of a task.')

const acknowledgment = (by: string): string =>
  `acknowledgment:\n  received: true\n  by: ${by}\n  understood:\n    task: Add rate limits\n  starting: true\n`

export const ACTING: readonly Rule[] = [
  {
    kind: 'who may act',
    rule: 'Only its receiver accepts a handoff.',
    home: 'markdown',
    code: 'not_allowed',
    sentence: `mallory may not accept ${WORK}; that is for its receiver codex`,
    prepare: offered,
    asked: { as: 'mallory', op: 'handoff_accept', input: { id: WORK } },
    cells: steps(
      {
        'file: markdown': refused(
          edited(
            ['status: Active', 'status: Acknowledged'],
            ['acknowledged_by: null', 'acknowledged_by: mallory'],
          ),
        ),
        'file: queue': MOVED,
        'file: package': refused(appended(acknowledgment('mallory'))),
      },
      {
        'import: markdown': exported(
          'markdown',
          ['status: Active', 'status: Acknowledged'],
          ['acknowledged_at: null', 'acknowledged_at: 2026-11-01T10:00:00Z'],
          ['acknowledged_by: null', 'acknowledged_by: mallory'],
        ),
      },
    ),
  },
  {
    kind: 'who may act',
    rule: 'Only its receiver hands work in.',
    home: 'queue',
    code: 'not_allowed',
    sentence: `mallory may not submit ${WORK}; that is for its receiver codex`,
    prepare: accepted,
    asked: { as: 'mallory', op: 'handoff_submit', input: { id: WORK, note: 'I did it' } },
    cells: steps({
      'file: markdown': cannot(
        'A markdown file has no key for the agent that hands in. It counts as the receiver.',
      ),
      'file: queue': MOVED,
      'file: package': cannot('A package has no key for the agent that hands in. It counts as the receiver.'),
    }),
  },
  {
    kind: 'who may act',
    rule: 'A session does not hand in work that another session of its agent holds.',
    code: 'not_allowed',
    sentence: `${WORK} is held by another session of codex; if that one has ended, take the work over: baton accept ${WORK} --take-over`,
    prepare: async (world) => {
      await offered(world)
      await world.does(by('codex', { instance: 'first' }), 'handoff_accept', { id: WORK })
    },
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, note: 'Done' } },
    cells: steps({ 'file: markdown': NO_SESSION, 'file: queue': NO_SESSION, 'file: package': NO_SESSION }),
  },
  {
    kind: 'who may act',
    rule: 'Only the agent that holds work takes it over from another session.',
    code: 'not_allowed',
    sentence: `mallory may not take over ${WORK}; that is for its holder codex`,
    prepare: accepted,
    asked: { as: 'mallory', op: 'handoff_accept', input: { id: WORK, take_over: true } },
    cells: steps({ 'file: markdown': NO_SESSION, 'file: queue': NO_SESSION, 'file: package': NO_SESSION }),
  },
  {
    kind: 'who may act',
    rule: 'A receiver does not verify its own work.',
    home: 'markdown',
    code: 'not_allowed',
    sentence: `codex may not verify ${WORK}; that is for its verifier`,
    prepare: async (world) => {
      await accepted(world)
      if (world.home === 'markdown') await world.does('codex', 'handoff_submit', { id: WORK, note: 'Done' })
      await world.sync()
    },
    asked: { as: 'codex', op: 'handoff_verify', input: { id: WORK, pass: true } },
    cells: steps({
      'file: markdown': refused(
        edited(
          ['status: Acknowledged', 'status: Complete'],
          [
            'completion_verified_by: null\n',
            'completion_verified_by: codex\nverification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  deliverable_checks:\n    - {deliverable: Middleware, status: verified, evidence: seen}\n',
          ],
        ),
      ),
      'file: queue': cannot('The receiver of queue work completes it. Nobody verifies it.'),
      'file: package': cannot('The receiver of a package completes it. Nobody verifies it.'),
    }),
  },
  {
    kind: 'who may act',
    rule: 'Only the reviewer that its sender named verifies.',
    code: 'not_allowed',
    sentence: `planner may not verify ${WORK}; that is for its reviewer mallory or a person`,
    prepare: async (world) => {
      await accepted(world, { review: 'mallory', deliverables: undefined })
      await world.does('codex', 'handoff_submit', { id: WORK, note: 'Done' })
    },
    asked: { as: 'planner', op: 'handoff_verify', input: { id: WORK, pass: true } },
    cells: steps({
      'file: markdown': NO_REVIEWER,
      'file: queue': NO_REVIEWER,
      'file: package': NO_REVIEWER,
    }),
  },
  {
    kind: 'who may act',
    rule: 'Only its sender takes a handoff back.',
    home: 'package',
    code: 'not_allowed',
    sentence: `mallory may not cancel ${WORK}; that is for its sender planner`,
    prepare: offered,
    asked: { as: 'mallory', op: 'handoff_cancel', input: { id: WORK } },
    cells: steps({
      'file: markdown': cannot('A markdown file that its sender did not reject is rejected by its receiver.'),
      'file: queue': cannot('The queue format has no folder for cancelled work.'),
      'file: package': cannot('A package has no key for the agent that cancels. It counts as the sender.'),
    }),
  },
  {
    kind: 'who may act',
    rule: 'Work that was not accepted is not handed in.',
    home: 'package',
    code: 'wrong_state',
    sentence: `${WORK} has not been accepted yet; only work that is accepted or in progress can be submitted`,
    prepare: offered,
    asked: { as: 'codex', op: 'handoff_submit', input: { id: WORK, note: 'Done' } },
    cells: steps({
      'file: markdown': refused(
        edited(
          ['status: Active', 'status: Complete'],
          [
            'completion_verified_by: null\n',
            'completion_verified_by: perplexity\nverification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  deliverable_checks:\n    - {deliverable: Middleware, status: verified, evidence: seen}\n',
          ],
        ),
        {
          sentence: `${WORK} has not been accepted yet, so there is nothing to verify`,
          why: 'The file of a verifier verifies. It hands nothing in for a receiver that has not begun.',
        },
      ),
      'file: queue': cannot('A file that is moved to completed counts as picked up and handed in.'),
      'file: package': refused(edited([/status: "?pending"?/, 'status: completed'])),
    }),
  },
  {
    kind: 'who may act',
    rule: 'A task in progress belongs to one agent.',
    code: 'conflict',
    sentence: `${TASK} already belongs to codex; pick another with: baton next`,
    prepare: async (world) => {
      await world.does('codex', 'task_create', { id: TASK, title: 'Rate limits' })
      await world.does('codex', 'task_update', { task_id: TASK, status: 'in_progress' })
    },
    asked: {
      as: 'importer',
      op: 'task_update',
      input: { task_id: TASK, status: 'in_progress', progress: 90, notes: 'Nearly done' },
    },
    cells: {
      ...steps({ 'file: markdown': NO_TASKS, 'file: queue': NO_TASKS, 'file: package': NO_TASKS }),
      'import: markdown': NO_TASKS,
      'import: queue': NO_TASKS,
      'import: block': NO_TASKS,
      'import: package': NO_TASKS,
      collect: NO_TASKS,
      'import: writeback': refused(() =>
        JSON.stringify({ task_id: TASK, status: 'in_progress', progress: 90, notes: 'Nearly done' }),
      ),
      'task import': cannot('A task list changes no task that is here.'),
    },
  },
]
