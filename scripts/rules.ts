import { RULES } from '../test/matrix/rules.ts'
import { type Cell, SURFACES } from '../test/matrix/table.ts'

/** The table of rules and surfaces as `test/matrix/` holds the code to it. */
export function ruleTable(): readonly string[] {
  const notes = new Map<string, number>()
  const rows = RULES.map(
    ({ kind, rule, cells }) =>
      `| ${kind}: ${rule} | ${SURFACES.map((surface) => wordOf(cells[surface], notes)).join(' | ')} |`,
  )
  const sentences = RULES.map(
    ({ rule, code, sentence }) => `| ${rule} | \`${code}\` | ${sentence.replaceAll('|', '\\|')} |`,
  )
  return [
    'Every rule on every surface. `test/matrix/` breaks each rule in the same situation through each surface. It compares the code,',
    'the sentence, the rows and the log.',
    '',
    '- **refused**: with the code and the sentence below. Nothing is left behind but the note of a refused file or the block itself.',
    '- **adopts**: the document tells of a state that was reached elsewhere. It is imported as it is and opens nothing here.',
    '- **answers**: the format has a step for it that says the sentence.',
    '- **–**: the surface cannot say it. The note gives the reason.',
    '- **open**: not yet as it should be.',
    '',
    `| rule | ${SURFACES.join(' | ')} |`,
    `|${'---|'.repeat(SURFACES.length + 1)}`,
    ...rows,
    '',
    '## Sentences',
    '',
    '| rule | code | sentence |',
    '|---|---|---|',
    ...sentences,
    '',
    '## Notes',
    '',
    ...[...notes].map(([why, number]) => `${number}. ${why}`),
  ]
}

function wordOf(cell: Cell, notes: Map<string, number>): string {
  const word = cell.is === 'cannot' ? '–' : cell.is
  if (cell.why === undefined) return word
  const number = notes.get(cell.why) ?? notes.size + 1
  notes.set(cell.why, number)
  return `${word} <sup>${number}</sup>`
}
