import { BLOCK } from '../src/dialects/block/table.ts'
import { TABLE } from '../src/dialects/markdown/table.ts'
import { PACKAGE_TABLE } from '../src/dialects/package/table.ts'
import { queueTable } from '../src/dialects/queue/table.ts'
import { liveIn } from '../src/dialects/table/derive.ts'
import type { Live, Row, Table } from '../src/dialects/table/row.ts'
import { WRITEBACK } from '../src/dialects/writeback/table.ts'

/** The formats that are tables, with their forms. */
const TABLES: Readonly<Record<string, readonly [Table, readonly string[]]>> = {
  'markdown (000)': [TABLE, ['handoff']],
  'queue (001)': [queueTable(), ['request', 'response', 'failure']],
  'block (002)': [BLOCK(), ['block', 'handback']],
  'writeback (003)': [WRITEBACK, ['task_update', 'thought_record']],
  'package (004)': [PACKAGE_TABLE, ['package', 'acknowledgment', 'gate_response']],
}

/** Formats that are read out of texts and calls, and never kept in a live folder. */
const NOT_LIVE: readonly Table[] = [BLOCK(), WRITEBACK]

// biome-ignore format: read as a table
const LIVE: Readonly<Record<Live, string>> = {
  author:  'stays',
  sent:    'is refused',
  fixed:   'is refused',
  follows: 'is replaced',
  step:    'counts with a step',
  amend:   'asks for an amendment',
}

/** The keys of each format in the order in which they are written, and the fields without a key. */
export function fieldTables(): readonly string[] {
  const sections = Object.entries(TABLES).flatMap(([name, [table, forms]]) => [
    '',
    `## ${name}`,
    '',
    '| key | field | forms | an edit in a live folder | also read | notes |',
    '| --- | --- | --- | --- | --- | --- |',
    ...table.rows.map((row) => lineOf(row, forms, !NOT_LIVE.includes(table))),
    '',
    '| field without a key of its own | reason |',
    '| --- | --- |',
    ...Object.entries(table.lost).map(([field, reason]) => `| ${code(field)} | ${reason} |`),
  ])
  return [
    'Keys stand in the order in which they are written. A form in bold needs the key. A key without a field is kept as',
    'it was found.',
    ...sections,
  ]
}

function lineOf(row: Row, forms: readonly string[], isLive: boolean): string {
  const { key, fields, in: some = forms, need = [], also = [], says, lossy } = row
  const named = some.map((form) => (need.includes(form) ? `**${form}**` : form)).join(', ')
  const edit = isLive ? LIVE[liveIn(row, fields[0] ?? '')] : ''
  const notes = [says, lossy].filter((note) => note !== undefined).join('; ')
  const cells = [code(key), fields.map(code).join(', '), named, edit, also.map(code).join(', '), notes]
  return `| ${cells.join(' | ')} |`
}

const code = (text: string): string => `\`${text}\``
