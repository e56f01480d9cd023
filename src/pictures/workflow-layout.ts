/** A graph to lay out: every edge leads from a node to one that needs it. */
export interface Graph {
  readonly nodes: readonly { readonly id: string }[]
  readonly edges: readonly (readonly [from: string, to: string])[]
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** The middle of a node. */
interface PlacedStep {
  readonly x: number
  readonly y: number
}

const GAP_X = 36
const GAP_Y = 46
/** The width of the way that an edge takes past nodes. */
const LANE = 24
const SWEEPS = 4

interface Cell {
  readonly id: string
  readonly row: number
  /** A stop of a long edge: nothing is drawn there but the edge. */
  readonly isLane: boolean
}

/** Rows from top to bottom: every node stands below all that it needs, and long edges have lanes of their own. */
export function layoutOf({ nodes, edges }: Graph, size: Size) {
  const ids = nodes.map(({ id }) => id)
  const rows = rowsOf(ids, edges)
  const cells = new Map<string, Cell>(ids.map((id) => [id, { id, row: rows.get(id) ?? 0, isLane: false }]))
  const ways = edges.map(([from, to]) => {
    const stops: string[] = []
    for (let row = (rows.get(from) ?? 0) + 1; row < (rows.get(to) ?? 0); row++) {
      const id = `${from}\n${to}\n${row}`
      cells.set(id, { id, row, isLane: true })
      stops.push(id)
    }
    return [from, ...stops, to]
  })
  const links = ways.flatMap((way) => way.slice(1).map((to, i) => [way[i]!, to] as const))
  const grid = ordered([...cells.values()], links)
  const widthOf = ({ isLane }: Cell): number => (isLane ? LANE : size.width)
  const widths = grid.map((row) => row.reduce((sum, cell) => sum + widthOf(cell) + GAP_X, -GAP_X))
  const width = Math.max(0, ...widths)
  const placed = new Map<string, PlacedStep>()
  for (const [r, row] of grid.entries()) {
    let x = (width - widths[r]!) / 2
    for (const cell of row) {
      placed.set(cell.id, { x: x + widthOf(cell) / 2, y: r * (size.height + GAP_Y) + size.height / 2 })
      x += widthOf(cell) + GAP_X
    }
  }
  return {
    width,
    height: grid.length * (size.height + GAP_Y) - GAP_Y,
    nodes: new Map([...placed].filter(([id]) => cells.get(id)?.isLane === false)),
    edges: ways.map((way) => {
      return { from: way[0]!, to: way.at(-1)!, points: pointsOf(way, placed, size.height) }
    }),
  }
}

/** The length of the longest way to each node. */
function rowsOf(ids: readonly string[], edges: Graph['edges']): ReadonlyMap<string, number> {
  const rows = new Map(ids.map((id) => [id, 0]))
  // A definition has no circles, so the longest way is found after as many rounds as there are nodes.
  for (let round = 0, moved = true; moved && round < ids.length; round++) {
    moved = false
    for (const [from, to] of edges) {
      const least = (rows.get(from) ?? 0) + 1
      if ((rows.get(to) ?? 0) >= least) continue
      rows.set(to, least)
      moved = true
    }
  }
  return rows
}

/** Rows in which each stands near the middle of what it is linked to, so that few edges cross. */
function ordered(cells: readonly Cell[], links: readonly (readonly [string, string])[]): Cell[][] {
  const count = Math.max(0, ...cells.map(({ row }) => row)) + 1
  const grid = Array.from({ length: count }, (_, row) => cells.filter((cell) => cell.row === row))
  const above = Map.groupBy(links, ([, to]) => to)
  const below = Map.groupBy(links, ([from]) => from)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0
    for (const row of isDown ? grid : grid.toReversed()) {
      const place = new Map(grid.flatMap((each) => each.map(({ id }, i) => [id, i / each.length] as const)))
      const near = isDown ? above : below
      const middle = ({ id }: Cell): number => {
        const others = near.get(id)?.map(([from, to]) => place.get(isDown ? from : to) ?? 0)
        return others ? others.reduce((sum, each) => sum + each, 0) / others.length : (place.get(id) ?? 0)
      }
      const at = new Map(row.map((cell) => [cell.id, middle(cell)]))
      row.sort((a, b) => at.get(a.id)! - at.get(b.id)!)
    }
  }
  return grid
}

/** The points that an edge passes, from the foot of one node to the head of the other. */
function pointsOf(
  way: readonly string[],
  placed: ReadonlyMap<string, PlacedStep>,
  height: number,
): readonly (readonly [number, number])[] {
  return way.flatMap((id, i) => {
    const { x, y } = placed.get(id)!
    if (i === 0) return [[x, y + height / 2] as const]
    if (i === way.length - 1) return [[x, y - height / 2] as const]
    return [[x, y - height / 2] as const, [x, y + height / 2] as const]
  })
}
