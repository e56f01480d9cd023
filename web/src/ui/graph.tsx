import { type MouseEvent, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { layoutOf } from '../../../src/pictures/workflow-layout.ts'
import { Scroll } from './scroll.tsx'
import type { Tone } from './words.ts'

export interface GraphNode {
  readonly id: string
  readonly title: string
  /** Below the title: who, how far. */
  readonly line: string
  /** Why it failed. */
  readonly reason?: string
  readonly tone: Tone
  /** What the picture says by its looks, for whoever cannot see it. */
  readonly note?: string
  readonly href?: string
  /** A gate has pointed sides: somebody decides there. */
  readonly isGate?: boolean
  /** It can be begun now. */
  readonly isReady?: boolean
  readonly isStrong?: boolean
  readonly isChosen?: boolean
  /** From 0 to 100. */
  readonly progress?: number
}

export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly isStrong?: boolean
  readonly isDone?: boolean
}

const WIDTH = 206
const MARGIN = 12
const LINE = 16
/** Letters and lines that fit into a node. */
const LETTERS = 28
const TITLE_LINES = 3
const REASON_LINES = 2
const TIP = 14
/** A narrow page makes the picture smaller, as far as its text can be read; then it scrolls. */
const SMALLEST = 0.8

interface Drawn extends GraphNode {
  readonly titleLines: readonly string[]
  readonly lines: readonly string[]
  readonly reasonLines: readonly string[]
}

