import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { stale } from '../scripts/generate.ts'
import { publicApi } from '../scripts/types/api.ts'
import { unusedWords } from '../scripts/types/field-words.ts'
import { publicTypes } from '../scripts/types/public-types.ts'

it('keeps the generated pages in step with the code (npm run generate)', async () => {
  assert.deepEqual(await stale(), [])
})

const PAGE = join(import.meta.dirname, '../docs/generated/operations.md')
/** Fields that are made of others. */
const MADE_OF: Readonly<Record<string, RegExp>> = {
  retry: /`\{max: integer, delay_s: number, multiplier: number\}` \|.*\| Retries of failed work/,
  gate: /`\{type\?, name\?, step\?: string or number\}` \|.*\| blocking \(the default\)/,
  silence:
    /`\{policy: wait\\\|expire\\\|escalate\\\|reassign, after_s\?: integer, to\?\}` \|.*\| For a person who does not answer/,
  checks: /`\{kind: file_exists\\\|.*\}\[\]` \|.*\| Checks that Baton runs/,
  validation_request: /`\{items: string\[\], options\?: object\}` \|.*\| Points for a person to validate/,
  open_questions:
    /`\{question, priority\?: high\\\|medium\\\|low, context\?\}\[\]` \|.*\| Questions that are still open/,
}

it('says in the page of operations what a field holds that is made of others', () => {
  const [, send = ''] = readFileSync(PAGE, 'utf8').split('\n## handoff_send\n')
  for (const [field, said] of Object.entries(MADE_OF))
    assert.match(send.split('\n').find((line) => line.startsWith(`| \`${field}\``)) ?? '', said)
})

describe('the public interface of the package', () => {
  it('has a comment on every export, method and field', async () => {
    const shown = Object.entries(await publicApi()).flatMap(([entry, all]) =>
      all.flatMap(({ name, comment, members }) => [
        { at: `${entry} ${name}`, comment },
        ...members.map((member) => ({ at: `${entry} ${name}.${member.name}`, comment: member.comment })),
      ]),
    )

    assert.ok(shown.length > 800, 'the exports were not found')
    assert.deepEqual(
      shown.filter(({ comment }) => comment === '').map(({ at }) => at),
      [],
    )
  })

  it('has a comment on every field of an input and an output', async () => {
    const { text } = await publicTypes()
    const [types = ''] = text.split('\nexport interface OperationInputs')
    const lines = types.split('\n')
    const fields = lines.flatMap((line, at) => (/^ +["\w]+\??: /.test(line) ? [at] : []))

    assert.ok(fields.length > 1_500, 'the fields were not found')
    assert.deepEqual(
      fields.filter((at) => !lines[at - 1]?.endsWith('*/')).map((at) => lines[at]),
      [],
    )
  })

  it('explains no field that is not there', () => {
    assert.deepEqual(unusedWords(), [])
  })
})
