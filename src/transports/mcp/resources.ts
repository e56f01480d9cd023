import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { BatonError } from '../../domain/errors.ts'
import { loadOperation, type OperationName } from '../../operations/index.ts'
import { invoke } from '../../operations/operation.ts'
import { decodeSegment } from './cut.ts'
import type { World } from './tool-call.ts'

interface ResourceKind {
  readonly name: string
  /** `baton://inbox`, or with `{id}` at its end. */
  readonly uri: string
  readonly about: string
  readonly operation: OperationName
  readonly input: (id: string) => object
  /** The field that is the resource, when it is text. */
  readonly text?: string
}

/** The resources, each with the operation that answers it. */
// biome-ignore format: read as a table
const RESOURCE_KINDS: readonly ResourceKind[] = [
  { name: 'inbox',    uri: 'baton://inbox',         operation: 'handoff_inbox',   input: () => ({ limit: 50 }),
    about: 'What waits for you' },
  { name: 'handoff',  uri: 'baton://handoff/{id}',  operation: 'handoff_get',     input: (id) => ({ id }),
    about: 'One handoff with its package, result, questions and timeline' },
  { name: 'brief',    uri: 'baton://brief/{id}',    operation: 'task_brief',      input: (id) => ({ id, format: 'markdown' }), text: 'markdown',
    about: 'What to read before a task is begun' },
  { name: 'record',   uri: 'baton://record/{id}',   operation: 'thought_list',    input: (id) => ({ task_id: id }),
    about: 'The newest records of a task' },
  { name: 'workflow', uri: 'baton://workflow/{id}', operation: 'workflow_status', input: (id) => ({ id }),
    about: 'Where a run of a workflow stands' },
]

const isTemplate = ({ uri }: ResourceKind): boolean => uri.endsWith('{id}')
const mimeType = ({ text }: ResourceKind): string =>
  text === undefined ? 'application/json' : 'text/markdown'

const described = (kind: ResourceKind) => ({
  name: kind.name,
  description: kind.about,
  mimeType: mimeType(kind),
})

export const listResources = (): Resource[] =>
  RESOURCE_KINDS.filter((kind) => !isTemplate(kind)).map((kind) => ({ ...described(kind), uri: kind.uri }))

export const listTemplates = (): ResourceTemplateType[] =>
  RESOURCE_KINDS.filter(isTemplate).map((kind) => ({ ...described(kind), uriTemplate: kind.uri }))

/** The whole of a resource: who reads one has asked for it, so nothing is cut. */
export async function readResource(
  uri: string,
  context: ServerContext,
  world: World,
): Promise<ReadResourceResult> {
  const found = resourceAt(uri)
  if (!found) throw new ResourceNotFoundError(uri)
  const { kind, id } = found
  const op = await loadOperation(kind.operation)
  try {
    const actor = world.admit(op, context)
    const value = await invoke(op, world.service, { actor }, kind.input(id))
    const text = kind.text === undefined ? JSON.stringify(value) : String(Object(value)[kind.text])
    return { contents: [{ uri, mimeType: mimeType(kind), text }] }
  } catch (error) {
    if (!(error instanceof BatonError)) world.onFailure?.(error, op.name)
    else if (error.code === 'not_found' || error.code === 'invalid_input')
      throw new ResourceNotFoundError(uri, error.message)
    throw error
  }
}

/** Whether there may be something at this address. */
export const isResource = (uri: string): boolean => resourceAt(uri) !== undefined

function resourceAt(uri: string): { readonly kind: ResourceKind; readonly id: string } | undefined {
  for (const kind of RESOURCE_KINDS) {
    if (kind.uri === uri) return { kind, id: '' }
    const start = kind.uri.replace('{id}', '')
    if (isTemplate(kind) && uri.startsWith(start) && uri.length > start.length)
      return { kind, id: decodeSegment(uri.slice(start.length)) }
  }
  return undefined
}
