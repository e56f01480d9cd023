import assert from 'node:assert/strict'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { type Cell, type Cells, cannot, refused } from './table.ts'
import type { World } from './world.ts'

/** The handoff that most rules are about, from planner to codex. Every format takes this id. */
export const WORK = 'handoff-work'
export const TASK = 'BPRD-2026-0042'
/** The handoff that a new document would begin. */
export const NEW = 'handoff-new'

const SAID = {
  title: 'Add rate limits',
  summary: 'The plan was agreed in the standup',
  purpose: 'Callers must not overload the service',
  context: 'Two callers send most of the load',
  deliverables: ['Middleware'],
  criteria: ['npm test passes'],
  links: { meeting: 'meetings/2026-02-20.md', skill: 'skills/api' },
}

/** Work of planner for codex that every format can write. */
export const workFor = (to: string, more: object = {}) => ({ to, ...SAID, task: TASK, ...more })

export async function offered(world: World, more: object = {}): Promise<void> {
  await world.does('planner', 'handoff_send', workFor('codex', { alias: WORK, ...more }))
  await world.sync()
}

export async function accepted(world: World, more: object = {}): Promise<void> {
  await offered(world, more)
  await world.does('codex', 'handoff_accept', { id: WORK, understood: 'Add rate limits' })
  await world.sync()
}

/** Where the file of a handoff lies in the live folder of the world's home. */
export function fileOf({ home, has }: World, id: string): string {
  const places =
    home === 'markdown'
      ? [`_handoffs/active/${id}.md`]
      : home === 'queue'
        ? ['pending', 'in-progress', 'completed', 'failed'].map((place) => `handoffs/${place}/${id}.json`)
        : [`${SESSIONS}/${new Date().toISOString().slice(0, 10)}/handoffs/${id}.yaml`]
  const found = places.find(has)
  assert.ok(found, `${id} has no file in ${places}`)
  return found
}

const SESSIONS = '.project/07-audit/sessions'

export interface NewFacts {
  readonly from?: string
  readonly to?: string
  readonly task?: string
  readonly summary?: string
  readonly type?: string
  /** Milliseconds from now at which it says it was made. */
  readonly made?: number
  readonly context?: string
  readonly deliverables?: readonly string[]
  /** The format's own word. */
  readonly status?: string
  /** Other keys: lines of front matter, keys of the JSON, lines of the YAML. */
  readonly more?: string | object
}

/** A new handoff by planner for codex in each format, as a program without Baton writes it. */
export const DOCUMENTS = {
  markdown: ({
    from = 'planner',
    to = 'codex',
    task = TASK,
    status = 'Active',
    made,
    context = SAID.context,
    deliverables = SAID.deliverables,
    more = '',
  }: NewFacts) => `---
handoff_id: ${NEW}
from_agent: ${from}
to_agent: ${to}
related_task: ${task}
status: ${status}
created_at: ${now(made)}
updated_at: ${now(made)}
expires_at: ${now(3_600_000)}
title: ${SAID.title}
purpose: ${SAID.purpose}
context: ${context}
deliverables:
${deliverables.map((each) => `  - ${each}\n`).join('')}verification_criteria:
  - npm test passes
source_meeting: meetings/2026-02-20.md
skill_web_node: skills/api
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null
completed_at: null
completion_verified_by: null
completion_notes: null
${more}---

# Handoff: ${SAID.title}
`,
  queue: ({ from = 'planner', to = 'codex', task = TASK, status = 'pending', more = {} }: NewFacts) =>
    `${JSON.stringify(
      {
        handoff_id: NEW,
        timestamp: now(),
        status,
        source: { agent_id: `@${from}`, phase: 11, agent_type: 'orchestrator' },
        target: { agent_id: `@${to}`, phase: 13, agent_type: 'specialist' },
        context: { task_id: task },
        input: { schema: 'codex.input.schema.json', data: { name: 'Cart' } },
        timeout_seconds: 300,
        ...(more as object),
      },
      undefined,
      2,
    )}\n`,
  package: ({ from = 'planner', to = 'codex', summary = SAID.summary, type, status, more }: NewFacts) =>
    `handoff:
  id: "${NEW}"
  timestamp: "${now()}"
  from:
    agent: "${from}"
  to:
    agent: "${to}"
  context:
    summary: ${JSON.stringify(summary)}
${more ?? '  expectations:\n    deliverable: "Middleware"\n'}${type === undefined ? '' : `  type: ${type}\n`}${status === undefined ? '' : `  status: ${status}\n`}`,
  block: ({
    from = 'planner',
    to = 'codex',
    task = TASK,
    summary = 'Suites pass on both systems',
    status = 'complete',
    more = '',
  }: NewFacts) =>
    `# Done

\`\`\`yaml
handoff:
  phase: "Testing"
  from: "@${from}"
  to: "${to === 'None' ? to : `@${to}`}"
  status: "${status}"
  timestamp: "${now()}"
  context:
    task_id: "${task}"
    summary: "${summary}"
${more}\`\`\`
`,
}

