// Writes the pages under docs/generated/ from the code they describe; `--check` only compares and fails on a
// difference. Run by `npm run generate`, and by the tests.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { DIALECTS, schemasOf } from '../src/dialects/index.ts'
import { ERROR_CODES } from '../src/domain/errors.ts'
import { HOME_COLUMNS, HOME_RULES, HOMES, type HomeRules } from '../src/domain/home.ts'
import { isEnd, STATES, TRANSITIONS } from '../src/domain/lifecycle.ts'
import { WORKFLOW_SCHEMA } from '../src/domain/workflow/workflow.ts'
import { loadOperations } from '../src/operations/index.ts'
import type { Operation } from '../src/operations/operation.ts'
import { shapeOf } from '../src/transports/mcp/schema.ts'
import { LAYERS } from '../test/support/layers.ts'
import { fieldTables } from './fields.ts'
import { lossTable } from './losses.ts'
import { pluginFiles } from './plugins/plugin-files.ts'
import { ruleTable } from './rules.ts'
import { threatTable } from './threats.ts'
import { apiPage } from './types/api.ts'

const ROOT = join(import.meta.dirname, '..')
const MADE_BY = '<!-- Written by scripts/generate.ts; change the code instead. -->'

const LINE_WIDTH = 110

/** Every generated page by its path. */
export async function pages(): Promise<Readonly<Record<string, string>>> {
  return {
    'docs/generated/lifecycle.md': lifecycle(),
    'docs/generated/errors.md': errors(),
    'docs/generated/homes.md': homes(),
    'docs/generated/operations.md': operations(await loadOperations()),
    'docs/generated/api.md': page('API of the package', await apiPage()),
    'docs/generated/fields.md': page('Keys and fields', fieldTables()),
    'docs/generated/losses.md': page('What conversions lose', lossTable()),
    'docs/generated/rules.md': page('Rules and surfaces', ruleTable()),
    'docs/generated/threats.md': page('Threats', threatTable()),
    'web/src/api/routes.ts': routes(await loadOperations()),
    ...schemas(),
    'docs/generated/schemas/workflow.json': `${json(WORKFLOW_SCHEMA())}\n`,
    ...plugins(),
    'CONTRIBUTING.md': withLayers(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')),
  }
}

/** Pages that are missing or differ from what the code says. */
export async function stale(): Promise<readonly string[]> {
  return Object.entries(await pages()).flatMap(([path, text]) => {
    const file = join(ROOT, path)
    return existsSync(file) && readFileSync(file, 'utf8') === text ? [] : [path]
  })
}

function plugins(): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return Object.fromEntries(
    Object.entries(pluginFiles(version)).map(([path, value]) => [
      path,
      typeof value === 'string' ? value : `${json(value)}\n`,
    ]),
  )
}

/** CONTRIBUTING.md with the layer table that the tests hold the code to. */
function withLayers(text: string): string {
  const rows = Object.entries(LAYERS).map(([name, { duty, imports, packages }]) => {
    const path = name.includes('.') ? `src/${name}` : `src/${name}/`
    return `| \`${path}\` | ${duty} | ${[...imports, ...(packages ?? [])].join(', ') || 'nothing'} |`
  })
  const [before, rest] = text.split('<!-- layers: written by npm run generate -->\n')
  const [, after] = (rest ?? '').split('<!-- /layers -->')
  if (before === undefined || after === undefined)
    throw new Error('CONTRIBUTING.md has no place for the layers')
  const head = [
    '<!-- layers: written by npm run generate -->',
    '| folder | duty | may import |',
    '|---|---|---|',
  ]
  return `${before}${[...head, ...rows, '<!-- /layers -->'].join('\n')}${after}`
}

/** Where each operation is, for the dashboard: it must not carry the operations themselves. */
function routes(all: readonly Operation[]): string {
  const lines = [...all]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, http }) => `  ${name}: ['${http.method}', '${http.path}'],`)
  return [
    '// Written by scripts/generate.ts; change the code instead.',
    "import type { OperationName } from '../../../src/runner/operation-types.ts'",
    '',
    "export const ROUTES: Readonly<Record<OperationName, readonly [method: 'GET' | 'POST', path: string]>> = {",
    ...lines,
    '}',
    '',
  ].join('\n')
}

function lifecycle(): string {
  const arrows = new Map<string, string[]>()
  for (const { from, to, command } of TRANSITIONS) {
    const key = `${from} --> ${to}`
    arrows.set(key, [...(arrows.get(key) ?? []), command])
  }
  const drawn = [...arrows].map(([arrow, commands]) => `  ${arrow}: ${[...new Set(commands)].join(', ')}`)
  const ends = STATES.filter(isEnd).map((state) => `  ${state} --> [*]`)
  const rows = TRANSITIONS.map(
    ({ from, command, by, to, resume }) =>
      `| ${from} | ${command} | ${by} | ${to} | ${resume ? `asked while ${resume}` : ''} |`,
  )
  return page('The lifecycle of a handoff', [
    'Every transition that the engine knows; whatever is not listed is refused. The completer is named by the home of the handoff: see',
    '[decision 0006](../decisions/0006-lifecycle-table.md).',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> draft',
    ...drawn,
    ...ends,
    '```',
    '',
    '| from | command | by | to | only |',
    '|---|---|---|---|---|',
    ...rows,
  ])
}

