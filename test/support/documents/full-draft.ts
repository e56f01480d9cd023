import type { Dialect } from '../../../src/dialects/dialect.ts'
import { type Data, own } from '../../../src/dialects/difference.ts'
import type { Draft } from '../../../src/dialects/draft.ts'

/** Something for everything that some dialect demands, so that any draft can be written in any of them. */
export const FULL: Draft = {
  id: 'HO-2026-001',
  type: 'delegation',
  state: 'offered',
  from: 'grok',
  to: 'claude',
  from_role: 'orchestrator',
  to_role: 'specialist',
  to_reason: 'Knows the login code',
  from_phase: 11,
  to_phase: 13,
  phase: 'Implementation',
  from_step: 2,
  title: 'Login form',
  task: 'BPRD-2026-0042',
  project: 'proj-001',
  priority: 'normal',
  created_at: '2026-02-21T14:30:00Z',
  updated_at: '2026-02-21T14:30:00Z',
  ack_deadline: '2026-02-21T18:30:00Z',
  timeout_s: 300,
  retry_count: 1,
  retry: { max: 3, delay_s: 30, multiplier: 2 },
  on_failure: { retry: 2, route_to: 'gemini', notify: 'grok', escalate_after: 3 },
  metrics: { files: 3 },
  depends_on: ['task-15.3'],
  workflow: { name: 'Login', current_step: 2 },
  input_schema: 'component-input.json',
  output_schema: 'component-output.json',
  expected_output: { artifact_type: 'react_component', format: 'tsx' },
  package: {
    summary: 'The login form exists without validation. The fields are named.',
    purpose: 'Validate the login form',
    context: 'The form was built last week',
    deliverables: ['A validated form'],
    criteria: ['All 12 tests pass'],
    data: { stack: 'react' },
    decisions: [{ id: 'D1', decision: 'Validate on blur', rationale: 'Users asked for it' }],
    artifacts: [{ path: 'src/login.ts', description: 'The form' }],
    open_questions: [{ question: 'Which languages?', priority: 'high' }],
    constraints: ['No new dependency'],
    input: { component: 'LoginForm' },
    links: { meeting: 'meetings/2026-02-21.md', skill: 'skill-forms' },
  },
  record: {
    branch: 'feature/p0-1-1-login',
    commit_sha: 'a'.repeat(40),
    tests_run: ['login.test.ts'],
    summary: 'Built the form. Wrote its tests. Both pass.',
    blockers: [],
    files_changed: ['src/login.ts'],
  },
}

/** What an end of the work needs beside. */
const SUPPLY: Draft = {
  ...FULL,
  ended_at: '2026-02-21T16:00:00Z',
  error: { code: 'PROCESSING_ERROR', message: 'The build broke' },
  result: { artifacts: [{ path: 'src/login.ts', role: 'output' }] },
}

/** What the dialect demands and the draft does not say, from the full draft. */
export function missingOf(dialect: Dialect, draft: Draft): Partial<Draft> {
  const supply: Data = {}
  for (let round = 0; round < 8; round++) {
    const native = dialect.toNative({ ...draft, ...supply })
    if (native.ok) return supply
    for (const { field } of native.missing) {
      const [top = '', below] = field.split('.')
      const full = own(SUPPLY, top)
      const now = own(supply, top) ?? own(draft, top)
      supply[top] = below === undefined ? full : { ...(now as Data | undefined), [below]: own(full, below) }
    }
  }
  throw new Error(`nothing to complete ${JSON.stringify(draft)} for ${dialect.id}`)
}

export const complete = (dialect: Dialect, draft: Draft): Draft => ({
  ...draft,
  ...missingOf(dialect, draft),
})
