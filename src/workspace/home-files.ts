import { createPrivateKey, type KeyObject } from 'node:crypto'
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { BatonError, unavailable } from '../domain/errors.ts'
import { replaceFile } from '../setup/replace-file.ts'

/** The text of a file of this user's own; undefined when it is not there. A key that others can read is refused. */
export function readOwn(file: string, uid: number | undefined, secret = false): string | undefined {
  let descriptor: number
  try {
    // A pipe of that name would be waited for.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new BatonError('not_allowed', `${file} cannot be read (${code})`, { file }, error)
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return undefined
    // A home may be shared by mistake: what another user wrote there counts for nothing.
    if (uid !== undefined && stat.uid !== uid) return undefined
    if (secret && (stat.mode & 0o077) !== 0)
      throw new BatonError('not_allowed', `${file} can be read by others; first run: chmod 600 ${file}`, {
        file,
      })
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** A key as it was read from a file. */
export function parseKey(text: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below.
  }
  throw new BatonError('store_refused', `${file} is not an Ed25519 key; put the right one back from a copy`, {
    file,
  })
}

/** Makes the folder, and says of a failure what to do. */
export function writing(file: string, write: () => void): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    write()
  } catch (error) {
    throw unavailable(
      `${file} cannot be written (${(error as NodeJS.ErrnoException).code}); check your home folder, or set BATON_HOME to a writable one`,
      { file },
      error,
    )
  }
}

/** Writes a file that only this user can read. With `keep`, a file that is there stays. */
export function writeOwn(file: string, text: string, keep = false): void {
  writing(file, () => replaceFile(file, text, { mode: 0o600, keep }))
}
