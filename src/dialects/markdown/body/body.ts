import { present } from '../../../domain/present.ts'

/** A line such as `**From:** claude`, `- Status: open`, `| To | grok |` or `## To: Grok (Chief)`. */
export interface BodyField {
  /** The label in lower case, words only. */
  readonly label: string
  readonly value: string
  /** Offset of the label in the body. */
  readonly at: number
  readonly kind: 'line' | 'heading' | 'cell'
  /** Items of the list below a label without a value. */
  readonly items: readonly BodyItem[]
}

/** An element of a list, or the first cell of a table row. */
export interface BodyItem {
  readonly text: string
  /** Ticked, or called done in the row's status. Absent where nothing was said. */
  readonly done?: boolean
  readonly at: number
}

/** A heading and what stands below it. The first has level 0 and no name: what comes before any heading. */
export interface Section {
  readonly level: number
  /** As written, without marks. */
  readonly heading: string
  /** The same in lower case, words only. */
  readonly name: string
  readonly at: number
  /** Between this heading and the next. */
  readonly fields: readonly BodyField[]
  readonly items: readonly BodyItem[]
  /** All up to the next heading of the same level, subsections included. */
  readonly text: string
}

interface Open {
  readonly level: number
  readonly heading: string
  readonly at: number
  readonly from: number
  readonly fields: BodyField[]
  readonly items: BodyItem[]
}

/** A label is a few words; whatever is longer is a sentence with a colon in it. */
const LABEL_MAX = 40
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/
const ITEM = /^([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+/
const BOX = /^\[([ xX✓✔-]?)\][ \t]*/
const QUOTE = /^ {0,3}>[ \t]?/
const DIVIDER = /^[\s|:+-]+$/
/** Between two fields on one line: `**From:** grok | **To:** claude`. */
const SEVERAL = /[ \t]+(?:[|·•→;,-][ \t]+)?(?=\*\*[^*:]{1,40}(?::\*\*|\*\*[ \t]?:))/
const SEVERAL_MAX = 500
const TICK = /^(?:✅|☑|✔)/u
const CROSS = /^(?:☐|⬜|❌|⏳|🔴|🟡)/u
/** Words count only in a column for them: a criterion may begin with "No". */
const DONE_WORD = /^(?:done|completed?|verified|passed|yes|met)(?:[^\p{L}]|$)/iu
const OPEN_WORD = /^(?:pending|open|todo|to do|no|blocked|in[ _-]progress|failed|not)(?:[^\p{L}]|$)/iu

/** Words only, in lower case: `**Assigned_To**` and `📋 Assigned to` are one label. */
export function labelOf(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}/&]+/gu, ' ')
    .trim()
}

/** Text without the marks around it: emphasis, code, a link's address. */
export function plainText(text: string): string {
  let plain = text.trim()
  const link = /^\[([^[\]]+)\]\([^()]*\)$/.exec(plain) ?? /^\[\[([^[\]]+)\]\]$/.exec(plain)
  if (link) plain = link[1]!.trim()
  for (const mark of ['***', '**', '__', '`', '*', '_'])
    if (plain.length > 2 * mark.length && plain.startsWith(mark) && plain.endsWith(mark)) {
      const inner = plain.slice(mark.length, -mark.length)
      // `**A** and **B**` begins and ends with marks that do not belong together.
      if (!inner.includes(mark)) plain = inner.trim()
    }
  return plain
}

/** The parts of a markdown text in which people keep data. What stands in fences and comments is not looked at. */
export function sectionsOf(body: string): readonly Section[] {
  const scan = new Scan()
  let at = 0
  for (const line of body.split('\n')) {
    scan.line(line.endsWith('\r') ? line.slice(0, -1) : line, at, at + line.length + 1)
    at += line.length + 1
  }
  return withTexts(scan.sections, body)
}

class Scan {
  readonly sections: Open[] = [{ level: 0, heading: '', at: 0, from: 0, fields: [], items: [] }]
  #fence: string | undefined
  #comment = false
  /** Indentation of the list that is being read. */
  #indent: number | undefined
  /** Where the next item goes: the section, or a label without a value. */
  #target: BodyItem[] | undefined
  /** The label without a value that was read last; a list or a paragraph may follow. */
  #label: { value: string; items: BodyItem[] } | undefined
  #table: 'head' | 'rows' | undefined
  #head: readonly string[] = []
  #last: { text: string; done?: boolean; at: number } | undefined

