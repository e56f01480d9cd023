import { once } from '../domain/once.ts'
import type { Draft } from './draft.ts'

/**
 * Two different values for everything that some dialect demands. They never reach a document: they let an
 * incomplete draft be put into a dialect's keys, and what differs between the two is taken out again.
 */
export const standIns = once((): readonly [Draft, Draft] => [standIn(1), standIn(2)])

function standIn(n: 1 | 2): Draft {
  const word = `word-${n}`
  const time = `2000-01-0${n}T00:00:00Z`
  // Lists of different lengths differ as a whole, and not in an element.
  const list = Array.from({ length: n }, () => word)
  return {
    id: `HO-2000-00${n}`,
    type: n === 1 ? 'delegation' : 'sequential',
    state: n === 1 ? 'offered' : 'in_progress',
    from: `from-${n}`,
    to: `to-${n}`,
    from_role: n === 1 ? 'orchestrator' : 'specialist',
    to_role: n === 1 ? 'specialist' : 'orchestrator',
    to_reason: word,
    from_phase: 10 + n,
    to_phase: 13 + n,
    phase: n === 1 ? 'Planning' : 'Testing',
    from_step: n,
    to_step: n,
    title: word,
    task: `BPRD-2000-000${n}`,
    project: word,
    priority: n === 1 ? 'normal' : 'low',
    created_at: time,
    updated_at: time,
    accepted_at: time,
    accepted_by: word,
    started_at: time,
    ended_at: time,
    ack_deadline: time,
    timeout_s: n,
    input_schema: word,
    output_schema: word,
    expected_output: { artifact_type: word },
    progress: n,
    error: { code: word, message: word },
    rejection: { type: word, message: word },
    package: {
      summary: word,
      purpose: word,
      context: word,
      deliverables: list,
      criteria: list,
      input: { [word]: n },
      links: { meeting: word, skill: word },
    },
    result: { artifacts: list.map((path) => ({ path, role: 'output' })) },
    record: {
      branch: word,
      commit_sha: String(n).repeat(40),
      tests_run: list,
      summary: word,
      blockers: list,
      files_changed: list,
    },
  }
}
