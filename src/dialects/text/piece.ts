import { present } from '../../domain/present.ts'
import type { Lines } from './lines.ts'
import type { Change, Path, Position, Source } from './source.ts'
import { entryOf, type NotationProblem, problemAt, type Reading, type Tree, treeAt, unread } from './tree.ts'

/** A part of a text that was read as data. */
export interface Piece {
  readonly kind: Source['kind']
  readonly start: number
  readonly end: number
  readonly reading: Reading
  /** Reads the piece again after a change. */
  read(text: string): Reading
  /** Markdown: where the text below the front matter starts. */
  readonly bodyAt?: number
  /** Markdown without front matter: the first key brings the marks with it. */
  readonly isBare?: boolean
}

/** The text with changes made in one piece of it, and that piece; absent where the text has to be read again. */
export type EditPiece = (
  piece: Piece,
  text: string,
  changes: readonly Change[],
) => { readonly text: string; readonly piece?: Piece }

/** What the sources of one text share. */
export interface Whole {
  readonly text: string
  readonly lines: Lines
  readonly path: string | undefined
}

export function makeSource({ text, lines, path }: Whole, piece: Piece, editPiece: EditPiece): Source {
  const { reading, start, end } = piece
  const position = (offset: number) => lines.position(offset)
  return {
    kind: piece.kind,
    text,
    ...present({ path }),
    start,
    end,
    value: reading.value,
    body: piece.bodyAt === undefined ? undefined : text.slice(piece.bodyAt),
    bodyAt: piece.bodyAt ?? end,
    diagnostics: reading.notes.map((note) => diagnosticOf(note, start, position)),
    locate: (to, part = 'value') => position(start + offsetOf(reading.tree(), to, part)),
    position,
    raw: (to) => {
      const tree = treeAt(reading.tree(), to)
      return tree?.kind === 'scalar' ? tree.raw : undefined
    },
    edit: (changes) => editPiece(piece, text, changes).text,
  }
}

function diagnosticOf(note: NotationProblem, start: number, position: (offset: number) => Position) {
  const { severity, code, message, at, other } = note
  const line = other === undefined ? '' : String(position(start + other).line)
  return { severity, code, message: message.replace('{line}', line), ...position(start + at) }
}

/** Of the value, or of the nearest parent that is there. */
function offsetOf(root: Tree | undefined, path: Path, part: 'key' | 'value'): number {
  let tree = root
  let offset = root?.start ?? 0
  for (const [index, step] of path.entries()) {
    const entry = tree && entryOf(tree, step)
    if (!entry) return offset
    const wantsKey = part === 'key' || index < path.length - 1 || entry.node.start === entry.node.end
    offset = wantsKey ? entry.start : entry.node.start
    tree = entry.node
  }
  return offset
}

export function noted(piece: Piece, ...notes: readonly NotationProblem[]): Piece {
  return { ...piece, reading: { ...piece.reading, notes: [...piece.reading.notes, ...notes] } }
}

/** A piece that says nothing, and why. */
export const refusedPiece = (
  piece: Pick<Piece, 'kind' | 'end' | 'read'>,
  code: string,
  message: string,
): Piece => ({ ...piece, start: 0, reading: unread(problemAt('error', code, message, 0)) })
