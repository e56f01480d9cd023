import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { MAX_DEPTH } from '../limits.ts'
import { longNumber, numberOrText } from '../number.ts'
import { shortLine } from '../quoted.ts'
import {
  addNote,
  type Branch,
  type Entry,
  type NotationProblem,
  problemAt,
  type ScalarStyle,
  type Tree,
} from '../tree.ts'

/** Turns an offset of the text that was parsed into one of the text as it is. */
export type Places = (offset: number) => number

const SCALAR_STYLES: Readonly<Record<string, ScalarStyle>> = {
  QUOTE_DOUBLE: 'double',
  QUOTE_SINGLE: 'single',
  BLOCK_LITERAL: 'block',
  BLOCK_FOLDED: 'block',
}

/** The tokens of an entry that we look at; the library gives them with `keepSourceTokens`. */
interface ItemTokens {
  readonly start?: readonly { readonly type: string; readonly offset: number }[]
  readonly sep?: readonly { readonly type: string; readonly offset: number }[]
}

/** The places and values of a document as the library read it. */
export function yamlTree(document: Document, places: Places, notes: NotationProblem[]): Tree | undefined {
  const anchors = new Map<string, Tree>()
  return document.contents === null ? undefined : treeOf(document.contents, 0, 0)

  function treeOf(node: unknown, from: number, depth: number): Tree {
    const tree = isAlias(node)
      ? aliasTree(node.source, node.range)
      : isMap(node) || isSeq(node)
        ? branch(node, depth)
        : leaf(node, from)
    const anchor = (node as { anchor?: string } | null)?.anchor
    if (anchor !== undefined) anchors.set(anchor, tree)
    return tree
  }

  function aliasTree(name: string, range: readonly number[] | null | undefined): Tree {
    const start = places(range?.[0] ?? 0)
    const target = anchors.get(name)
    const message = `*${shortLine(name)} is an alias of nothing; put the text in quotes`
    if (target === undefined) addNote(notes, problemAt('error', 'unknown_alias', message, start))
    return { kind: 'alias', start, end: places(range?.[1] ?? 0), target }
  }

  function branch(node: YAMLMap | YAMLSeq, depth: number): Tree {
    const start = places(node.range?.[0] ?? 0)
    const end = places(node.range?.[1] ?? 0)
    if (depth >= MAX_DEPTH) {
      const message = `nested more than ${MAX_DEPTH} levels deep; deeper levels are not read`
      if (!notes.some(({ code }) => code === 'too_deep'))
        addNote(notes, problemAt('error', 'too_deep', message, start))
      return { kind: 'scalar', start, end, style: 'plain', value: null, raw: '' }
    }
    const flow = node.flow === true
    const entries = isMap(node) ? mapEntries(node, depth) : listEntries(node, depth, flow)
    return { kind: isMap(node) ? 'map' : 'list', start, end, flow, entries } satisfies Branch
  }

  function mapEntries(map: YAMLMap, depth: number): Entry[] {
    return map.items.map((pair) => {
      const key = pair.key as Scalar | null
      const start = places(key?.range?.[0] ?? 0)
      const keyEnd = key?.range?.[1] ?? 0
      const colon = colonOf(pair)
      const valueFrom = colon ?? keyEnd
      return {
        key: keyText(pair.key),
        start,
        keyEnd: places(keyEnd),
        valueFrom: places(valueFrom),
        node: treeOf(pair.value, valueFrom, depth + 1),
      }
    })
  }

  function listEntries(list: YAMLSeq, depth: number, flow: boolean): Entry[] {
    const tokens = (list.srcToken as { items?: readonly ItemTokens[] } | undefined)?.items
    return list.items.map((item, index) => {
      const from = (isPair(item) ? undefined : (item as Scalar | null)?.range?.[0]) ?? 0
      const dash = flow
        ? undefined
        : tokens?.[index]?.start?.find(({ type }) => type === 'seq-item-ind')?.offset
      const start = places(dash ?? from)
      return {
        key: '',
        start,
        keyEnd: start,
        valueFrom: places(dash === undefined ? from : dash + 1),
        node: treeOf(item, dash === undefined ? from : dash + 1, depth + 1),
      }
    })
  }

  function leaf(node: unknown, from: number): Tree {
    const scalar = isScalar(node) ? node : undefined
    const style = SCALAR_STYLES[scalar?.type ?? ''] ?? 'plain'
    const value = scalar?.value ?? null
    const start = places(scalar?.range?.[0] ?? from)
    const end = places(scalar?.range?.[1] ?? from)
    const raw = style === 'plain' ? (scalar?.source ?? '') : String(value)
    const plain = plainValue(value, raw)
    if (typeof value === 'number' && typeof plain === 'string') addNote(notes, longNumber(raw, start))
    return { kind: 'scalar', start, end, style, value: plain, raw }
  }
}

/** The offset right after the colon. */
function colonOf(pair: Pair): number | undefined {
  const { sep } = (pair.srcToken ?? {}) as ItemTokens
  const colon = sep?.find(({ type }) => type === 'map-value-ind')
  return colon && colon.offset + 1
}

/** Keys are text, as they were written: 2026 and 15.10 too. */
function keyText(key: unknown): string {
  if (!isScalar(key)) return key === null || key === undefined ? '' : String(key)
  if (typeof key.value === 'string') return key.value
  return key.source ?? String(key.value ?? '')
}

/** The core schema gives text, numbers, booleans and null; what a tag made of it is not for us. */
function plainValue(value: unknown, raw: string): unknown {
  if (typeof value === 'number') return numberOrText(raw, value)
  return value === null || typeof value === 'string' || typeof value === 'boolean' ? value : raw
}
