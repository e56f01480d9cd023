import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import type { CheckedDocument } from '../../../../domain/document-answers.ts'
import type { Target } from './files.ts'

export type FileProblem = CheckedDocument['diagnostics'][number]

/** A file as text, or why it cannot be read as text. A note beside the text says what was mended. */
export type ReadText =
  | { readonly text: string; readonly note?: FileProblem }
  | { readonly text?: never; readonly problem: FileProblem }

/** Artifacts with data in them may be large; nothing that is larger was ever a handoff. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024
/** A text has no zero byte, and a binary file shows one early. */
const LOOKED_AT = 8_192
const UTF16 = { fffe: 'utf-16le', feff: 'utf-16be' } as const

export function readTarget({ path, isWalked }: Target): ReadText {
  try {
    const { size } = statSync(path)
    if (size > MAX_FILE_BYTES) return tooLarge(size, isWalked)
    return decoded(readFileSync(path), isWalked)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return {
      problem: found('error', 'unreadable', `the file cannot be read (${code}); check its permissions`),
    }
  }
}

/** Bytes as text. UTF-16 is read as that; a byte that is not UTF-8 becomes a replacement mark. */
export function decoded(bytes: Uint8Array, isWalked: boolean): ReadText {
  if (bytes.length > MAX_FILE_BYTES) return tooLarge(bytes.length, isWalked)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const wide = UTF16[buffer.toString('hex', 0, 2) as keyof typeof UTF16]
  if (wide) {
    const message = `the file is ${wide.toUpperCase()}; save it as UTF-8, which other readers expect`
    return { text: new TextDecoder(wide).decode(buffer), note: found('warning', 'not_utf8', message) }
  }
  if (buffer.subarray(0, LOOKED_AT).includes(0))
    return {
      problem: found(
        isWalked ? 'warning' : 'error',
        'binary_file',
        'the file holds no text, so it was not read; name a markdown, JSON or YAML file',
      ),
    }
  const text = buffer.toString('utf8')
  if (isUtf8(buffer)) return { text }
  const before = text.slice(0, text.indexOf('\ufffd')).split('\n')
  const message = 'the file is not UTF-8 here; save it as UTF-8'
  const place = { line: before.length, column: before.at(-1)!.length + 1 }
  return { text, note: { ...found('warning', 'not_utf8', message), ...place } }
}

const found = (severity: FileProblem['severity'], code: string, message: string): FileProblem => ({
  severity,
  code,
  message,
  line: 1,
  column: 1,
})

const tooLarge = (size: number, isWalked: boolean): ReadText => ({
  problem: found(
    isWalked ? 'warning' : 'error',
    'file_too_large',
    `the file has ${Math.ceil(size / 1024 / 1024)} MB and was not read; handoffs have at most ${MAX_FILE_BYTES / 1024 / 1024} MB`,
  ),
})
