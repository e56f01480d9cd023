import { CST, Lexer } from 'yaml'

/** The place at which a YAML text becomes more than a reader should build. */
export interface Excess {
  readonly kind: 'tokens' | 'depth'
  readonly at: number
}

/** Counted before anything is built: nesting and size cost the library far more than their own length. */
export function excessIn(
  text: string,
  most: { readonly depth: number; readonly tokens?: number },
): Excess | undefined {
  const { depth, tokens = Number.POSITIVE_INFINITY } = most
  let at = 0
  let count = 0
  let brackets = 0
  let onLine = 0
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token)
    if (type === 'newline') onLine = 0
    else if (type === 'flow-map-start' || type === 'flow-seq-start') brackets++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') brackets--
    else if (type === 'explicit-key-ind' || type === 'seq-item-ind') onLine++
    if (++count > tokens) return { kind: 'tokens', at }
    if (brackets > depth || onLine > depth) return { kind: 'depth', at }
    // Marks that the lexer puts in for itself have no place in the text.
    if (type !== 'doc-mode' && type !== 'flow-error-end' && token !== CST.SCALAR) at += token.length
  }
  return undefined
}
