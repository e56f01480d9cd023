import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface ReplaceOptions {
  /** The permissions, whatever the process's mask is; without it those that a new file gets. */
  readonly mode?: number | undefined
  /** A file that is there stays. */
  readonly keep?: boolean
  /** Runs right before the file gets its name; when it throws, nothing changes. */
  readonly check?: () => void
}

/**
 * Writes all of a file or nothing, also when the power fails. A link is replaced, not followed. Returns false when a
 * file was there and was to be kept.
 */
export function replaceFile(path: string, text: string, options: ReplaceOptions = {}): boolean {
  const { mode, keep = false, check } = options
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}`)
  const descriptor = openSync(draft, 'wx', mode)
  let isWritten = true
  try {
    writeFileSync(descriptor, text)
    // After the text: a write takes special bits away.
    if (mode !== undefined) fchmodSync(descriptor, mode)
    fsyncSync(descriptor)
    check?.()
    // A link never replaces a file that appeared in this moment.
    if (keep) linkSync(draft, path)
    else renameSync(draft, path)
  } catch (error) {
    if (!keep || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    isWritten = false
  } finally {
    closeSync(descriptor)
    rmSync(draft, { force: true })
  }
  syncFolder(dirname(path))
  return isWritten
}

/** Names are on the disk only when their folder is. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
