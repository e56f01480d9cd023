import type { State } from '../../domain/lifecycle.ts'
import {
  WRITEBACK_STATUSES as TASK_STATUSES,
  type WritebackStatus as TaskStatus,
} from '../../domain/tasks/writeback.ts'
import { stateOfWord } from '../text/words.ts'

export { isSha } from '../../domain/tasks/writeback-rules.ts'
export { TASK_STATUSES, type TaskStatus }

// biome-ignore format: read as a table
export const STATE_OF: Readonly<Record<TaskStatus, State>> = {
  todo:        'offered',
  in_progress: 'in_progress',
  done:        'completed',
}

/** The document's word for each state. Where several states share one, the word reads back as another state. */
// biome-ignore format: read as a table
export const STATUS_OF: Readonly<Record<State, TaskStatus>> = {
  draft:       'todo',
  offered:     'todo',
  accepted:    'in_progress',
  in_progress: 'in_progress',
  blocked:     'in_progress',
  needs_input: 'in_progress',
  in_review:   'in_progress',
  retry_wait:  'in_progress',
  completed:   'done',
  failed:      'in_progress',
  rejected:    'todo',
  expired:     'todo',
  cancelled:   'todo',
}

/** A record says that the work was handed in; it does not say that the task is done. */
export const RECORDED: State = 'in_review'

export const isTaskStatus = (word: string): word is TaskStatus =>
  TASK_STATUSES.some((known) => known === word)

/** The state that a word for it means, also where it is not the document's word. */
export const stateFor = (word: string): State | undefined => stateOfWord(STATE_OF, word)
