import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Stage } from './stage.ts'

export const FIXTURES = resolve(import.meta.dirname, 'fixtures')

/** Keeps what a program said to hooks and server, for the tests that run without the programs. */
export function record(stage: Stage): void {
  mkdirSync(FIXTURES, { recursive: true })
  writeFileSync(join(FIXTURES, `${stage.program}.json`), `${JSON.stringify(stage.recorded(), null, 2)}\n`)
}
