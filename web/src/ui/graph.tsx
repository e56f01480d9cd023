import type { MouseEvent } from 'react'
import { useLocation } from 'wouter'
import { layoutOf } from '../../../src/pictures/workflow-layout.ts'
import { curve } from '../../../src/pictures/workflow-svg.ts'
import { Scroll } from './scroll.tsx'
import type { Tone } from './words.ts'

export interface GraphNode {
  readonly id: string
  readonly title: string
  /** A second line: who, how far. */
  readonly line: string
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

const NODE = { width: 178, height: 54 }
const MARGIN = 12
/** Characters that fit into a node. */
const TITLE_LENGTH = 23
const LINE_LENGTH = 27
const TIP = 14
/** A narrow page makes the picture smaller, as far as its text can be read; then it scrolls. */
const SMALLEST = 0.8

/** What needs what, from top to bottom. Each node is a link, so that keys reach it; a table beside it says the same. */
export function Graph(props: {
  readonly label: string
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}) {
  const { label, nodes, edges } = props
  const known = new Set(nodes.map(({ id }) => id))
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to))
  const layout = layoutOf({ nodes, edges: drawn.map(({ from, to }) => [from, to] as const) }, NODE)
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN]
  return (
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
            const kind = drawn[i]?.isStrong ? 'strong' : drawn[i]?.isDone ? 'done' : 'plain'
            return (
              <path
                key={`${from} ${to}`}
                className={`edge ${kind}`}
                d={curve(points)}
                markerEnd={`url(#arrow-${kind})`}
              />
            )
          })}
          {nodes.map((node) => {
            const at = layout.nodes.get(node.id)
            return at && <Node key={node.id} node={node} x={at.x} y={at.y} />
          })}
        </g>
      </svg>
    </Scroll>
  )
}

function Node({ node, x, y }: { readonly node: GraphNode; readonly x: number; readonly y: number }) {
  const [, go] = useLocation()
  const { title, line, tone, href, isGate, isReady, isStrong, isChosen, progress } = node
  const { width, height } = NODE
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
  const shown = { title: cut(title, TITLE_LENGTH), line: cut(line, LINE_LENGTH) }
  const body = (
    <>
      {isGate ? (
        <path className="box" d={gateShape(left, top)} />
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
      <text x={x} y={y - 4}>
        <tspan className="name">{shown.title}</tspan>
        <tspan className="gap"> </tspan>
        <tspan className="line" x={x} dy="18">
          {shown.line}
        </tspan>
      </text>
    </>
  )
  if (href === undefined) return <g className={className.join(' ')}>{body}</g>
  return (
    <a className={className.join(' ')} href={href} onClick={follow} aria-label={labelOf(node, shown)}>
      {body}
    </a>
  )
}

/** The words that can be seen, as they stand there, then what they leave out. */
function labelOf(
  { title, line, note }: GraphNode,
  shown: { readonly title: string; readonly line: string },
): string {
  const isCut = shown.title !== title || shown.line !== line
  return [`${shown.title} ${shown.line}`, ...(isCut ? [title, line] : []), ...(note ? [note] : [])].join(', ')
}

function gateShape(left: number, top: number): string {
  const { width, height } = NODE
  return `M${left + TIP} ${top}H${left + width - TIP}L${left + width} ${top + height / 2}L${left + width - TIP} ${top + height}H${left + TIP}L${left} ${top + height / 2}Z`
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text
