import { once } from '../../domain/once.ts'
import { DRAFT, mapping, type Schema, text } from '../json-schema.ts'
import * as is from '../table/codecs.ts'
import { schemaOf } from '../table/derive.ts'
import { LIFECYCLE } from './artifact.ts'
import { phase } from './codecs.ts'
import { FOLDER_OF, FORM_OF, type HandoffForm, STATUSES } from './names.ts'
import { ID_SCHEMA, queueTable } from './table.ts'

function form(of: HandoffForm, title: string): Schema {
  const folders = STATUSES.filter((status) => FORM_OF[status] === of).map((status) => FOLDER_OF[status])
  return {
    $schema: DRAFT,
    title,
    description: `handoffs/${folders.join(' or ')}/{handoff_id}.json`,
    ...schemaOf(queueTable(), of),
  }
}

const phaseStatus = mapping({ status: { enum: [...STATUSES] }, handoff_id: ID_SCHEMA, updated_at: is.TIME }, [
  'status',
])

/** The strict forms of document 001, for editors. What is read is wider. */
export const schemas = once(
  (): Readonly<
    Record<HandoffForm | 'artifact' | 'project_context' | 'tech_stack' | 'phase_status', Schema>
  > => ({
    request: form('request', 'Handoff request'),
    response: form('response', 'Handoff response'),
    failure: form('failure', 'Handoff failure'),
    artifact: {
      $schema: DRAFT,
      title: 'Artifact',
      description: 'artifacts/phase-NN-name/{artifact_id}.json',
      ...mapping(
        {
          artifact_id: text('Also the name of the file'),
          artifact_type: text(),
          phase: phase.schema,
          file: text('The produced file, where it is not this one'),
          sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the file' },
          dependencies: { ...is.texts.schema, description: 'Ids of artifacts that this one was made from' },
          lifecycle: { enum: [...LIFECYCLE] },
          created_at: is.TIME,
          handoff_id: ID_SCHEMA,
        },
        ['artifact_id'],
      ),
    },
    project_context: { $schema: DRAFT, title: 'context/project-context.json', type: 'object' },
    tech_stack: { $schema: DRAFT, title: 'context/tech-stack.json', type: 'object' },
    phase_status: {
      $schema: DRAFT,
      title: 'context/phase-status.json',
      ...mapping({
        phases: {
          type: 'object',
          patternProperties: { '^[0-9]{1,3}$': phaseStatus },
          additionalProperties: false,
        },
      }),
    },
  }),
)
