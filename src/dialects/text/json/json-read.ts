import { MAX_DEPTH } from '../limits.ts'
import { longNumber, numberOrText } from '../number.ts'
import { quoted, shortLine } from '../quoted.ts'
import { addNote, type Entry, type Leaf, type NotationProblem, problemAt, type Tree } from '../tree.ts'

export interface JsonTree {
  readonly tree: Tree | undefined
  readonly notes: readonly NotationProblem[]
  /** Where reading stopped: after the value. */
  readonly end: number
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null }
/** What other languages write. */
const FOREIGN_WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  undefined: null,
  NaN: null,
  Infinity: null,
  '-Infinity': null,
}
export const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NUMBER_START = /^[+-]?\.?\d/
const BARE_END = /[\s,:{}[\]"'/#]/
const BLANK = /\s/
const RAW_CONTROL = 'line breaks and tabs inside JSON text are written \\n and \\t, not as they are'

/**
 * Reads the JSON value that starts at an offset, and what people and other languages write instead of JSON.
 * Gives all of its places, so it is slower than `JSON.parse`, which is asked first.
 */
export function readJsonTree(text: string, from = 0): JsonTree {
  const reader = new JsonReader(text, from)
  const tree = reader.value(0)
  return { tree, notes: reader.notes, end: reader.at }
}

/** The first offset from here that is neither space nor comment, and what is to be said about comments. */
export function skipBlank(
  text: string,
  from: number,
): { readonly at: number; readonly notes: readonly NotationProblem[] } {
  const reader = new JsonReader(text, from)
  return { at: reader.blank(), notes: reader.notes }
}

class JsonReader {
  readonly notes: NotationProblem[] = []
  readonly #text: string
  readonly #reported = new Set<string>()
  at: number

  constructor(text: string, at: number) {
    this.#text = text
    this.at = at
  }

  value(depth: number): Tree | undefined {
    this.blank()
    const sign = this.#text[this.at]
    if (sign === undefined) return this.#truncated()
    if (sign === '{' || sign === '[') {
      if (depth >= MAX_DEPTH) return this.#tooDeep()
      return this.#branch(sign === '{' ? 'map' : 'list', depth)
    }
    if (sign === '"' || sign === "'") return this.#string(sign)
    return this.#bare()
  }

  /** Passes over space and comments. */
  blank(): number {
    const text = this.#text
    for (;;) {
      const code = text.charCodeAt(this.at)
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.at++
      else if (code === 0x2f || code === 0x23) {
        if (!this.#comment()) return this.at
      } else if (code > 0x7f && BLANK.test(text[this.at]!)) this.at++
      else return this.at
    }
  }

  #comment(): boolean {
    const text = this.#text
    const start = this.at
    if (text.startsWith('/*', start)) {
      const end = text.indexOf('*/', start + 2)
      this.at = end === -1 ? text.length : end + 2
    } else if (text.startsWith('//', start) || text[start] === '#') {
      const end = text.indexOf('\n', start)
      this.at = end === -1 ? text.length : end
    } else return false
    const message = 'JSON has no comments; they are read here, but other tools will refuse the file'
    this.#once('comment', start, message)
    return true
  }

  #branch(kind: 'map' | 'list', depth: number): Tree {
    const [end, other, expected] =
      kind === 'map' ? ['}', ']', '"key": value or }'] : [']', '}', 'a value or ]']
    const start = this.at++
    const entries: Entry[] = []
    for (;;) {
      this.blank()
      const sign = this.#text[this.at]
      if (sign === undefined) return this.#cut(kind, start, entries)
      if (sign === end) return this.#close(kind, start, entries)
      if (sign === ',') this.#extraComma(entries)
      else if (sign === other || sign === ':') {
        this.#error('json_syntax', this.at, `unexpected ${quoted(sign)}; expected ${expected}`)
        this.at++
      } else {
        this.#missingComma(entries)
        const at = this.at
        const place = kind === 'map' ? this.#keyPlace() : { key: '', start: at, keyEnd: at, valueFrom: at }
        const node = place && this.value(depth + 1)
        if (node !== undefined) entries.push({ ...place!, node })
      }
    }
  }

  /** A key up to its colon; undefined where the text ends before. */
  #keyPlace(): Omit<Entry, 'node'> | undefined {
    const key = this.#key()
    if (key === undefined) return undefined
    const keyEnd = this.at
    this.blank()
    const message = `a colon is missing after ${quoted(key.raw)}; write ${quoted(key.raw)}: value`
    if (this.#text[this.at] === ':') this.at++
    else if (this.at < this.#text.length) this.#error('json_syntax', this.at, message)
    return { key: key.raw, start: key.start, keyEnd, valueFrom: this.at }
  }

  #key(): Leaf | undefined {
    const sign = this.#text[this.at]
    if (sign === '"' || sign === "'") return this.#string(sign)
    const start = this.at
    const leaf = this.#bareText()
    if (leaf.raw === '') {
      this.#error('json_syntax', start, `unexpected ${quoted(sign)}; expected "key": value or }`)
      this.at = start + 1
      return this.at < this.#text.length ? { ...leaf, raw: sign ?? '' } : undefined
    }
    this.#once('unquoted_key', start, `keys stand in quotes in JSON; write ${quoted(leaf.raw)}`)
    return leaf
  }

  #close(kind: 'map' | 'list', start: number, entries: readonly Entry[]): Tree {
    const last = entries.at(-1)
    if (last?.comma !== undefined)
      this.#once('trailing_comma', last.comma, 'JSON allows no comma after the last value; remove it')
    this.at++
    return { kind, start, end: this.at, flow: true, entries }
  }

  /** The text ends inside brackets: what was read so far counts. */
  #cut(kind: 'map' | 'list', start: number, entries: readonly Entry[]): Tree {
    this.#truncated()
    return { kind, start, end: this.#text.length, flow: true, entries }
  }

  #extraComma(entries: Entry[]): void {
    const last = entries.at(-1)
    if (last === undefined || last.comma !== undefined)
      this.#error('json_syntax', this.at, 'a value is missing before this comma; remove the comma')
    else entries[entries.length - 1] = { ...last, comma: this.at }
    this.at++
  }

  #missingComma(entries: readonly Entry[]): void {
    const last = entries.at(-1)
    if (last !== undefined && last.comma === undefined)
      this.#error('missing_comma', last.node.end, 'a comma is missing after this value')
  }

  #string(quote: string): Leaf | undefined {
    const text = this.#text
    const start = this.at
    let value = ''
    let from = ++this.at
    for (;;) {
      const sign = text[this.at]
      if (sign === undefined) return this.#truncated()
      if (sign === quote) break
      if (sign === '\\') {
        value += text.slice(from, this.at) + this.#escape()
        from = this.at
      } else {
        if (sign < ' ') this.#once('raw_control_character', this.at, RAW_CONTROL)
        this.at++
      }
    }
    value += text.slice(from, this.at++)
    if (quote === "'") this.#once('single_quotes', start, 'JSON strings stand in double quotes; write "…"')
    return {
      kind: 'scalar',
      start,
      end: this.at,
      style: quote === '"' ? 'double' : 'single',
      value,
      raw: value,
    }
  }

  #escape(): string {
    const text = this.#text
    const sign = text[this.at + 1]
    if (sign === 'u') {
      const digits = text.slice(this.at + 2, this.at + 6)
      if (/^[0-9a-fA-F]{4}$/.test(digits)) {
        this.at += 6
        return String.fromCharCode(Number.parseInt(digits, 16))
      }
    }
    const known = sign === undefined ? undefined : ESCAPES[sign]
    if (known !== undefined) {
      this.at += 2
      return known
    }
    this.#once('bad_escape', this.at, 'a backslash in JSON text is written twice: \\\\')
    this.at++
    return '\\'
  }

  #bare(): Tree | undefined {
    const start = this.at
    const leaf = this.#bareText()
    if (leaf.raw === '') {
      const sign = this.#text[this.at]
      this.#error('json_syntax', start, `unexpected ${quoted(sign)}; expected a value`)
      if (sign !== ',' && sign !== '}' && sign !== ']') this.at++
      return undefined
    }
    const { raw } = leaf
    if (Object.hasOwn(WORDS, raw)) return { ...leaf, value: WORDS[raw] }
    if (NUMBER.test(raw)) {
      const value = numberOrText(raw, Number(raw))
      if (typeof value === 'string') addNote(this.notes, longNumber(raw, start))
      return { ...leaf, value }
    }
    if (this.at >= this.#text.length) return this.#truncated()
    if (Object.hasOwn(FOREIGN_WORDS, raw)) {
      const value = FOREIGN_WORDS[raw]
      this.#once('foreign_word', start, `${raw} is not JSON; write ${value}`)
      return { ...leaf, value }
    }
    if (NUMBER_START.test(raw) && Number.isFinite(Number(raw))) {
      const message = `${shortLine(raw)} is not how JSON writes numbers; write ${Number(raw)}`
      this.#once('odd_number', start, message)
      return { ...leaf, value: Number(raw) }
    }
    this.#error('unquoted_text', start, `${shortLine(raw)} must stand in quotes; write ${quoted(raw)}`)
    return { ...leaf, value: raw }
  }

  #bareText(): Leaf {
    const text = this.#text
    const start = this.at
    while (this.at < text.length && !BARE_END.test(text[this.at]!)) this.at++
    const raw = text.slice(start, this.at)
    return { kind: 'scalar', start, end: this.at, style: 'plain', value: raw, raw }
  }

  /** Passes over brackets without going into them. */
  #tooDeep(): Tree {
    const start = this.at
    const text = this.#text
    const message = `nested more than ${MAX_DEPTH} levels deep; deeper levels are not read`
    this.#once('too_deep', start, message, 'error')
    let open = 0
    do {
      const sign = text[this.at]
      if (sign === '"') this.#string(sign)
      else {
        if (sign === '{' || sign === '[') open++
        if (sign === '}' || sign === ']') open--
        this.at++
      }
    } while (open > 0 && this.at < text.length)
    if (open > 0) this.#truncated()
    return { kind: 'scalar', start, end: this.at, style: 'plain', value: null, raw: '' }
  }

  #truncated(): undefined {
    this.at = this.#text.length
    const message = 'the text ends in the middle; it was probably cut off while being written'
    this.#once('truncated', this.#text.length, message, 'error')
  }

  #error(code: string, at: number, message: string): void {
    addNote(this.notes, problemAt('error', code, message, at))
  }

  /** The same habit shows all through a file; saying it once is enough. */
  #once(code: string, at: number, message: string, severity: NotationProblem['severity'] = 'warning'): void {
    if (this.#reported.has(code)) return
    this.#reported.add(code)
    addNote(this.notes, problemAt(severity, code, message, at))
  }
}
