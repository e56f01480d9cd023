import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { run } from './program.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Inputs that are allowed by their types, and answers as their schemas give them; `untrusted` is added to those. */
const AGREE = `
import type * as z from 'zod'
import type { AnyOperation, OperationName } from '../../../src/operations/index.ts'
import type { OperationInputs, OperationOutputs } from '../../../dist/types.ts'

type Op<Name> = Extract<AnyOperation, { readonly name: Name }>
type Fits<A, B> = [A] extends [B] ? true : false
type Wrong = {
  [Name in OperationName as [
    Fits<OperationInputs[Name], z.input<Op<Name>['input']>>,
    Fits<z.output<Op<Name>['output']>, Omit<OperationOutputs[Name], 'untrusted'>>,
  ] extends [true, true] ? never : Name]: 'differs'
}
export const none: {} extends Wrong ? true : Wrong = true
`

it('the types in the package are those of the operations', async (t) => {
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'types-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'agree.mts')
  const config = join(folder, 'tsconfig.json')
  writeFileSync(file, AGREE)
  writeFileSync(
    config,
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), files: [file], include: [], exclude: [] }),
  )

  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', config], { cwd: ROOT })

  assert.equal(stdout, '')
})
