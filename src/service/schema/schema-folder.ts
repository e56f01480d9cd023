import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { BatonError } from '../../domain/errors.ts'
import { checkForeign } from './foreign-schema.ts'
import { SCHEMA_LIMITS } from './schema-limits.ts'
import type { ValueProblem } from './schema-problems.ts'

export interface SchemaFileQuestion {
  /** The project's folder. */
  readonly root: string
  /** The folder of the project's schemas, below its root. */
  readonly folder?: string
  /** As a request names it, for example `react-specialist.input.schema.json`. */
  readonly name: string
  readonly value: unknown
  readonly timeLimitMs?: number
}

/** `skipped`: the value was not judged, and the message says why; nothing fails because of it. */
export type SchemaFileAnswer =
  | { readonly ok: true; readonly errors: readonly [] }
  | { readonly ok: false; readonly errors: readonly ValueProblem[] }
  | { readonly skipped: 'absent' | 'unsafe_name' | 'unusable'; readonly message: string }

/** Document 001 ships no schemas and names no draft; those of its time are draft-07. */
const DEFAULT_DRAFT = 'http://json-schema.org/draft-07/schema#'
/** Indented text is larger than what it says; the schema itself has a stricter limit. */
const MAX_FILE_BYTES = 4 * SCHEMA_LIMITS.bytes
const ABSENT: readonly unknown[] = [
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ERR_INVALID_ARG_VALUE',
]

/**
 * Whether a value matches the schema that a request names. The schema is somebody else's: it is read only from
 * its folder, up to a size, and runs in a thread of its own.
 */
export async function checkAgainstSchemaFile(question: SchemaFileQuestion): Promise<SchemaFileAnswer> {
  const { root, folder = 'schemas', name, value, timeLimitMs } = question
  const text = await schemaText(root, folder, name)
  if (typeof text !== 'string') return text
  const unusable = (why: string): SchemaFileAnswer => ({
    skipped: 'unusable',
    message: `the schema ${folder}/${name} was not used: ${why}`,
  })
  try {
    const schema: unknown = JSON.parse(text)
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      return unusable('it is not a JSON object')
    const errors = await checkForeign({ $schema: DEFAULT_DRAFT, ...schema }, value, timeLimitMs)
    return errors.length === 0 ? { ok: true, errors: [] } : { ok: false, errors }
  } catch (error) {
    if (error instanceof SyntaxError) return unusable(`it is not JSON (${error.message})`)
    if (error instanceof BatonError) return unusable(error.message)
    throw error
  }
}

async function schemaText(root: string, folder: string, name: string): Promise<string | SchemaFileAnswer> {
  const unsafe: SchemaFileAnswer = {
    skipped: 'unsafe_name',
    message: `the schema ${JSON.stringify(name)} is not in the folder ${folder}; name a file in it`,
  }
  const absent: SchemaFileAnswer = {
    skipped: 'absent',
    message: `the schema ${folder}/${name} was not found, so nothing was checked; add the file, or remove its name`,
  }
  if (!isPlainName(name)) return unsafe
  try {
    const [project, base] = await Promise.all([realpath(root), realpath(resolve(root, folder))])
    if (!isInside(project, base)) return unsafe
    const file = await realpath(join(base, name))
    if (!isInside(base, file)) return unsafe
    return await readCapped(file, `${folder}/${name}`)
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code)) return absent
    throw error
  }
}

/** Relative, without steps upwards, in either way of writing paths. */
function isPlainName(name: string): boolean {
  if (name === '' || /^[/\\]|^[A-Za-z]:|\p{Cc}/u.test(name)) return false
  return !name.split(/[/\\]/).some((step) => step === '..' || step === '.')
}

/** Whether a real path is the folder itself or below it. */
export function isInside(base: string, file: string): boolean {
  const way = relative(base, file)
  return way.split(sep)[0] !== '..' && !isAbsolute(way)
}

/** A pipe or a device could be read for ever, and a large file is not a schema. */
async function readCapped(file: string, shown: string): Promise<string | SchemaFileAnswer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const info = await handle.stat()
    if (!info.isFile() || info.size > MAX_FILE_BYTES) {
      const why = info.isFile() ? `it has more than ${MAX_FILE_BYTES} bytes` : 'it is not a file'
      return { skipped: 'unusable', message: `the schema ${shown} was not used: ${why}` }
    }
    return (await handle.readFile('utf8')).replace(/^\ufeff/, '')
  } finally {
    await handle.close()
  }
}
