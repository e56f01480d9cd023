export interface Edge {
  readonly from: string
  readonly to: string
  readonly made: number
  readonly failed: number
}

export interface Post {
  readonly name: string
  readonly count: number
  readonly y: number
  readonly height: number
}

export interface Ribbon extends Edge {
  /** The middle of its end on each side, and how thick it is. */
  readonly y1: number
  readonly y2: number
  readonly thickness: number
}

export interface FlowLayout {
  readonly height: number
  readonly senders: readonly Post[]
  readonly receivers: readonly Post[]
  readonly ribbons: readonly Ribbon[]
}

const GAP = 16
/** The text beside a post must not stand on that of the next. */
const LEAST = 16
const MOST_UNIT = 14
const WANTED = 320

/** Senders left, receivers right, and between them a ribbon for each pair, as thick as it was used. */
export function flowLayout(edges: readonly Edge[]): FlowLayout {
  const used = edges.filter(({ made }) => made > 0)
  const total = used.reduce((sum, { made }) => sum + made, 0)
  const unit = Math.min(MOST_UNIT, WANTED / Math.max(1, total))
  const senders = posts(used, 'from', unit)
  const receivers = posts(used, 'to', unit)
  const bottom = ({ y, height }: Post) => y + height
  const height = Math.max(0, ...senders.map(bottom), ...receivers.map(bottom))
  const [left, right] = [centred(senders, height), centred(receivers, height)]
  const order = new Map(right.map(({ name }, i) => [name, i]))
  const spentLeft = new Map<string, number>()
  const spentRight = new Map<string, number>()
  const place = (spent: Map<string, number>, post: Post, amount: number): number => {
    const before = spent.get(post.name) ?? 0
    spent.set(post.name, before + amount)
    return post.y + (post.height - post.count * unit) / 2 + before + amount / 2
  }
  const ribbons = left.flatMap((sender) =>
    used
      .filter(({ from }) => from === sender.name)
      .toSorted((a, b) => (order.get(a.to) ?? 0) - (order.get(b.to) ?? 0))
      .map((edge): Ribbon => {
        const thickness = edge.made * unit
        const receiver = right[order.get(edge.to) ?? 0]!
        return {
          ...edge,
          thickness,
          y1: place(spentLeft, sender, thickness),
          y2: place(spentRight, receiver, thickness),
        }
      }),
  )
  return { height, senders: left, receivers: right, ribbons }
}

function posts(edges: readonly Edge[], side: 'from' | 'to', unit: number): readonly Post[] {
  const counts = new Map<string, number>()
  for (const edge of edges) counts.set(edge[side], (counts.get(edge[side]) ?? 0) + edge.made)
  let y = 0
  return [...counts]
    .toSorted(([a, x], [b, z]) => z - x || (a < b ? -1 : 1))
    .map(([name, count]) => {
      const height = Math.max(LEAST, count * unit)
      const post = { name, count, y, height }
      y += height + GAP
      return post
    })
}

function centred(column: readonly Post[], height: number): readonly Post[] {
  const last = column.at(-1)
  const free = last ? height - (last.y + last.height) : 0
  return column.map((post) => ({ ...post, y: post.y + free / 2 }))
}
