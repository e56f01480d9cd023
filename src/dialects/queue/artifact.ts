import { present } from '../../domain/present.ts'
import type { PlacedProblem } from '../../domain/problem.ts'
import { type Data, keysOf } from '../difference.ts'
import { fieldsOf } from '../fields.ts'
import type { Source } from '../text/source.ts'
import type { Words } from '../text/words.ts'
import { isSafePath, queuePlace } from './names.ts'

export const LIFECYCLE = ['draft', 'ready', 'superseded', 'archived'] as const
export type Lifecycle = (typeof LIFECYCLE)[number]

/** A file under `artifacts/phase-NN-name/`: what was produced, or where it is and what it hashes to. */
export interface Artifact {
  readonly id?: string
  readonly type?: string
  readonly phase?: number
  /** The produced file, where the artifact is not the JSON file itself. */
  readonly file?: string
  readonly sha256?: string
  /** Ids of artifacts that this one was made from. */
  readonly dependencies?: readonly string[]
  readonly lifecycle?: Lifecycle
  readonly created_at?: string
  readonly handoff_id?: string
  /** The content, and every other key as found. */
  readonly extra?: Readonly<Data>
}

export const LIFECYCLE_WORDS: Words<Lifecycle> = {
  name: 'lifecycle',
  words: LIFECYCLE,
  // biome-ignore format: read as a table
  synonyms: {
    wip: 'draft', new: 'draft', final: 'ready', active: 'ready', current: 'ready', valid: 'ready',
    published: 'ready', replaced: 'superseded', outdated: 'superseded', obsolete: 'superseded', deprecated: 'superseded', deleted: 'archived',
  },
}

const SHA256 = /^[0-9a-f]{64}$/

export function artifactOf(source: Source): { artifact?: Artifact; diagnostics: readonly PlacedProblem[] } {
  const root = fieldsOf(source)
  if (!root) {
    const message = 'an artifact is one JSON object; write {"artifact_id": "…", …}'
    return { diagnostics: [{ severity: 'error', code: 'not_an_object', message, ...source.locate([]) }] }
  }
  const id = root.text('artifact_id', 'id')
  const sha256 = root
    .text('sha256', 'hash', 'checksum')
    ?.replace(/^sha256:/i, '')
    .toLowerCase()
  const file = root.text('file', 'path', 'artifact_path')
  const read = {
    id,
    type: root.text('artifact_type', 'type'),
    phase: root.number('phase'),
    file: file !== undefined && isSafePath(file) ? file : undefined,
    sha256: sha256 !== undefined && SHA256.test(sha256) ? sha256 : undefined,
    dependencies: root.list('dependencies', 'depends_on'),
    lifecycle: root.word(LIFECYCLE_WORDS, 'lifecycle', 'status'),
    created_at: root.time('created_at', 'timestamp'),
    handoff_id: root.text('handoff_id'),
  }
  const { stem } = queuePlace(source.path)
  // biome-ignore format: read as a table
  const rules: readonly (readonly [boolean, ...Parameters<typeof root.report>])[] = [
    [id === undefined, 'warning', 'missing_field', 'artifact_id is missing; it is the name of the file without .json'],
    [id !== undefined && stem !== undefined && stem !== id, 'warning', 'artifact_name', `artifact_id is "${id}" and the file is "${stem}.json"; name the file after the id`, 'artifact_id'],
    [file !== read.file, 'error', 'unsafe_path', `file "${file?.slice(0, 60)}" leaves the project; write a path below its root`, 'file'],
    [sha256 !== read.sha256, 'error', 'sha256_form', `sha256 "${sha256?.slice(0, 70)}" is not a hash; write 64 digits from 0 to f`, 'sha256'],
    [id !== undefined && read.dependencies?.includes(id) === true, 'warning', 'depends_on_itself', `${id} is among its own dependencies; remove it`, 'dependencies'],
  ]
  for (const [isBroken, ...problem] of rules) if (isBroken) root.report(...problem)
  const rest = root.rest()
  const artifact = { ...present(read), ...(keysOf(rest).length > 0 && { extra: rest }) }
  return { artifact, diagnostics: root.diagnostics }
}