function errors(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { http, rpc, exit, retry, title }]) =>
      `| \`${code}\` | ${title} | ${http} | ${rpc} | ${exit} | ${retry ? 'yes' : 'no'} |`,
  )
  return page('Errors', [
    'One table for every surface. `retry` says whether the same call may succeed later without a change by the caller.',
    '',
    '| code | meaning | HTTP | JSON-RPC | exit code | retry |',
    '|---|---|---|---|---|---|',
    ...rows,
  ])
}

function homes(): string {
  const cell = (value: HomeRules[keyof HomeRules]): string => {
    if (typeof value === 'boolean') return value ? 'yes' : ''
    if (Array.isArray(value)) return value.join(', ')
    if (typeof value !== 'object') return String(value ?? 'none')
    const { max, delay_s, multiplier } = value as Exclude<HomeRules['retry'], string>
    return `${max}, after ${delay_s} s, then × ${multiplier}`
  }
  const columns = Object.keys(HOME_COLUMNS) as (keyof HomeRules)[]
  return page('The rules of each format', [
    'A handoff is judged by the rules of its own format. `native` is a handoff without a document.',
    '',
    `| rule | ${HOMES.join(' | ')} | requirements |`,
    `|---|${'---|'.repeat(HOMES.length)}---|`,
    ...columns.map((column) => {
      const [asked, meaning] = HOME_COLUMNS[column]
      return `| ${meaning} | ${HOMES.map((home) => cell(HOME_RULES[home][column])).join(' | ')} | ${asked} |`
    }),
  ])
}

function operations(all: readonly Operation[]): string {
  const sorted = [...all].sort((a, b) => (a.name < b.name ? -1 : 1))
  return page('Operations', [
    'What can be asked of Baton: the same on the command line, over HTTP and in TypeScript.',
    '',
    ...sorted.flatMap(describe),
  ])
}

function describe(op: Operation): string[] {
  const schema = z.toJSONSchema(op.input, { io: 'input', unrepresentable: 'any' })
  const required = new Set(schema.required ?? [])
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { description = '' } = property as { description?: string }
    const shape = shapeOf(property as Record<string, unknown>).replaceAll('|', '\\|')
    const type = /^\w+$/.test(shape) ? shape : `\`${shape}\``
    return `| \`${name}\` | ${type} | ${required.has(name) ? 'yes' : ''} | ${description} |`
  })
  return [
    `## ${op.name}`,
    '',
    op.summary,
    '',
    `\`${op.http.method} ${op.http.path}\` · scope \`${op.scope}\`${op.peopleOnly ? ' · people only' : ''}${op.tools ? ` · agents' tool list: ${op.tools}` : ''}`,
    '',
    '<!-- run by: test/pages/operations.test.ts -->',
    '```sh',
    ...op.examples,
    '```',
    '',
    ...(fields.length > 0 ? ['| field | type | needed | |', '|---|---|---|---|', ...fields, ''] : []),
    `Refused with: ${op.errors.map((code) => `\`${code}\``).join(', ')}.`,
    '',
  ]
}

/** JSON Schemas of the dialects' strict forms, for editors. */
function schemas(): Record<string, string> {
  const files = DIALECTS.flatMap((dialect) =>
    Object.entries(schemasOf(dialect)).map(([form, schema]) => {
      const name = `${dialect}-${form === dialect ? 'handoff' : form.replaceAll('_', '-')}`
      return [`docs/generated/schemas/${name}.json`, `${json(schema)}\n`] as const
    }),
  )
  return Object.fromEntries(files)
}

/** As the formatter leaves it: mappings over several lines, lists of words in one where they fit. */
function json(value: unknown, indent = '', key = ''): string {
  const below = `${indent}  `
  const lead = key === '' ? indent : `${indent}${JSON.stringify(key)}: `
  if (Array.isArray(value)) {
    const line = `${lead}[${value.map((each) => JSON.stringify(each)).join(', ')}]`
    if (value.every((each) => typeof each !== 'object') && line.length < LINE_WIDTH) return line
    return `${lead}[\n${value.map((each) => json(each, below)).join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return `${lead}${JSON.stringify(value)}`
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  if (entries.length === 0) return `${lead}{}`
  return `${lead}{\n${entries.map(([name, each]) => json(each, below, name)).join(',\n')}\n${indent}}`
}

const page = (title: string, lines: readonly string[]): string =>
  `${[`# ${title}`, '', MADE_BY, '', ...lines].join('\n').trimEnd()}\n`

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--check')) {
    const different = await stale()
    for (const path of different) console.error(`${path} is not up to date; run: npm run generate`)
    process.exitCode = different.length === 0 ? 0 : 1
  } else
    for (const [path, text] of Object.entries(await pages())) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true })
      writeFileSync(join(ROOT, path), text)
    }
}
