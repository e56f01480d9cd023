import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { BatonError } from '../domain/errors.ts'
import type { Config } from './schema.ts'

/** A thing that is wrong with a `baton.yaml`, where it is and what to write instead. */
export interface ConfigProblem {
  readonly line: number
  readonly column: number
  /** Dotted; empty when the file as a whole is meant. */
  readonly field: string
  readonly message: string
}

const MAX_BYTES = 256 * 1024
/** A file with more problems than this is another kind of file. */
const MAX_TOLD = 50

/** A `baton.yaml` as it was read. */
export interface Settings {
  readonly config: Config
  readonly text: string
}

/** Reads and checks a `baton.yaml`. Whatever is wrong with it is told at once, each with its line. */
export async function readSettings(file: string): Promise<Settings> {
  const text = await readConfigText(file)
  return { config: await parseConfig(text, file), text }
}

export const loadConfig = async (file: string): Promise<Config> => (await readSettings(file)).config

/** The text of a `baton.yaml`: at most 256 KB of UTF-8 in an ordinary file. */
export async function readConfigText(file: string): Promise<string> {
  const descriptor = openConfig(file)
  try {
    if (!fstatSync(descriptor).isFile())
      throw invalid(file, 'it is not a file; move it away and run: baton init')
    const buffer = Buffer.allocUnsafe(MAX_BYTES + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < buffer.length; length += got)
      got = readSync(descriptor, buffer, length, buffer.length - length, null)
    if (length > MAX_BYTES) throw invalid(file, 'it is larger than 256 KB; keep only settings in it')
    // A byte order mark stays: the hash of the text must be that of the file.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(buffer.subarray(0, length))
  } catch (error) {
    throw error instanceof TypeError ? invalid(file, 'it is not UTF-8 text; save it as UTF-8') : error
  } finally {
    closeSync(descriptor)
  }
}

function openConfig(file: string): number {
  try {
    // Without O_NONBLOCK a pipe of that name, which a clone cannot hold but a folder can, would block for ever.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new BatonError('not_found', `there is no ${file}; run: baton init`, { file })
    throw invalid(file, `it cannot be read (${code}); check its permissions`)
  }
}

/** Checks the text of a `baton.yaml`; `file` is for the messages. */
export async function parseConfig(text: string, file: string): Promise<Config> {
  // As baton init leaves it. The reader of YAML is then not needed, which takes as long to load as Baton itself.
  if (isComment(text)) return {}
  const { checkConfig } = await import('./check.ts')
  const first = checkConfig(text)
  // Few teams have a format of their own, and the tables of the formats take long to load.
  const checked = first.config?.formats
    ? checkConfig(text, (await import('../dialects/relative.ts')).knowsKey)
    : first
  if (checked.config) return checked.config
  throw refusal(file, checked.problems)
}

const isComment = (text: string): boolean => text.split(/\r?\n/).every((line) => /^[ \t]*(?:#|$)/.test(line))

function refusal(file: string, problems: readonly ConfigProblem[]): BatonError {
  const told = problems.slice(0, MAX_TOLD)
  const lines = told.map(({ line, column, field, message }) => {
    const place = `${file}:${line}:${column}`
    return field === '' ? `${place} ${message}` : `${place} ${field}: ${message}`
  })
  const more = problems.length - told.length
  if (more > 0) lines.push(`${file} has ${more} more problems; fix these first`)
  return new BatonError('invalid_input', lines.join('\n'), { file, problems: told })
}

const invalid = (file: string, message: string): BatonError =>
  refusal(file, [{ line: 1, column: 1, field: '', message }])
