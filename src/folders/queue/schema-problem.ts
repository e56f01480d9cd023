import type { Draft } from '../../dialects/draft.ts'
import { checkAgainstSchemaFile } from '../../service/schema/schema-folder.ts'
import { sentenceOf } from '../../service/schema/schema-problems.ts'
import type { Tree } from '../files/tree.ts'

export type Failure = NonNullable<Draft['error']>

export const invalid = (why: string): Failure => ({
  code: 'VALIDATION_FAILED',
  message: `Output validation failed: ${why}`,
})

/** A schema that is not there was never written: nothing fails because of it (A1-25). */
export async function schemaProblem(
  side: 'Input' | 'Output',
  name: string,
  value: unknown,
  tree: Tree,
): Promise<Failure | undefined> {
  const answer = await checkAgainstSchemaFile({ root: tree.root, name, value })
  if ('skipped' in answer || answer.ok) return undefined
  return {
    code: side === 'Input' ? 'SCHEMA_VALIDATION_FAILED' : 'VALIDATION_FAILED',
    message: sentenceOf(side, answer.errors),
    details: answer.errors.map((each) => ({ ...each })),
  }
}
