import { spawn } from 'node:child_process'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end; what it said is for the test to judge. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.once('error', failed)
    child.once('close', (code) => done({ code, stdout, stderr }))
  })
}

/** npm, as whoever started the tests has it. */
export function npm(args: readonly string[], cwd: string): Promise<Ended> {
  const path = process.env.npm_execpath
  return path === undefined ? run('npm', args, { cwd }) : run(process.execPath, [path, ...args], { cwd })
}
