import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** Whether files can be removed to make room; where only the size of a file is limited, they cannot. */
  readonly hasRoom: boolean
}

/**
 * How to run a program of this folder where the disk under `folder` is small: a file system in memory that only
 * it sees, or, where that is not allowed, a limit on the size of its files.
 */
export function onSmallDisk(folder: string, megabytes: number, program: string): Command {
  const words = [process.execPath, join(import.meta.dirname, program), folder]
  const mount = `mount -t tmpfs -o size=${megabytes}m none "$0"`
  const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', mount, folder]).status === 0
  if (canMount)
    return {
      command: 'unshare',
      args: ['-rm', 'sh', '-c', `${mount} && exec "$@"`, folder, ...words],
      hasRoom: true,
    }
  // The blocks of ulimit have 512 bytes. Without the trap the signal would end the program.
  const limit = `trap '' XFSZ; ulimit -f ${megabytes * 2_048}; exec "$@"`
  return { command: 'sh', args: ['-c', limit, 'sh', ...words], hasRoom: false }
}
