import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { stale } from '../scripts/generate.ts'

it('keeps the generated pages in step with the code (npm run generate)', async () => {
  assert.deepEqual(await stale(), [])
})

const PAGE = join(import.meta.dirname, '../docs/generated/operations.md')
/** Fields that are made of others. */
const MADE_OF: Readonly<Record<string, RegExp>> = {
  retry: /`\{max: integer, delay_s: number, multiplier: number\}` \|.*\| How often and how fast/,
  gate: /`\{type\?, name\?, step\?: string or number\}` \|.*\| Type of the gate/,
  silence:
    /`\{policy: wait\\\|expire\\\|escalate\\\|reassign, after_s\?: integer, to\?\}` \|.*\| The rule for a person who does not answer/,
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
