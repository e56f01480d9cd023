// Is reading a handoff document, with everything that Baton finds in it, near to what the bare parser costs?
// Both sides get the same bytes, in turn, in one process. Does not measure reading files, nor memory.
import { parse } from 'yaml'
import { readDocuments } from '../src/dialects/index.ts'
import { type Finding, interleaved } from './support/measure.ts'

const BOUND = 2.5
const ROUNDS = 15

interface Case {
  readonly name: string
  readonly path: string
  readonly text: string
  /** The bare parser on what it can read of the same bytes. */
  bare(): unknown
  /** What is small is all overhead beside a parser written in C++: shown, not bounded. */
  readonly isSmall?: true
}

export async function dialects(): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const all = cases()
  for (const each of all) findings.push(await asked(each.name, [each], each.isSmall))
  const folder = all.filter(({ name }) => name !== 'queue request')
  findings.push(await asked('folder with a small document of each kind', folder))
  return findings
}

async function asked(name: string, documents: readonly Case[], isSmall?: true): Promise<Finding> {
  const { ours, bare } = await interleaved(ROUNDS, {
    ours: () => time(() => documents.map(({ text, path }) => readDocuments(text, { path }))),
    bare: () => time(() => documents.map((each) => each.bare())),
  })
  const bytes = documents.reduce((sum, { text }) => sum + text.length, 0)
  return {
    question: `reading a ${name} against the bare parser`,
    ratio: ours / bare,
    detail: `${ours.toFixed(3)} ms against ${bare.toFixed(3)} ms for ${Math.round(bytes / 1024)} KB`,
    ...(!isSmall && { bound: { sign: '<=', value: BOUND } }),
  }
}

/** Milliseconds a call, over enough calls to be seen. */
function time(work: () => unknown): number {
  for (let warm = 0; warm < 50; warm++) work()
  const started = performance.now()
  let calls = 0
  while (performance.now() - started < 20) {
    work()
    calls++
  }
  return (performance.now() - started) / calls
}

function cases(): readonly Case[] {
  const front = frontMatter()
  const request = queueRequest(600)
  const small = queueRequest(5)
  const block = yamlBlock()
  const pack = yamlPackage()
  return [
    {
      name: 'markdown handoff',
      path: '_handoffs/active/handoff-grok-claude-BPRD-2026-0042-20260221.md',
      text: `---\n${front}---\n\n# Login form\n\n${'A paragraph of background.\n\n'.repeat(20)}`,
      bare: () => parse(front),
    },
    {
      name: 'queue request',
      path: 'handoffs/pending/hoff-001-1705147200000.json',
      text: request,
      bare: () => JSON.parse(request),
    },
    {
      name: 'small queue request',
      path: 'handoffs/pending/hoff-001-1705147200000.json',
      text: small,
      bare: () => JSON.parse(small),
      isSmall: true,
    },
    {
      name: 'block in a summary',
      path: 'summary.md',
      text: `# Summary\n\nAll done.\n\n\`\`\`yaml\n${block}\`\`\`\n`,
      bare: () => parse(block),
    },
    { name: 'package', path: 'handoff.yaml', text: pack, bare: () => parse(pack) },
  ]
}

const list = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('')

function frontMatter(): string {
  return [
    'handoff_id: handoff-grok-claude-BPRD-2026-0042-20260221',
    'title: Login form',
    'from_agent: grok',
    'to_agent: claude',
    'related_task: BPRD-2026-0042',
    'status: Active',
    'created_at: 2026-02-21T14:30:00Z',
    'updated_at: 2026-02-21T14:30:00Z',
    'expires_at: 2026-02-21T18:30:00Z',
    'source_meeting: meetings/2026-02-21.md',
    'skill_web_node: skill-forms',
    'purpose: Validate the login form',
    'context: The form was built last week',
    'acknowledged_at: null\nacknowledged_by: null\nacknowledgment_notes: null',
    'completed_at: null\ncompletion_verified_by: null\ncompletion_notes: null',
    `deliverables:\n${list(8, (i) => `  - Part ${i} of the form\n`)}verification_criteria:`,
    list(8, (i) => `  - Test ${i} passes\n`),
  ].join('\n')
}

function queueRequest(count: number): string {
  const items = Array.from({ length: count }, (_, i) => ({
    id: i,
    name: `field ${i}`,
    required: i % 2 === 0,
  }))
  return JSON.stringify(
    {
      handoff_id: 'hoff-001-1705147200000',
      timestamp: '2026-01-13T12:00:00Z',
      source: { agent_id: '@orchestrator', phase: 11, agent_type: 'orchestrator' },
      target: { agent_id: '@frontend-specialist', phase: 13, agent_type: 'specialist' },
      context: { project_id: 'proj-001', tech_stack: ['react', 'typescript'] },
      input: {
        schema: 'frontend-specialist.input.schema.json',
        data: { component: 'LoginForm', props: items },
      },
      expected_output: { artifact_type: 'react_component', schema: 'frontend-specialist.output.schema.json' },
      priority: 'normal',
      timeout_seconds: 300,
      status: 'pending',
    },
    undefined,
    2,
  )
}

function yamlBlock(): string {
  return [
    'handoff:',
    '  phase: Implementation',
    '  from: "@form-agent"',
    '  to: "@test-agent"',
    '  status: complete',
    '  retry_count: 0',
    `  metrics:\n${list(20, (i) => `    files_${i}: ${i}\n`)}  dependencies: [task-15.3, task-15.4]`,
    '  timestamp: 2026-01-06T14:30:00Z',
    `  context:\n${list(20, (i) => `    note_${i}: Something that the next agent needs\n`)}`,
  ].join('\n')
}

function yamlPackage(): string {
  return [
    'handoff:',
    '  id: HO-2026-001',
    '  timestamp: 2026-01-06T14:30:00Z',
    '  from:\n    agent: architect\n    step: 2',
    '  to:\n    agent: builder\n    reason: Knows the login code',
    '  context:\n    summary: The form exists without validation. Its fields are named.',
    `    decisions:\n${list(10, (i) => `      - id: D${i}\n        decision: Take way ${i}\n        rationale: It is short\n`)}    artifacts:`,
    list(10, (i) => `      - path: src/part-${i}.ts\n        description: Part ${i}\n`).trimEnd(),
    '  expectations:\n    deliverable: A validated form',
    `    success_criteria:\n${list(10, (i) => `      - Test ${i} passes\n`)}`,
  ].join('\n')
}
