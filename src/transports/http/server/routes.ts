import { getPath } from 'hono/utils/url'
import type { Operation } from '../../../operations/operation.ts'

export interface Route {
  readonly op: Operation
  /** The fields that stand in the address. */
  readonly path: Readonly<Record<string, string>>
}

/** Finds the operation that a request names by its method and address. */
export function routesOf(operations: readonly Operation[]): (request: Request) => Route | undefined {
  const known = new Map<string, { readonly op: Operation; readonly field?: string }>()
  /** Behind how many slashes the one field of an address stands. */
  const places = new Set<number>()
  for (const op of operations) {
    const { method, path } = op.http
    const field = /\{(\w+)\}/.exec(path)?.[1]
    if (field !== undefined) places.add(path.slice(0, path.indexOf('{')).split('/').length - 1)
    known.set(`${method} ${path.replace(/\{\w+\}/, BLANK)}`, { op, ...(field !== undefined && { field }) })
  }
  return (request) => {
    // Who asks for the head alone is answered as if for all of it; the server leaves the body away.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const path = getPath(request)
    const exact = known.get(`${method} ${path}`)
    if (exact && exact.field === undefined) return { op: exact.op, path: {} }
    for (const slashes of places) {
      const start = behind(slashes, path)
      const end = path.indexOf('/', start)
      const given = path.slice(start, end === -1 ? path.length : end)
      if (start === 0 || given === '') continue
      const found = known.get(`${method} ${path.slice(0, start)}${BLANK}${path.slice(start + given.length)}`)
      if (found?.field !== undefined) return { op: found.op, path: { [found.field]: decoded(given) } }
    }
    return undefined
  }
}

/** Stands for a field. */
const BLANK = '{}'

/** Where the text behind the nth slash begins; 0 where there are fewer. */
function behind(slashes: number, path: string): number {
  let at = 0
  for (let i = 0; i < slashes; i++) {
    at = path.indexOf('/', at) + 1
    if (at === 0) return 0
  }
  return at
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
