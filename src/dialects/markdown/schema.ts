import { DRAFT, type Schema } from '../json-schema.ts'
import { schemaOf } from '../table/derive.ts'
import { AGENT, ID, STATUS, TASK, TIME, whole, wholeList } from './kinds.ts'
import { TABLE } from './table.ts'

const COUNT = { type: 'integer', minimum: 0 }
const handoff = schemaOf(TABLE, 'handoff')

/** For editors: what a strict document looks like. Reading tolerates more than this. */
export const schemas: Readonly<Record<'handoff' | 'index', Schema>> = {
  handoff: {
    $schema: DRAFT,
    $id: 'markdown-handoff',
    title: 'Front matter of a handoff, Agent Handoff Protocol v2',
    ...handoff,
    properties: { ...(handoff.properties as Schema), x_baton: { type: 'object' } },
  },
  index: {
    $schema: DRAFT,
    $id: 'markdown-index',
    title: '_handoffs/_index.yaml, Agent Handoff Protocol v2',
    ...whole({
      last_updated: TIME,
      active_handoffs: wholeList({
        id: ID,
        from: AGENT,
        to: AGENT,
        task: TASK,
        status: STATUS,
        created: TIME,
      }),
      counts_by_agent: { type: 'object', additionalProperties: whole({ outgoing: COUNT, incoming: COUNT }) },
      recently_completed: wholeList({ id: ID, completed_at: TIME }),
    }),
  },
}
