import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readOwn, writeWhole } from './home-files.ts'

/** Hosts that a person at this machine reaches as 127.0.0.1. */
const HERE = new Set(['127.0.0.1', 'localhost', '0.0.0.0'])

interface Note {
  readonly port: number
  readonly pid: number
}

/** Says in the workspace where its server listens, for commands beside it; answers how to take that back. */
export function noteServer(dir: string, { host, port }: { host: string; port: number }): () => void {
  if (!HERE.has(host) || !existsSync(dir)) return () => undefined
  const file = noteIn(dir)
  try {
    writeWhole(file, `${JSON.stringify({ port, pid: process.pid } satisfies Note)}\n`)
  } catch {
    // It spares a person an option and is worth no failure.
  }
  // Another server may have come since; its note stays.
  return () => {
    if (read(file, process.getuid?.())?.pid === process.pid) rmSync(file, { force: true })
  }
}

/**
 * Where the workspace's server listens, while it runs. Only a number is believed, never a host: the folder may have come
 * with a clone, and a link with a secret in it is made of this.
 */
export function notedServer(dir: string, uid: number | undefined): string | undefined {
  const note = read(noteIn(dir), uid)
  return note && isRunning(note.pid) ? `http://127.0.0.1:${note.port}` : undefined
}

const noteIn = (dir: string): string => join(dir, 'server.json')

function read(file: string, uid: number | undefined): Note | undefined {
  try {
    const note: unknown = JSON.parse(readOwn(file, uid) ?? 'null')
    if (note === null || typeof note !== 'object' || !('port' in note) || !('pid' in note)) return undefined
    const { port, pid } = note
    return isNumber(port, 65_535) && isNumber(pid, 2 ** 31 - 1) ? { port, pid } : undefined
  } catch {
    return undefined
  }
}

const isNumber = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= most

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
