import { createHash } from 'node:crypto'
import { parse, stringify } from 'yaml'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { markdownFolder } from '../../src/folders/markdown/kind.ts'
import { packageFolder } from '../../src/folders/package/kind.ts'
import { queueFolder } from '../../src/folders/queue/kind.ts'
import { DAY, foreign } from './foreign.ts'
import type { Cast, Step, Walker, WalkFile } from './walks.ts'

const taskOf = ({ number }: Cast): string => `BPRD-2026-${String(number).padStart(4, '0')}`

/** Whether a document says all of this already: then nobody asks for anything by writing it. */
function says(value: unknown, given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return value === given
  // An empty list says what a missing key does.
  if (Array.isArray(given) && given.length === 0 && value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(given).every(([key, each]) => says((value as Json)[key], each))
}

/** The front matter with other values. */
function withKeys({ path, text }: WalkFile, keys: Readonly<Record<string, unknown>>): WalkFile | undefined {
  const [, head = '', body = ''] = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/.exec(text) ?? []
  const said = parse(head) as Json
  if (says(said, keys)) return undefined
  return { path, text: `---\n${stringify({ ...said, ...keys }, { lineWidth: 0 })}---\n${body}` }
}

const CHECKS = [{ deliverable: 'Middleware', status: 'verified', evidence: 'PR 1' }] as const

const MARKDOWN_STEPS: readonly Step[] = [
  {
    name: 'accept',
    acts: (_cast, by, { id }) => [{ actor: by, op: 'handoff_accept', input: { id } }],
    file: (before, by) => withKeys(before, { status: 'Acknowledged', acknowledged_by: by }),
  },
  {
    name: 'reject',
    acts: (cast, by, { id }) =>
      by === cast.from
        ? [{ actor: by, op: 'handoff_cancel', input: { id, reason: 'Too much' } }]
        : [{ actor: by, op: 'handoff_reject', input: { id, reason: 'Too much', reason_type: 'other' } }],
    file: (before, by) =>
      withKeys(before, {
        status: 'Rejected',
        rejected_by: by,
        rejection_reason: 'Too much',
      }),
  },
  {
    name: 'submit',
    acts: ({ to }, _by, { id }) => [
      {
        actor: to,
        op: 'handoff_submit',
        input: { id, evidence: [{ deliverable: 'Middleware', evidence: 'PR 1' }] },
      },
    ],
    file: (before) => withKeys(before, { evidence: [{ deliverable: 'Middleware', evidence: 'PR 1' }] }),
  },
  {
    name: 'verify',
    acts: (_cast, by, { id }) => [
      { actor: by, op: 'handoff_verify', input: { id, pass: true, checks: CHECKS } },
    ],
    file: (before, by, _cast, { state }) =>
      state === 'accepted' || state === 'in_progress'
        ? undefined
        : withKeys(before, {
            status: 'Complete',
            completion_verified_by: by,
            verification_record: { deliverable_checks: CHECKS },
          }),
  },
  {
    name: 'amend',
    acts: ({ from }, _by, { id }) => [
      { actor: from, op: 'handoff_amend', input: { id, context: 'Another context' } },
    ],
    file: (before) => withKeys(before, { context: 'Another context' }),
  },
]

export const markdown: Walker = {
  what: 'markdown',
  runs: { memory: 2_000, files: 20 },
  kind: markdownFolder,
  send: {
    act: (cast) => ({
      actor: cast.from,
      op: 'handoff_send',
      input: {
        to: cast.to,
        title: 'Add limits',
        task: taskOf(cast),
        alias: `handoff-${cast.from}-${cast.to}-${taskOf(cast)}-${DAY}`,
        purpose: 'Two lines\nof purpose\n',
        context: 'Because',
        deliverables: ['Middleware'],
        criteria: ['npm test passes'],
        links: { meeting: 'meetings/x.md', skill: 'skills/api' },
      },
    }),
    file: (cast) => {
      const { id, text } = foreign({ from: cast.from, to: cast.to, task: taskOf(cast) })
      return { path: `active/${id}.md`, text }
    },
  },
  steps: MARKDOWN_STEPS,
}

type Json = Record<string, unknown>
const placed = (before: WalkFile, folder: string, keys: Json): WalkFile | undefined => {
  const old = JSON.parse(before.text) as Json
  const path = `handoffs/${folder}/${before.path.split('/').at(-1)}`
  if (path === before.path && says(old, keys)) return undefined
  const value = { ...old, ...keys }
  return {
    path,
    text: `${JSON.stringify(value, undefined, 2)}\n`,
  }
}

const ARTIFACT = {
  path: 'artifacts/phase-13/artifact-1.json',
  type: 'report',
  role: 'output',
  sha256: createHash('sha256').update('{}').digest('hex'),
}

const QUEUE_STEPS: readonly Step[] = [
  {
    name: 'pick up',
    acts: ({ to }, _by, { id }) => [{ actor: to, op: 'handoff_accept', input: { id } }],
    file: (before) => placed(before, 'in-progress', { status: 'in_progress' }),
  },
  {
    name: 'complete',
    acts: ({ to }, _by, { id, state }) => [
      ...(state === 'offered' ? [{ actor: to, op: 'handoff_accept', input: { id } } as const] : []),
      { actor: to, op: 'handoff_submit', input: { id, artifacts: [ARTIFACT] } },
    ],
    file: (before) =>
      placed(before, 'completed', {
        status: 'completed',
        output: { artifact_id: 'artifact-1', artifact_path: ARTIFACT.path, artifact_type: ARTIFACT.type },
      }),
  },
  {
    name: 'fail',
    acts: ({ to }, _by, { id, state }) => [
      ...(state === 'offered' ? [{ actor: to, op: 'handoff_accept', input: { id } } as const] : []),
      { actor: to, op: 'handoff_fail', input: { id, code: 'PROCESSING_ERROR', message: 'The disk is full' } },
    ],
    file: (before) =>
      placed(before, 'failed', {
        status: 'failed',
        error: { code: 'PROCESSING_ERROR', message: 'The disk is full' },
      }),
  },
  {
    name: 'retry',
    acts: ({ from }, _by, { id }) => [{ actor: from, op: 'handoff_retry', input: { id } }],
    file: (before) =>
      before.path.includes('/pending/') ? undefined : placed(before, 'pending', { status: 'pending' }),
  },
  {
    name: 'amend',
    acts: ({ from }, _by, { id }) => [
      { actor: from, op: 'handoff_amend', input: { id, input: { component: 'Another' } } },
    ],
    file: (before) =>
      placed(before, before.path.split('/')[1]!, {
        input: { schema: 'any.input.schema.json', data: { component: 'Another' } },
      }),
  },
]

export const queue: Walker = {
  what: 'queue',
  runs: { memory: 2_000, files: 20 },
  kind: queueFolder,
  send: {
    act: ({ from, to, number }) => ({
      actor: from,
      op: 'handoff_send',
      input: {
        to,
        title: `hnd-${number}`,
        alias: `hnd-${number}`,
        timeout_s: 300,
        input: { component: 'Test' },
      },
    }),
    file: ({ from, to, number }) => ({
      path: `handoffs/pending/hnd-${number}.json`,
      text: JSON.stringify({
        handoff_id: `hnd-${number}`,
        timestamp: '2026-02-21T14:30:00Z',
        status: 'pending',
        source: { agent_id: `@${from}`, phase: 11, agent_type: 'orchestrator' },
        target: { agent_id: `@${to}`, phase: 13, agent_type: 'specialist' },
        context: { project_id: 'proj-001' },
        input: { schema: 'any.input.schema.json', data: { component: 'Test' } },
        timeout_seconds: 300,
      }),
    }),
  },
  steps: QUEUE_STEPS,
  beside: { path: ARTIFACT.path, text: '{}' },
}

function withParts({ path, text }: WalkFile, parts: Json): WalkFile | undefined {
  const value = parse(text) as Json
  if (says(value, parts)) return undefined
  const changed = Object.entries(parts).map(([key, part]) => [
    key,
    { ...(value[key] as Json), ...(part as Json) },
  ])
  return { path, text: stringify({ ...value, ...Object.fromEntries(changed) }, { lineWidth: 0 }) }
}
const inHandoff = (before: WalkFile, keys: Json) => withParts(before, { handoff: keys })

const ended = (status: string, op: 'handoff_reject' | 'handoff_fail' | 'handoff_cancel'): Step => ({
  name: status,
  acts: ({ from, to }, _by, { id }) => [
    {
      actor: op === 'handoff_cancel' ? from : to,
      op,
      input: { id, [op === 'handoff_fail' ? 'message' : 'reason']: `${status} in the file` },
    },
  ],
  file: (before) => inHandoff(before, { status }),
})

const PACKAGE_STEPS: readonly Step[] = [
  {
    name: 'accept',
    acts: (_cast, by, { id }) => [
      { actor: by, op: 'handoff_accept', input: { id, understood: { task: 'Look for risks' }, start: true } },
    ],
    file: (before, by) =>
      withParts(before, {
        acknowledgment: {
          received: true,
          by,
          understood: { task: 'Look for risks' },
          questions: [],
          starting: true,
        },
      }),
  },
  {
    name: 'ask',
    acts: (_cast, by, { id }) => [
      { actor: by, op: 'handoff_accept', input: { id, understood: 'partial', questions: ['Which module?'] } },
    ],
    file: (before, by) =>
      before.text.includes('acknowledgment:')
        ? undefined
        : withParts(before, {
            acknowledgment: { received: true, by, understood: 'partial', questions: ['Which module?'] },
          }),
  },
  {
    name: 'submit',
    acts: ({ to }, _by, { id }) => [{ actor: to, op: 'handoff_submit', input: { id } }],
    file: (before) => inHandoff(before, { status: 'completed' }),
  },
  ended('rejected', 'handoff_reject'),
  ended('failed', 'handoff_fail'),
  ended('cancelled', 'handoff_cancel'),
  {
    name: 'amend',
    acts: ({ from }, _by, { id }) => [
      { actor: from, op: 'handoff_amend', input: { id, summary: 'Another summary of the work' } },
    ],
    file: (before) => inHandoff(before, { context: { summary: 'Another summary of the work' } }),
  },
]

/** A package as its author puts it into the folder of the session. */
const packageFile = (id: string, { number }: Cast, handoff: Json): WalkFile => ({
  path: `.project/07-audit/sessions/walk-${number}/handoffs/${id}.yaml`,
  text: stringify({ handoff: { id, timestamp: '2026-02-21T14:30:00Z', ...handoff } }),
})

/** Somebody whom nobody knows hands over too little. */
const vague: Step = {
  name: 'vague',
  begins: true,
  acts: ({ to, number }) => [
    {
      actor: `eve${number}`,
      op: 'handoff_send',
      input: { to, alias: `HO-${700_000 + number}`, title: "It's done", summary: "It's done" },
    },
  ],
  file: (_before, _by, cast) =>
    packageFile(`HO-${700_000 + cast.number}`, cast, {
      from: { agent: `eve${cast.number}` },
      to: { agent: cast.to, reason: 'Next' },
      context: { summary: "It's done" },
    }),
}

const packages: Walker = {
  what: 'package',
  runs: { memory: 1_000, files: 8 },
  kind: packageFolder,
  send: {
    act: ({ from, to, number }) => ({
      actor: from,
      op: 'handoff_send',
      input: {
        to,
        title: 'The login module is written and needs a review',
        alias: `HO-${number}`,
        type: 'delegation',
        summary: 'The login module is written and needs a review',
        deliverables: ['Risk list'],
        criteria: ['No unaddressed critical risks'],
      },
    }),
    file: (cast) =>
      packageFile(`HO-${cast.number}`, cast, {
        from: { agent: cast.from },
        to: { agent: cast.to, reason: 'Need security validation' },
        expectations: { deliverable: 'Risk list', success_criteria: ['No unaddressed critical risks'] },
        context: { summary: 'The login module is written and needs a review' },
      }),
  },
  steps: [...PACKAGE_STEPS, vague],
}

/** Document 004 has no key for it: what somebody sends who has begun work follows from that work. */
const parentOf = ({ id, to, state }: Handoff, by: string): Json =>
  by === to && ['accepted', 'in_progress', 'needs_input'].includes(state) ? { parent: id } : {}

const GATE_SUMMARY = 'Design finished: three services, one database'
const gateId = ({ number }: Cast): string => `HO-${900_000 + number}`

const gate: Step = {
  name: 'gate',
  begins: true,
  acts: (cast, by, handoff) => [
    {
      actor: by,
      op: 'handoff_send',
      input: {
        ...{ to: cast.person, alias: gateId(cast), title: GATE_SUMMARY, summary: GATE_SUMMARY },
        ...{ type: 'gate', gate: { type: 'blocking', name: 'design' }, ...parentOf(handoff, by) },
      },
    },
  ],
  file: (_before, by, cast) =>
    packageFile(gateId(cast), cast, {
      from: { agent: by },
      to: { agent: cast.person, reason: 'Design to be validated' },
      gate: { type: 'blocking', name: 'design' },
      context: { summary: GATE_SUMMARY },
    }),
}

/** A person decides, or an agent that tries to. */
const decide = (choice: string): Step => {
  const author = ({ to, person }: Cast, by: string) => (by === to ? person : by)
  return {
    name: choice,
    about: gateId,
    acts: (cast, by, { id }) => [
      { actor: author(cast, by), op: 'gate_decide', input: { id, choice, comment: 'Seen' } },
    ],
    file: (before, by, cast) =>
      withParts(before, { gate_response: { decision: choice, by: author(cast, by), comment: 'Seen' } }),
  }
}

const [accept, ask, submit] = PACKAGE_STEPS as readonly [Step, Step, Step]
const amend = PACKAGE_STEPS.at(-1)!

const gates: Walker = {
  ...packages,
  what: 'package gate',
  runs: { memory: 500, files: 6 },
  first: [accept, gate],
  steps: [
    ...['approve', 'reject', 'question'].map(decide),
    {
      ...amend,
      name: 'answer',
      about: gateId,
      acts: (_cast, _by, { id, from }) => [
        { actor: from, op: 'handoff_amend', input: { id, summary: 'Another summary of the work' } },
      ],
    },
    submit,
  ],
}

const RETURNED = 'Two risks were found, with recommendations'
/** An answer to the delegation, whatever became of it. Document 004 tells it by `step: null`, and a command by its type. */
const giveBack = (name: string, type: object, from: object): Step => ({
  name,
  begins: true,
  acts: (cast) => [
    {
      actor: cast.to,
      op: 'handoff_send',
      input: {
        ...{ to: cast.from, alias: `HO-${800_000 + cast.number}`, title: RETURNED, summary: RETURNED },
        ...type,
      },
    },
  ],
  file: (_before, _by, cast) =>
    packageFile(`HO-${800_000 + cast.number}`, cast, {
      from: { agent: cast.to, ...from },
      to: { agent: cast.from, reason: 'Security review completed' },
      context: { summary: RETURNED },
    }),
})

const returns: Walker = {
  ...packages,
  what: 'package return',
  runs: { memory: 500, files: 6 },
  steps: [
    accept,
    ask,
    giveBack('return', { type: 'return' }, { step: null }),
    giveBack('untyped', {}, {}),
    submit,
    amend,
  ],
}

export const PACKAGE_WALKERS: readonly Walker[] = [packages, gates, returns]
