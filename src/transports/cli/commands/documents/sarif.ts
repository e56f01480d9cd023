import { inWords } from '../../../../domain/texts/visible.ts'
import { STDIN } from './files.ts'
import type { CheckedEntry } from './target-check.ts'
import type { FileProblem } from './target-file.ts'

/** Findings as SARIF 2.1.0, which code scanning services take. */
export function toSarif(entries: readonly CheckedEntry[]): object {
  const codes = [...new Set(entries.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))].sort()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Baton',
            rules: codes.map((code) => ({ id: code, shortDescription: { text: ruleTitle(code) } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: entries.flatMap((entry) => entry.diagnostics.map((found) => toResult(entry, found, codes))),
      },
    ],
  }
}

function toResult({ file }: CheckedEntry, found: FileProblem, codes: readonly string[]): object {
  const { severity, code, message, line, column } = found
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity === 'info' ? 'note' : severity,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file === STDIN ? 'stdin' : toUri(file) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }
}

const toUri = (file: string): string =>
  file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')

const ruleTitle = (code: string): string => code.charAt(0).toUpperCase() + inWords(code.slice(1))
