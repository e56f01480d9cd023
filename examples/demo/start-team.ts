import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { apartEnvironment } from '../../src/config/config.ts'
import { BatonError } from '../../src/domain/errors.ts'
import { type Player, TEAM } from './team.ts'

export interface TeamOptions {
  readonly folder: string
  readonly pace: number
  readonly signal: AbortSignal
  readonly say: (name: string, text: string) => void
}

/** Starts every agent as a process of its own and waits until all have done their part. */
export async function startTeam(options: TeamOptions): Promise<void> {
  await Promise.all(TEAM.map(({ name }) => startPlayer(name, options)))
}

function startPlayer(name: Player, { folder, pace, signal, say }: TeamOptions): Promise<void> {
  const child = spawn(process.execPath, [process.argv[1]!, 'demo', name, '--pace', String(pace)], {
    cwd: folder,
    env: apartEnvironment({ BATON_HOME: join(folder, '.home') }),
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  })
  let complaint = ''
  createInterface({ input: child.stdout }).on('line', (line) => say(name, line))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000)
  })
  return new Promise((resolve, reject) => {
    child.on('error', (error) => (signal.aborted ? resolve() : reject(error)))
    child.on('close', (code) => {
      if (code === 0 || signal.aborted) resolve()
      else
        reject(new BatonError('failed', `${name} stopped: ${complaint.trim() || `code ${code}`}`, { name }))
    })
  })
}
