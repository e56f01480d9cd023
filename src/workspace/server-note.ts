import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { orElse } from '../domain/once.ts'
import { replaceFile } from '../setup/replace-file.ts'
import { readOwn } from './home-files.ts'

/** Hosts that a person at this machine reaches as 127.0.0.1. */
const HERE = new Set(['127.0.0.1', '0.0.0.0'])

interface ServerNote {
  readonly port: number
  readonly pid: number
  /** Which store it serves. */
  readonly store: string
}

/** Says in the workspace where its server listens, for commands beside it; answers how to take that back. */
export function noteServer(
  dir: string,
  { host, port, store }: { host: string; port: number; store: string },
): () => void {
  if (!HERE.has(host) || !existsSync(dir)) return () => undefined
  const file = noteIn(dir)
  try {
    replaceFile(file, `${JSON.stringify({ port, pid: process.pid, store } satisfies ServerNote)}\n`, {
      mode: 0o600,
    })
  } catch {
    // It spares a person an option and is worth no failure.
  }
  // Another server may have come since; its note stays.
  return () => {
    if (readNote(file, process.getuid?.())?.pid === process.pid) rmSync(file, { force: true })
  }
}

/**
 * The URL of this store's server, while it runs. Only a port is believed, never a host: the folder may have
 * come with a clone, and a link with a secret in it is made of this.
 */
export function notedServer(dir: string, store: string, uid: number | undefined): string | undefined {
  const server = runningServer(dir, uid)
  return server?.store === store ? server.url : undefined
}

/** The server that was started in this workspace and runs, for whichever store. */
export function runningServer(dir: string, uid: number | undefined) {
  const note = readNote(noteIn(dir), uid)
  return note && isRunning(note.pid) ? { url: `http://127.0.0.1:${note.port}`, store: note.store } : undefined
}

const noteIn = (dir: string): string => join(dir, 'server.json')

function readNote(file: string, uid: number | undefined): ServerNote | undefined {
  try {
    const { port, pid, store } = Object(JSON.parse(readOwn(file, uid) ?? 'null'))
    const isNote = isNumber(port, 65_535) && isNumber(pid, 2 ** 31 - 1) && store !== undefined
    return isNote ? { port, pid, store: String(store) } : undefined
  } catch {
    return undefined
  }
}

const isNumber = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= most

/** A process of another user is not our server. */
const isRunning = (pid: number): boolean => orElse(() => process.kill(pid, 0), false)
