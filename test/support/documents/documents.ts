/** Documents of the five dialects, written for tests: each is right, and holds something that only it can say. */

export interface MarkdownFacts {
  readonly from?: string
  readonly to?: string
  readonly task?: string
  readonly day?: string
  readonly status?: string
  readonly title?: string
  readonly id?: string
  readonly more?: readonly string[]
}

/** A handoff of document 000 with a comment, an unknown key and a body. */
export function markdownDocument(facts: MarkdownFacts = {}): string {
  const {
    from = 'grok',
    to = 'claude',
    task = 'BPRD-2026-0042',
    day = '2026-02-21',
    status = 'Active',
    title = 'Limit the rate of requests',
    id = `handoff-${from}-${to}-${task}-${day.replaceAll('-', '')}`,
    more = [],
  } = facts
  return `---
handoff_id: ${id}
from_agent: ${from}
to_agent: ${to}
related_task: ${task}
status: ${status}  # set by hand
created_at: ${day}T09:00:00Z
updated_at: ${day}T09:00:00Z
expires_at: ${day}T23:00:00Z
title: ${title}
purpose: Callers must not overload the service
context: |
  Agreed in the planning meeting.
  Two callers send most of the load.
deliverables:
  - Middleware with tests
  - A page in the manual
verification_criteria:
  - npm test passes
source_meeting: meetings/2026-02-20-planning.md
skill_web_node: skills/api-development
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null
completed_at: null
completion_verified_by: null
completion_notes: null
colour: green
${more.map((line) => `${line}\n`).join('')}---

# Handoff: ${title}

## From: ${from}
## To: ${to}

Whatever else there is to say.
`
}

export function queueDocument(id: string, more: object = {}): string {
  return `${JSON.stringify(
    {
      handoff_id: id,
      timestamp: '2026-02-21T10:00:00Z',
      status: 'pending',
      source: { agent_id: '@frontend-orchestrator', phase: 9, agent_type: 'orchestrator' },
      target: { agent_id: '@react-specialist', phase: 13, agent_type: 'specialist' },
      context: { project_id: 'shop', tech_stack: { framework: 'react' } },
      input: {
        schema: 'react-specialist.input.schema.json',
        data: { component_requirements: [{ name: 'Cart', type: 'functional', props: {} }] },
      },
      timeout_seconds: 300,
      priority: 'high',
      retry_policy: { max_retries: 3, retry_delay_seconds: 30, backoff_multiplier: 2 },
      ...more,
    },
    null,
    2,
  )}\n`
}

export interface BlockFacts {
  readonly from?: string
  readonly to?: string
  readonly status?: string
  readonly at?: string
}

/** A summary as agents write it, with one block for each of the facts. */
export function summaryDocument(...blocks: readonly BlockFacts[]): string {
  const parts = blocks.map(
    ({
      from = 'test-agent',
      to = 'docs-agent',
      status = 'complete',
      at = '2026-02-21T11:00:00Z',
    }) => `## Work of ${from}

All of it is done.

\`\`\`yaml
handoff:
  phase: "Testing"
  from: "@${from}"
  to: "${to === 'None' ? 'None' : `@${to}`}"
  status: "${status}"
  timestamp: "${at}"
  metrics:
    tests_passed: 25
  context:
    summary: "Suites pass on both systems"
\`\`\`
`,
  )
  return `# Summary\n\n${parts.join('\n')}`
}

export function packageDocument(id: string, at: string, more = ''): string {
  return `handoff:
  id: "${id}"
  timestamp: "${at}"
  from:
    agent: "spec-agent"
    step: 1
  to:
    agent: "architecture-agent"
    reason: "Designs what was specified"
  context:
    summary: "The specification of the search is written and was reviewed by two people."
    decisions:
      - id: "D1"
        decision: "Search runs on the server"
        rationale: "The index is too large for a browser"
    artifacts:
      - path: "docs/specs/search.md"
        type: "spec"
        description: "Specification"
    open_questions: []
  expectations:
    deliverable: "Architecture of the search"
    constraints:
      - "Answers within 200 ms at the 95th percentile"
    success_criteria:
      - "Every story of the specification is covered"
${more}`
}

export const recordDocument = (task: string, more: object = {}): string =>
  `${JSON.stringify(
    {
      task_id: task,
      branch: 'feature/p0-1-1-package-setup',
      commit_sha: 'a'.repeat(40),
      tests_run: ['smoke.test.ts', 'eslint'],
      summary: 'The package is set up. Lint and types are clean. Tests run in two seconds.',
      blockers: [],
      files_changed: ['package.json'],
      related_thought_records: [],
      ...more,
    },
    null,
    2,
  )}\n`

export const updateDocument = (task: string, status: string, progress: number): string =>
  `${JSON.stringify({ task_id: task, status, progress, notes: 'Parser and writer are done.' }, null, 2)}\n`
