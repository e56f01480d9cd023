/** One command and what the terminal showed of it, with the colours as they were sent. */
export interface Shown {
  readonly command: string
  readonly shown: string
}

interface Span {
  readonly text: string
  readonly style: string
}

const CELL = { width: 7.83, height: 19 }
const EDGE = 18

/** An SVG of a terminal that can be read on a light and on a dark page. */
export function drawTerminal(screen: readonly Shown[], columns: number): string {
  const lines = screen.flatMap(({ command, shown }, at) => [
    ...(at === 0 ? [] : [[]]),
    ...wrapped(command, columns).map((text, row): Span[] => [
      { text: row === 0 ? '$ ' : '  ', style: 'p' },
      { text, style: 'b' },
    ]),
    ...rowsOf(shown),
  ])
  const width = Math.ceil(columns * CELL.width + 2 * EDGE)
  const height = Math.ceil(lines.length * CELL.height + 2 * EDGE)
  const body = lines.map((spans, row) => drawLine(spans, EDGE + (row + 0.75) * CELL.height)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: a handoff is sent, accepted, handed in and verified">
<style>${STYLE}</style>
<rect class="g" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${body}
</svg>
`
}

const STYLE = `
.g{fill:#fbfbfa;stroke:#d0d0cc}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#24292f;white-space:pre}
.b{font-weight:600}.d{fill:#6a737d}.p{fill:#8250df}.g1{fill:#1a7f37}.r{fill:#b42318}.y{fill:#8a5a00}.c{fill:#0b6b8a}
@media (prefers-color-scheme:dark){.g{fill:#161b22;stroke:#30363d}text{fill:#e6edf3}.d{fill:#9198a1}.p{fill:#d2a8ff}.g1{fill:#56d364}.r{fill:#ff8a80}.y{fill:#e3b341}.c{fill:#76d1ea}}
`

function drawLine(spans: readonly Span[], y: number): string {
  const parts = spans
    .filter(({ text }) => text !== '')
    .map(({ text, style }) =>
      style === '' ? escaped(text) : `<tspan class="${style}">${escaped(text)}</tspan>`,
    )
  return parts.length === 0
    ? ''
    : `<text x="${EDGE}" y="${y.toFixed(1)}" xml:space="preserve">${parts.join('')}</text>`
}

/** The rows of a screen, without what moves the cursor. */
function rowsOf(shown: string): Span[][] {
  let style = ''
  const rows: Span[][] = shown
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((row) => {
      const spans: Span[] = []
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what colours are written with
      for (const [, codes, text] of `\u001b[m${row}`.matchAll(/\u001b\[([\d;]*)m([^\u001b]*)/g)) {
        if (codes !== '') style = styleAfter(style, codes!)
        spans.push({ text: text!, style })
      }
      return spans
    })
  while (rows.at(-1)?.every(({ text }) => text.trim() === '')) rows.pop()
  return rows
}

const STYLES: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g1', 33: 'y', 36: 'c' }
const ENDS: Readonly<Record<string, readonly string[]>> = {
  0: ['b', 'd', 'r', 'g1', 'y', 'c'],
  22: ['b', 'd'],
  39: ['r', 'g1', 'y', 'c'],
}

function styleAfter(style: string, codes: string): string {
  const on = new Set(style.split(' ').filter((each) => each !== ''))
  for (const code of codes.split(';')) {
    for (const end of ENDS[Number(code)] ?? []) on.delete(end)
    const added = STYLES[code]
    if (added !== undefined) on.add(added)
  }
  return [...on].join(' ')
}

/** A long command as the page writes it: broken before an option. */
function wrapped(command: string, columns: number): readonly string[] {
  const rows: string[] = []
  for (const word of command.match(/(?:(?:--\S+ )?(?:"[^"]*"|(?!--)[^\s"])+|--\S+)/g) ?? []) {
    const row = rows.at(-1)
    if (row !== undefined && row.length + word.length + 5 <= columns) rows[rows.length - 1] = `${row} ${word}`
    else rows.push(row === undefined ? word : `  ${word}`)
  }
  return rows.map((row, at) => (at < rows.length - 1 ? `${row} \\` : row))
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (sign) => SIGNS[sign]!)