  get #section(): Open {
    return this.sections.at(-1)!
  }

  line(given: string, at: number, next: number): void {
    if (this.#skips(given)) return
    const quote = QUOTE.exec(given)?.[0] ?? ''
    const line = given.slice(quote.length)
    const start = at + quote.length
    const sign = line.trimStart()[0]
    const heading = sign === '#' ? HEADING.exec(line) : null
    if (sign === undefined) this.#blank()
    else if (heading) this.#heading(heading[1]!.length, line.slice(heading[0].length), start, next)
    else if (sign === '|') this.#row(line, start)
    else this.#text(line, start)
  }

  /** An item, what belongs to the item above, or a line of its own. */
  #text(line: string, start: number): void {
    this.#table = undefined
    const item = ITEM.exec(line)
    const indent = line.length - line.trimStart().length
    if (item) this.#item(item[1]!.length, line.slice(item[0].length), start + item[0].length)
    else if (this.#last && this.#indent !== undefined && indent > this.#indent)
      this.#last.text += ` ${line.trim()}`
    else if (!/^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/.test(line)) this.#field(line, start)
    else this.#endList()
  }

  #skips(line: string): boolean {
    const fence = FENCE.exec(line)?.[1]
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence) && line.trim() === fence) this.#fence = undefined
      return true
    }
    if (fence !== undefined) {
      this.#fence = fence
      return true
    }
    if (this.#comment || line.trimStart().startsWith('<!--')) {
      this.#comment = !line.includes('-->')
      return true
    }
    return false
  }

  #blank(): void {
    this.#last = undefined
    if (this.#label && this.#label.value !== '') this.#endList()
    this.#table = undefined
  }

  #endList(): void {
    this.#last = undefined
    this.#indent = undefined
    this.#target = undefined
    this.#label = undefined
  }

  #heading(level: number, text: string, at: number, from: number): void {
    this.#endList()
    this.#table = undefined
    const heading = plainText(withoutClosing(text))
    this.sections.push({ level, heading, at, from, fields: [], items: [] })
    const found = fieldOf(heading)
    if (found && found.value !== '') this.#section.fields.push({ ...found, at, kind: 'heading', items: [] })
  }

  #item(indent: number, text: string, at: number): void {
    if (this.#indent !== undefined && indent > this.#indent + 1) return
    this.#indent = Math.min(indent, this.#indent ?? indent)
    const box = BOX.exec(text)
    const ticked = box ? /[xX✓✔]/.test(box[1]!) : undefined
    const rest = box ? text.slice(box[0].length) : text
    const done = ticked ?? markOf(rest)
    this.#last = { text: rest.trim(), ...present({ done }), at }
    if (this.#last.text !== '') (this.#target ?? this.#section.items).push(this.#last)
    if (!box && this.#target === undefined) for (const field of fieldsIn(text)) this.#add(field, at)
  }

  /** A label and its value, or a line of the paragraph below a label. */
  #field(line: string, at: number): void {
    const found = fieldsIn(line)
    const label = this.#last === undefined ? this.#label : undefined
    if (found.length === 0 && label && label.items.length === 0) {
      label.value += label.value === '' ? line.trim() : ` ${line.trim()}`
      return
    }
    this.#endList()
    for (const field of found) this.#add(field, at)
  }

  #add(found: Label, at: number): void {
    const field = { ...found, at: at + found.at, kind: 'line' as const, items: [] }
    this.#section.fields.push(field)
    if (found.value !== '') return
    this.#label = field
    this.#target = field.items
    this.#indent = undefined
  }

  #row(line: string, at: number): void {
    this.#endList()
    if (DIVIDER.test(line)) {
      if (this.#table === 'head') this.#table = 'rows'
      return
    }
    const cells = cellsOf(line)
    const isHead = this.#table !== 'rows'
    if (cells.length === 2 && !(isHead && COLUMN.test(cells[1]!)))
      this.#cell(labelOf(cells[0]!), cells[1]!, 'line', at)
    if (isHead) {
      this.#table = 'head'
      this.#head = cells.map(labelOf)
      return
    }
    if (cells.length > 2)
      for (const [i, cell] of cells.entries()) this.#cell(this.#head[i] ?? '', cell, 'cell', at)
    const text = plainText(cells[0] ?? '')
    const status = cells[this.#head.findIndex((name, i) => i > 0 && /status|state|done|result/.test(name))]
    const done = status === undefined ? undefined : doneOf(plainText(status))
    if (text !== '') this.#section.items.push({ text, ...present({ done }), at })
  }

  #cell(label: string, cell: string, kind: BodyField['kind'], at: number): void {
    if (label === '' || label.length > LABEL_MAX) return
    this.#section.fields.push({ label, value: plainText(cell), at, kind, items: [] })
  }
}

