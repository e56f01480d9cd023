import { sha256 } from '../../crypto/crypto.ts'
import type { Document } from '../../dialects/index.ts'
import { documentsIn, type TextInput } from './check.ts'
import type { Piece } from './identity.ts'

/** Every document of a text with what it is recognised by. */
export function piecesOf(input: TextInput): readonly Piece[] {
  const documents = documentsIn(input)
  return documents.map((document): Piece => {
    const isAlone = documents.length === 1
    const text = isAlone && document.source.kind !== 'fence' ? input.text : pieceOf(document)
    const line = isAlone ? 1 : document.source.position(document.source.start).line
    // The ways into the text stay behind: the rest is data.
    const { source, ...said } = document
    return {
      document: { ...said, source: { value: source.value } },
      text,
      sha256: sha256(text, 'hex'),
      path: input.path,
      line,
    }
  })
}

/** A block is the same whatever is written around it, so it is kept by itself, with its fence. */
function pieceOf({ source }: Document): string {
  const { kind, text, start, end } = source
  const piece = text.slice(start, end)
  if (kind !== 'fence') return piece
  const opening = /^[ \t]*(`{3,}\w*)[ \t]*$/.exec(text.slice(0, start).split('\n').at(-2) ?? '')?.[1]
  const fence = opening ?? '```yaml'
  return `${fence}\n${piece}${piece.endsWith('\n') ? '' : '\n'}${fence.replace(/\w+$/, '')}\n`
}
