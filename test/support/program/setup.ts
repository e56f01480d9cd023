import { spawnSync } from 'node:child_process'
import { startPostgres, type TestPostgres } from '../servers/postgres.ts'

const PROGRAMS: Readonly<Record<string, string>> = {
  git: 'they make repositories and read them back',
  python3: 'they check the audit log with a second implementation',
}

let server: TestPostgres | undefined

/** One PostgreSQL for all test files; its address reaches them through the environment. */
export async function globalSetup(): Promise<void> {
  for (const [program, why] of Object.entries(PROGRAMS)) {
    if (spawnSync(program, ['--version']).status !== 0) {
      throw new Error(`The tests need ${program} on this machine: ${why}.`)
    }
  }
  server = await startPostgres()
  process.env.TEST_POSTGRES_URL = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