/** What depends on what, from left to right. Each node is a link, so that keys reach it; a table beside it says the same. */
export function Graph(props: {
  readonly label: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  /** The node that is scrolled to. */
  readonly look?: string | undefined
}) {
  const { label, nodes, edges, look } = props
  const room = useRef<HTMLDivElement>(null)
  const drawn = nodes.map(
    (node): Drawn => ({
      ...node,
      titleLines: wrapped(node.title, TITLE_LINES),
      lines: wrapped(node.line, 2),
      reasonLines: wrapped(node.reason ?? '', REASON_LINES),
    }),
  )
  const linesOf = ({ titleLines, lines, reasonLines }: Drawn) =>
    titleLines.length + lines.length + reasonLines.length
  const size = { width: WIDTH, height: Math.max(2, ...drawn.map(linesOf)) * LINE + 20 }
  const known = new Set(nodes.map(({ id }) => id))
  const shown = edges.filter(({ from, to }) => known.has(from) && known.has(to))
  // The layout runs from top to bottom: it is given the sides the other way round, and so are its places.
  const layout = layoutOf(
    { nodes, edges: shown.map(({ from, to }) => [from, to] as const) },
    { width: size.height, height: size.width },
  )
  const [width, height] = [layout.height + 2 * MARGIN, layout.width + 2 * MARGIN]
  const at = look === undefined ? undefined : layout.nodes.get(look)
  const [x, y] = [at?.y, at?.x]
  useEffect(() => {
    const scroll = room.current?.querySelector('.scroll')
    const picture = scroll?.querySelector('svg')
    if (!scroll || !picture || x === undefined || y === undefined) return
    const scale = picture.getBoundingClientRect().width / width
    scroll.scrollTo({
      left: (x + MARGIN) * scale - scroll.clientWidth / 2,
      top: (y + MARGIN) * scale - scroll.clientHeight / 2,
    })
  }, [x, y, width])
  return (
    <div ref={room} className="picture">
      <Scroll label={label}>
        <svg
          className="graph"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          style={{ minWidth: width * SMALLEST }}
        >
          <title>{label}</title>
          <defs>
            {['plain', 'strong', 'done'].map((kind) => (
              <marker
                key={kind}
                id={`arrow-${kind}`}
                className={`head ${kind}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerUnits="userSpaceOnUse"
                markerWidth="9"
                markerHeight="9"
                orient="auto"
              >
                <path d="M0 0 8 4 0 8z" />
              </marker>
            ))}
          </defs>
          <g transform={`translate(${MARGIN} ${MARGIN})`}>
            {layout.edges.map(({ from, to, points }, i) => {
              const kind = shown[i]?.isStrong ? 'strong' : shown[i]?.isDone ? 'done' : 'plain'
              return (
                <path
                  key={`${from} ${to}`}
                  className={`edge ${kind}`}
                  d={curve(points)}
                  markerEnd={`url(#arrow-${kind})`}
                />
              )
            })}
            {drawn.map((node) => {
              const place = layout.nodes.get(node.id)
              return place && <Node key={node.id} node={node} x={place.y} y={place.x} size={size} />
            })}
          </g>
        </svg>
      </Scroll>
    </div>
  )
}

interface Size {
  readonly width: number
  readonly height: number
}

function Node(props: { readonly node: Drawn; readonly x: number; readonly y: number; readonly size: Size }) {
  const { node, x, y, size } = props
  const [, go] = useLocation()
  const { tone, href, isGate, isReady, isStrong, isChosen, progress, titleLines, lines, reasonLines } = node
  const { width, height } = size
  const [left, top] = [x - width / 2, y - height / 2]
  const follow = (event: MouseEvent) => {
    if (href === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    go(href)
  }
  const className = [
    'node',
    tone,
    isGate ? 'gate' : '',
    isReady ? 'ready' : '',
    isStrong ? 'strong' : '',
    isChosen ? 'chosen' : '',
  ]
  const texts = [
    ...titleLines.map((text) => ({ text, kind: 'name' })),
    ...lines.map((text) => ({ text, kind: 'line' })),
    ...reasonLines.map((text) => ({ text, kind: 'line reason' })),
  ]
  const first = y - ((texts.length - 1) * LINE) / 2 + 4
  const body = (
    <>
      {isGate ? (
        <path className="box" d={gateShape(left, top, size)} />
      ) : (
        <rect className="box" x={left} y={top} width={width} height={height} rx="8" />
      )}
      {progress !== undefined && progress > 0 && (
        <rect
          className="progress"
          x={left + 8}
          y={top + height - 7}
          width={((width - 16) * Math.min(100, progress)) / 100}
          height="3"
          rx="1.5"
        />
      )}
      <text x={x} y={first}>
        {texts.map(({ text, kind }, i) => (
          <tspan key={i} className={kind} x={x} dy={i === 0 ? 0 : LINE}>
            {text}{' '}
          </tspan>
        ))}
      </text>
      <title>{[node.title, node.line, node.reason].filter(Boolean).join('\n')}</title>
    </>
  )
  if (href === undefined) return <g className={className.join(' ')}>{body}</g>
  return (
    <a className={className.join(' ')} href={href} onClick={follow} aria-label={labelOf(node, texts)}>
      {body}
    </a>
  )
}

/** The words that can be seen, as they stand there, then what they leave out. */
function labelOf(
  { title, line, note, reason }: GraphNode,
  shown: readonly { readonly text: string }[],
): string {
  const seen = shown.map(({ text }) => text).join(' ')
  const whole = [title, line, reason].filter(Boolean).join(' ')
  return [seen, ...(seen === whole ? [] : [whole]), ...(note ? [note] : [])].join(', ')
}

/** From one place to the next, along the sides that the layout was given. */
function curve(points: readonly (readonly [number, number])[]): string {
  const [first, ...rest] = points
  let [y, x] = first ?? [0, 0]
  let path = `M${x} ${y}`
  for (const [i, [ny, nx]] of rest.entries()) {
    const middle = (x + nx) / 2
    path += i % 2 === 1 ? `L${nx} ${ny}` : `C${middle} ${y} ${middle} ${ny} ${nx} ${ny}`
    ;[x, y] = [nx, ny]
  }
  return path
}

function gateShape(left: number, top: number, { width, height }: Size): string {
  return `M${left + TIP} ${top}H${left + width - TIP}L${left + width} ${top + height / 2}L${left + width - TIP} ${top + height}H${left + TIP}L${left} ${top + height / 2}Z`
}

/** A text in lines that fit into a node; of one that is too long the end is left out. */
function wrapped(text: string, most: number): readonly string[] {
  const lines: string[] = []
  let rest = text.trim()
  while (rest !== '' && lines.length < most) {
    const space = rest.lastIndexOf(' ', LETTERS)
    const end = rest.length <= LETTERS ? rest.length : space > 0 ? space : LETTERS
    lines.push(rest.slice(0, end).trim())
    rest = rest.slice(end).trim()
  }
  const last = lines.at(-1)
  if (rest !== '' && last !== undefined) lines[lines.length - 1] = `${last.slice(0, LETTERS - 1)}…`
  return lines
}
