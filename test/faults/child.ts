import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Starts a program of this folder in a process of its own, with a channel for messages. */
export const startProgram = (name: string, ...args: readonly string[]): ChildProcess =>
  fork(join(import.meta.dirname, name), [...args], { execPath: process.execPath, serialization: 'advanced' })

/** The next message of a child; fails when it ends instead. */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController()
  const { signal } = stop
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`the child ended with ${code ?? by} before it said anything`)
      }),
    ])
  } finally {
    stop.abort()
  }
}

/** Runs a command to its end and answers what it wrote, read as JSON. */
export async function jsonOf(command: string, args: readonly string[]): Promise<unknown> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors}`)
  return JSON.parse(output)
}