/** A request of the queue format that carries this package. */
export function carrying(more: object): NewFacts {
  const data = { package: { title: SAID.title, ...more } }
  return { more: { input: { schema: 'codex.input.schema.json', data } } }
}

/** A second ago, or that much later. */
const now = (later = -1_000): string => new Date(Date.now() + later).toISOString().replace(/\.\d+Z$/, 'Z')

const PLACE = {
  markdown: `_handoffs/active/${NEW}.md`,
  queue: `handoffs/pending/${NEW}.json`,
  package: `${SESSIONS}/S1/handoffs/${NEW}.yaml`,
}

type Format = keyof typeof PLACE

/** Somebody puts a new file into the live folder, and it is refused. */
export const newFile = (format: Format, facts: NewFacts, other: Parameters<typeof refused>[1] = {}): Cell =>
  refused((world) => {
    world.write(PLACE[format], DOCUMENTS[format](facts))
    return ''
  }, other)

/** The same document is imported as it is. */
export function adopted(
  format: keyof typeof DOCUMENTS,
  facts: NewFacts,
  why: string,
  check: (world: World, made: Handoff) => Promise<void> | void = () => undefined,
): Cell {
  return {
    is: 'adopts',
    by: () => DOCUMENTS[format](facts),
    why,
    async holds(world) {
      const made = await importedIn(world)
      assert.equal(made.home, format)
      const [first] = await world.service.deps.store.entries(made.root, 0, 1)
      assert.equal(first?.act, 'handoff.imported')
      await check(world, made)
    },
  }
}

/** The one handoff that came from elsewhere. */
export async function importedIn({ service }: World): Promise<Handoff> {
  const { items } = await service.deps.store.handoffs({}, { limit: 100 })
  const [made, ...others] = items.filter(({ imported_at }) => imported_at !== undefined)
  assert.ok(made && others.length === 0, 'not one handoff was imported')
  return made
}

export const NOT_HANDOFFS = cannot('A task list names tasks. It hands nothing over.')
export const NOT_RECORDS = cannot('A task record names a task. It hands nothing over.')
const OWN_RULES = cannot('The rule belongs to packages. A file is judged by the rules of its own format.')
export const ONLY_NEW = cannot(
  'An import and a list of tasks bring new things. They take no step of a handoff that is here.',
)

/** The cells of a rule of the package format alone. */
export const PACKAGES_ONLY = {
  'file: markdown': OWN_RULES,
  'file: queue': OWN_RULES,
  'import: markdown': OWN_RULES,
  'import: queue': OWN_RULES,
  'import: block': OWN_RULES,
  'import: writeback': NOT_RECORDS,
  collect: OWN_RULES,
  'task import': NOT_HANDOFFS,
} as const satisfies Partial<Cells>
