import * as z from 'zod'
import { WorkflowFile } from './workflow.ts'

/** The JSON Schema of `workflows/*.yaml`, for editors. What only a look at the whole shows, Baton checks itself. */
export const WORKFLOW_SCHEMA = (): Record<string, unknown> => ({
  ...z.toJSONSchema(WorkflowFile(), { io: 'input', unrepresentable: 'any' }),
  title: 'Baton workflow',
})