/** Wider tables are data of another kind. */
const COLUMNS_MAX = 40
const COLUMN =
  /^(?:values?|counts?|details?|descriptions?|notes?|status|owner|results?|contents?|info|state|date|total|number)$/i

/** `## Title ##` is the title alone. */
function withoutClosing(text: string): string {
  const trimmed = text.trimEnd()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end--
  return end === 0 || /\s/.test(trimmed[end - 1]!) ? trimmed.slice(0, end) : trimmed
}

function markOf(text: string): boolean | undefined {
  if (TICK.test(text)) return true
  return CROSS.test(text) ? false : undefined
}

function doneOf(status: string): boolean | undefined {
  return markOf(status) ?? (DONE_WORD.test(status) ? true : OPEN_WORD.test(status) ? false : undefined)
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/, COLUMNS_MAX).map((cell) => cell.trim())
}

type Label = Pick<BodyField, 'label' | 'value' | 'at'>

/** All labels with their values on a line. */
function fieldsIn(line: string): readonly Label[] {
  if (line.length > SEVERAL_MAX || !line.includes('**') || !SEVERAL.test(line))
    return [fieldOf(line) ?? []].flat()
  let from = 0
  return line.split(SEVERAL).flatMap((part) => {
    from = line.indexOf(part, from)
    const field = fieldOf(part)
    return field ? [{ ...field, at: from + field.at }] : []
  })
}

/** Label and value of a line. Both `**Label:** value` and `**Label**: value` are written. */
function fieldOf(line: string): Label | undefined {
  const start = line.length - line.trimStart().length
  const colon = line.slice(0, start + LABEL_MAX + 8).search(/[:：]/)
  if (colon <= start) return undefined
  const before = line.slice(start, colon)
  if (/[.!?;,()[\]{}<>"“]/.test(before)) return undefined
  const label = labelOf(before)
  const after = line.slice(colon + 1).replace(/^(?:\*{1,3}|_{1,2})(?=\s|$)/, '')
  // A colon inside a word is an address or a time, no label.
  if (label === '' || label.length > LABEL_MAX || /^\S/.test(after.slice(0, 1)) || /^\d+$/.test(label))
    return undefined
  return { label, value: plainText(after.trim()), at: start }
}

function withTexts(sections: readonly Open[], body: string): readonly Section[] {
  const ends = new Array<number>(sections.length).fill(body.length)
  const open: number[] = []
  for (const [i, { level, at }] of sections.entries()) {
    while (i > 0 && open.length > 0 && sections[open.at(-1)!]!.level >= level) ends[open.pop()!] = at
    if (i > 0 && open.length > 0 && sections[open[0]!]!.level === 0) ends[open.shift()!] = at
    open.push(i)
  }
  return sections.map(({ from, ...section }, i) => {
    let text: string | undefined
    return {
      ...section,
      name: labelOf(section.heading),
      get text() {
        text ??= trimmed(body.slice(from, ends[i]))
        return text
      },
    }
  })
}

/** Without the blank lines around it and the rule that parts it from the next section. */
const trimmed = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .trim()
    .replace(/(?:^|\n)(?:-{3,}|\*{3,}|_{3,})$/, '')
    .trimEnd()
