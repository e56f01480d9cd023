import { EXIT, type LevelReport, type Verdict, type Verification } from './report.ts'

const MARKS: Readonly<Record<Verdict, string>> = {
  ok: '✓',
  failed: '✗',
  unverifiable: '?',
  not_asked: '–',
  nothing: '–',
}
const SENTENCES: Readonly<Record<Verification['verdict'], string>> = {
  ok: 'Everything that was checked is as it was written.',
  tampered: 'This log is not what was written, or not all of it.',
  unverifiable: 'This cannot be verified.',
}
const TITLE_WIDTH = 20

/** The report for people: a line for each level, then what none of it proves. */
export function printVerification(found: Verification): string {
  const { origin, size, root, verdict, levels, ignored } = found
  const head = origin === undefined ? [] : [`Log ${asciiText(origin)}, ${size} entries, root ${root}`]
  const judged = levels.filter(isJudged)
  return [
    ...head,
    ...levels.map(levelLine),
    ...(ignored.length > 0
      ? [`Not part of the export and not looked at: ${asciiText(ignored.join(', '))}`]
      : []),
    SENTENCES[verdict],
    ...(judged.length > 0 ? ['', 'Not proven:'] : []),
    ...judged.map(({ level, does_not_prove }) => `  ${level} does not prove ${does_not_prove}.`),
    '',
  ].join('\n')
}

/** 0 ok, 1 tampered, 2 unverifiable. */
export const exitOf = ({ verdict }: Verification): number => EXIT[verdict]

const levelLine = ({ level, title, verdict, summary }: LevelReport): string =>
  `${MARKS[verdict]} ${level} ${title.padEnd(TITLE_WIDTH)} ${asciiText(summary)}`

const isJudged = ({ verdict }: LevelReport): boolean => verdict === 'ok' || verdict === 'failed'

/** An export is somebody else's text: what a terminal would obey, or what only looks like other letters, is not shown. */
const asciiText = (text: string): string => text.replace(/[^\x20-\x7e’…–]/g, '?')
