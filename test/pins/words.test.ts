import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AGENT_KINDS, AGENT_ROLES, AUTHS } from '../../src/domain/actor.ts'
import { TYPES } from '../../src/domain/handoffs/handoff.ts'
import { HOMES } from '../../src/domain/home.ts'
import { STATES } from '../../src/domain/lifecycle.ts'
import { NOTICE_KINDS } from '../../src/domain/people/notice.ts'
import { PRIORITIES } from '../../src/domain/priority.ts'
import { TASK_STATES } from '../../src/domain/tasks/task.ts'

/** Words that stand in stores, files and answers. One that is renamed makes old data unreadable. */
const WORDS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'states of a handoff',
    STATES,
    [
      'draft',
      'offered',
      'accepted',
      'in_progress',
      'blocked',
      'needs_input',
      'in_review',
      'retry_wait',
      'completed',
      'failed',
      'rejected',
      'expired',
      'cancelled',
    ],
  ],
  ['types of a handoff', TYPES, ['sequential', 'delegation', 'escalation', 'return', 'gate']],
  ['homes', HOMES, ['native', 'markdown', 'queue', 'block', 'writeback', 'package']],
  ['priorities', PRIORITIES, ['critical', 'high', 'normal', 'low']],
  ['states of a task', TASK_STATES, ['todo', 'assigned', 'in_progress', 'done']],
  ['kinds of agents', AGENT_KINDS, ['agent', 'human', 'orchestrator', 'specialist', 'pool']],
  ['roles of agents', AGENT_ROLES, ['chief', 'verifier', 'delegator', 'pm']],
  ['ways to be recognised', AUTHS, ['tty', 'token', 'os-user', 'file', 'engine']],
  [
    'kinds of notices',
    NOTICE_KINDS,
    [
      'expired',
      'rejected',
      'failed',
      'completed',
      'cancelled',
      'escalated',
      'returned',
      'reassigned',
      'answered',
      'asked',
      'commented',
      'edited',
      'reminder',
      'undelivered',
      'refused',
    ],
  ],
]

describe('the words that data and callers use', () => {
  for (const [what, ours, pinned] of WORDS)
    it(`are these for the ${what}`, () => {
      assert.deepEqual(ours, pinned)
    })
})
