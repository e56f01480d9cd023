import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { SETTINGS } from './guarded-settings.ts'
import { configJsonSchema } from './schema.ts'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | false
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** The settings of the schema for which the table has no answer. */
function unanswered(schema: Schema, answer: unknown, path: string): readonly string[] {
  if (typeof answer === 'string' || typeof answer === 'function') return []
  if (typeof answer !== 'object' || answer === null) return [path]
  const below = schema.anyOf?.find(({ properties }) => properties) ?? schema
  const { names, items } = answer as { names?: unknown; items?: unknown }
  if (names) return unanswered(below.additionalProperties || {}, names, `${path}[]`)
  if (items) return unanswered(below.items ?? {}, items, `${path}[]`)
  return Object.entries(below.properties ?? {}).flatMap(([key, each]) =>
    unanswered(each, (answer as Record<string, unknown>)[key], `${path}.${key}`),
  )
}

it('every setting of baton.yaml says whether it restricts, grants or neither', () => {
  assert.deepEqual(unanswered(JSON.parse(configJsonSchema()), SETTINGS, ''), [])
  const { silence: _, ...people } = SETTINGS.people
  const less = { ...SETTINGS, install: undefined, people, agents: { names: { roles: 'grants' } } }
  assert.deepEqual(unanswered(JSON.parse(configJsonSchema()), less, ''), [
    '.agents[].kind',
    '.agents[].capabilities',
    '.agents[].limits',
    '.agents[].phase',
    '.people.silence',
    '.install',
  ])
})

it('every setting stands on the page about trust, in the row of what it does', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/explanation/trust.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (?<kind>restricts|grants|neither) \| (?<settings>.*) \|$/gm)].map(
    ({ groups }) => groups as { kind: string; settings: string },
  )
  const missing = Object.entries(SETTINGS).filter(([name, answer]) => {
    // The other answers depend on the value or on the field below.
    const fitting = rows.filter(({ kind }) => typeof answer !== 'string' || kind === answer)
    return !fitting.some(({ settings }) => new RegExp(`\`${name}[\`.[]`).test(settings))
  })

  assert.deepEqual(
    missing.map(([name]) => name),
    [],
  )
})
