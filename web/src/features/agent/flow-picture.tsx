import { useState } from 'react'
import { useLocation } from 'wouter'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { percentOf } from '../../ui/span.ts'
import { useWidth } from '../../ui/use-width.ts'
import type { Flow } from '../metrics/use-flow.ts'
import { failureOf } from './agent-table.tsx'
import { type Edge, flowLayout, type Post } from './flow-layout.ts'

/** A picture of more pairs than these cannot be read: the rest is one ribbon, and the table has all of them. */
const MOST = 40
/** No agent can have this name: it has a space. */
const OTHERS = 'all others'
const PAD = 12
const POST = 8

/** Who hands to whom: senders left, receivers right. What fails often is red. */
export function FlowPicture({ edges }: { readonly edges: Flow['edges'] }) {
  const [ref, width] = useWidth<HTMLDivElement>(640)
  const [on, point] = useState<string>()
  const { senders, receivers, ribbons, height } = flowLayout(drawnOf(edges))
  const [sent, received] = [totals(edges, 'from'), totals(edges, 'to')]
  const room = Math.min(180, Math.floor(width * 0.36))
  const [left, right] = [room, width - room]
  const middle = (left + right) / 2
  const pairs = edges.length === 1 ? '1 pair' : `${edges.length} pairs`
  const label = `Handoff flow: ${edges.length > MOST ? `the ${MOST} busiest of ${pairs}` : pairs}`
  return (
    <div ref={ref} className={`flow ${on === undefined ? '' : 'some'}`}>
      <svg width={width} height={height + 2 * PAD} viewBox={`0 0 ${width} ${height + 2 * PAD}`}>
        <title>{label}</title>
        <g transform={`translate(0 ${PAD})`}>
          {ribbons.map(({ from, to, y1, y2, thickness, made, failed }) => (
            <path
              key={`${from} ${to}`}
              className={`ribbon ${from === OTHERS ? 'others' : failed * 4 >= made ? 'bad' : ''} ${from === on || to === on ? 'on' : ''}`}
              d={`M${left + POST} ${y1}C${middle} ${y1} ${middle} ${y2} ${right - POST} ${y2}`}
              strokeWidth={Math.max(1.5, thickness)}
            >
              <title>{`${from} to ${to}: ${made}${failed > 0 ? `, ${failed} failed` : ''}`}</title>
            </path>
          ))}
          {senders.map((post) => (
            <PostLink
              key={post.name}
              post={post}
              count={sent.get(post.name) ?? post.count}
              x={left}
              isLeft
              room={room}
              point={point}
            />
          ))}
          {receivers.map((post) => (
            <PostLink
              key={post.name}
              post={post}
              count={received.get(post.name) ?? post.count}
              x={right}
              isLeft={false}
              room={room}
              point={point}
            />
          ))}
        </g>
      </svg>
      {edges.length > MOST && (
        <p className="soft">
          The {MOST} busiest of {edges.length.toLocaleString('en')} pairs are drawn, the rest as “{OTHERS}”.
          Numbers beside names count all pairs.
        </p>
      )}
    </div>
  )
}

/** The busiest pairs, and the sum of the rest. */
function drawnOf(edges: Flow['edges']): readonly Edge[] {
  const sum = (of: 'made' | 'failed') => edges.slice(MOST).reduce((all, edge) => all + edge[of], 0)
  const rest = { from: OTHERS, to: OTHERS, made: sum('made'), failed: sum('failed') }
  return [...edges.slice(0, MOST), ...(rest.made > 0 ? [rest] : [])]
}

function totals(edges: Flow['edges'], side: 'from' | 'to'): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const edge of edges) counts.set(edge[side], (counts.get(edge[side]) ?? 0) + edge.made)
  return counts
}

/** Leads to what this agent has sent or received; pointing at it shows where its ribbons go. */
function PostLink(props: {
  readonly post: Post
  /** Of all pairs, drawn or not. */
  readonly count: number
  readonly x: number
  readonly isLeft: boolean
  readonly room: number
  readonly point: (name: string | undefined) => void
}) {
  const { post, count, x, isLeft, room, point } = props
  const [, go] = useLocation()
  const letters = Math.floor((room - 26) / 6.4)
  const name = post.name.length > letters ? `${post.name.slice(0, letters - 1)}…` : post.name
  const href = `/?${isLeft ? 'from' : 'to'}=${encodeURIComponent(post.name)}`
  const on = () => point(post.name)
  const off = () => point(undefined)
  if (post.name === OTHERS)
    return (
      <g className="others">
        <rect
          className="post"
          x={isLeft ? x : x - POST}
          y={post.y}
          width={POST}
          height={post.height}
          rx="3"
        />
        <text
          x={isLeft ? x - 6 : x + 6}
          y={post.y + post.height / 2 + 4}
          textAnchor={isLeft ? 'end' : 'start'}
        >
          {OTHERS} <tspan className="count">{count}</tspan>
        </text>
      </g>
    )
  return (
    <a
      href={href}
      aria-label={`${name} ${count} ${isLeft ? 'sent' : 'received'}${name === post.name ? '' : ` by ${post.name}`}`}
      onFocus={on}
      onBlur={off}
      onPointerEnter={on}
      onPointerLeave={off}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        go(href)
      }}
    >
      <rect className="post" x={isLeft ? x : x - POST} y={post.y} width={POST} height={post.height} rx="3" />
      <text x={isLeft ? x - 6 : x + 6} y={post.y + post.height / 2 + 4} textAnchor={isLeft ? 'end' : 'start'}>
        {name} <tspan className="count">{count}</tspan>
      </text>
    </a>
  )
}

const COLUMNS: readonly Column<Flow['edges'][number]>[] = [
  { name: 'from', cell: ({ from }) => from },
  { name: 'to', cell: ({ to }) => to },
  { name: 'made', isNumber: true, cell: ({ made }) => made },
  { name: 'completed', isNumber: true, cell: ({ completed }) => completed },
  { name: 'failed', isNumber: true, cell: ({ failed }) => failed },
  { name: 'rejected', isNumber: true, cell: ({ rejected }) => rejected },
  { name: 'failure rate', isNumber: true, cell: (edge) => percentOf(failureOf(edge)) },
]

/** The same in words. */
export function FlowTable({ edges }: { readonly edges: Flow['edges'] }) {
  const [isOpen, open] = useState(false)
  return (
    <details className="numbers" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>Numbers</summary>
      {isOpen && (
        <Table
          label="Handoff flow, as a table"
          columns={COLUMNS}
          items={edges}
          keyOf={({ from, to }) => `${from} ${to}`}
        />
      )}
    </details>
  )
}
