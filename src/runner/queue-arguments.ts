import { AgentName } from '../domain/agent.ts'
import { BatonError } from '../domain/errors.ts'

const ID_HINT = "give the handoff's id, for example hoff-001-1768298400000"
const ARTIFACT = 'give { id, path } of the artifact, with the path from the project'

/** The agent's one name. What a program without types gives may be anything. */
export function demandAgent(field: string, value: unknown, example: string): string {
  const wanted = `give the name of an agent, for example ${example}`
  const text = demandText(field, value, wanted)
  const read = AgentName.safeParse(text)
  if (read.success) return read.data
  throw refused(field, `is ${JSON.stringify(text.slice(0, 100))}; ${wanted}`)
}

export const demandId = (value: unknown): string => demandText('id', value, ID_HINT)

export const demandMessage = (value: unknown): string =>
  demandText('message', value, 'say why the work failed')

export function demandWorker(value: unknown): void {
  if (value === undefined || value === null || typeof value === 'function') return
  throw refused(
    'worker',
    'is not a function; give one that returns { id, path } of its artifact, or leave it out',
  )
}

export function demandArtifact(value: unknown): void {
  if (value === undefined || value === null) throw refused('artifact', `is missing; ${ARTIFACT}`)
  if (typeof value !== 'object') throw refused('artifact', `is not an object; ${ARTIFACT}`)
  for (const field of ['id', 'path']) demandText(`artifact.${field}`, Reflect.get(value, field), ARTIFACT)
}

function demandText(field: string, value: unknown, wanted: string): string {
  if (value === undefined || value === null || value === '') throw refused(field, `is missing; ${wanted}`)
  if (typeof value === 'string') return value
  throw refused(field, `is not a string; ${wanted}`)
}

const refused = (field: string, what: string): BatonError =>
  new BatonError('invalid_input', `${field} ${what}`, { field })
