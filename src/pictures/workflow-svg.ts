import { layoutOf } from './workflow-layout.ts'
import { type Picture, type PictureNode, STATE_COLOURS } from './workflow-picture.ts'

const NODE = { width: 216, height: 66 }
const MARGIN = 24
const HEAD = 40
const FOOT = 34
/** Characters that fit in a node at the size of its text. */
const TITLE_LENGTH = 25
const LINE_LENGTH = 33
const NOTE_LENGTH = 38

/** The picture as an SVG that reads well on light and on dark pages and needs nothing from outside. */
export function toSvg(picture: Picture): string {
  const layout = layoutOf(picture, NODE)
  const legend = [...new Set(picture.nodes.flatMap(({ state }) => (state ? [state] : [])))]
  const width = Math.max(layout.width, 300, legend.length * LEGEND_WIDTH) + 2 * MARGIN
  const left = (width - layout.width) / 2
  const height = layout.height + HEAD + 2 * MARGIN + (legend.length > 0 ? FOOT : 0)
  const loose = new Set(picture.nodes.filter((node) => node.loose).map(({ id }) => id))
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(`Workflow ${picture.title}`)}">`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" class="head"/></marker></defs>',
    `<rect class="ground" width="${width}" height="${height}" rx="10"/>`,
    `<text class="title" x="${width / 2}" y="${MARGIN + 14}">${escaped(picture.title)}</text>`,
    `<g transform="translate(${left} ${MARGIN + HEAD})">`,
    ...layout.edges.map(
      ({ to, points }) =>
        `<path class="edge${loose.has(to) ? ' loose' : ''}" d="${curve(points)}" marker-end="url(#arrow)"/>`,
    ),
    ...picture.nodes.flatMap((node) => {
      const at = layout.nodes.get(node.id)
      return at ? [drawn(node, at.x, at.y)] : []
    }),
    '</g>',
    ...legendOf(legend, width, height - MARGIN),
    '</svg>',
  ].join('\n')}\n`
}

const LEGEND_WIDTH = 96

function legendOf(states: readonly NonNullable<PictureNode['state']>[], width: number, y: number): string[] {
  const from = (width - states.length * LEGEND_WIDTH) / 2
  return states.map((state, i) => {
    const x = from + i * LEGEND_WIDTH
    return `<g class="${state}"><rect class="box" x="${x + 4}" y="${y - 10}" width="12" height="12" rx="3"/><text class="legend" x="${x + 22}" y="${y}">${state}</text></g>`
  })
}

function drawn(node: PictureNode, x: number, y: number): string {
  const { width, height } = NODE
  const [left, top] = [x - width / 2, y - height / 2]
  const box =
    node.kind === 'gate'
      ? `<path class="box" d="${gateShape(left, top)}"/>`
      : `<rect class="box" x="${left}" y="${top}" width="${width}" height="${height}" rx="8"/>`
  const lines = [
    `<text class="name" x="${x}" y="${y + (node.note === undefined ? -4 : -12)}">${escaped(cut(node.title, TITLE_LENGTH))}</text>`,
    `<text class="who" x="${x}" y="${y + (node.note === undefined ? 15 : 6)}">${escaped(cut(node.who, LINE_LENGTH))}</text>`,
    ...(node.note === undefined
      ? []
      : [`<text class="note" x="${x}" y="${y + 23}">${escaped(cut(node.note, NOTE_LENGTH))}</text>`]),
  ]
  const state = node.state ? ` (${node.state})` : ''
  const about = `<title>${escaped(`${node.title}: ${node.who}${state}${node.note === undefined ? '' : `; ${node.note}`}`)}</title>`
  return `<g class="${node.kind === 'gate' ? 'asks' : 'step'} ${node.state ?? 'plain'}${node.loose ? ' loose' : ''}">${about}${box}${lines.join('')}</g>`
}

/** A gate is a box with pointed sides. */
function gateShape(left: number, top: number): string {
  const { width, height } = NODE
  const tip = 18
  return `M${left + tip} ${top}H${left + width - tip}L${left + width} ${top + height / 2}L${left + width - tip} ${top + height}H${left + tip}L${left} ${top + height / 2}Z`
}

/** Straight down through lanes, bent between rows. */
export function curve(points: readonly (readonly [number, number])[]): string {
  const [first, ...rest] = points
  let [x, y] = first ?? [0, 0]
  let path = `M${x} ${y}`
  for (const [i, [nx, ny]] of rest.entries()) {
    const middle = (y + ny) / 2
    path += i % 2 === 1 ? `L${nx} ${ny}` : `C${x} ${middle} ${nx} ${middle} ${nx} ${ny}`
    ;[x, y] = [nx, ny]
  }
  return path
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

const escaped = (text: string): string =>
  // Signs that no XML may hold would make the file unreadable.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  text.replace(/[\u0000-\u001f\ufffe\uffff]/g, ' ').replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

const STYLE = [
  ':root{color-scheme:light dark}',
  'text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;text-anchor:middle}',
  '.ground{fill:#ffffff}.title{font-size:15px;font-weight:600;fill:#111827}',
  '.edge{fill:none;stroke:#6b7280;stroke-width:1.5}.head{fill:#6b7280}.loose>.box,.edge.loose{stroke-dasharray:5 4}',
  '.box{stroke-width:1.5}.name{font-weight:600}.who{font-size:12px}.note{font-size:11px}',
  '.legend{text-anchor:start;font-size:11px}',
  '.plain .box{fill:#eef2ff;stroke:#6366f1}.plain text{fill:#312e81}',
  '.asks.plain .box{fill:#fef3c7;stroke:#d97706}.asks.plain text{fill:#78350f}',
  ...Object.entries(STATE_COLOURS).map(
    ([state, { fill, line, text }]) =>
      `.${state} .box{fill:${fill};stroke:${line}}.${state} text{fill:${text}}`,
  ),
  '.cancelled .name{text-decoration:line-through}',
  '@media (prefers-color-scheme:dark){.ground{fill:#0f172a}.title{fill:#f1f5f9}.edge{stroke:#94a3b8}.head{fill:#94a3b8}.legend{fill:#cbd5e1!important}}',
].join('')
