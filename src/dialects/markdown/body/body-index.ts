import { labelsOf, markdownRow } from '../table.ts'
import { type BodyField, type BodyItem, labelOf, type Section, sectionsOf } from './body.ts'
import { type HeadingParts, headingParts } from './headings.ts'

/** A value in the body and its offset there. */
export interface BodyValue {
  readonly value: string
  readonly at: number
  /** It stands below a heading and may be the beginning of a text. */
  readonly isBelow?: boolean
}

interface BodyEntry {
  readonly field: BodyField
  /** In the part of the document in which people keep its data. */
  readonly isTop: boolean
}

/** Sections of data rather than of text. */
const META =
  /^(?:meta ?data|header|info(?:rmation)?|details|handoff(?: (?:details|info(?:rmation)?|metadata|summary))?|identification|routing|participants|parties|agents|status|lifecycle|general|overview|timeline|at a glance)$/

/** A line below a heading can be a value; a paragraph cannot. */
const VALUE_MAX = 80

/** The fields and sections of a body, by what they are called. */
export class BodyIndex {
  readonly sections: readonly Section[]
  /** What the heading says that names the document. */
  readonly heading: HeadingParts
  readonly headingAt: number
  readonly #entries: ReadonlyMap<string, readonly BodyEntry[]>
  /** Below the title, by the first word of the heading. */
  readonly #byWord: ReadonlyMap<string, readonly Section[]>

  constructor(body: string) {
    this.sections = sectionsOf(body)
    const title = titleSection(this.sections)
    this.heading = headingParts(title?.heading ?? '')
    this.headingAt = title?.at ?? 0
    const first = this.sections.findIndex(({ level }) => level > 0)
    const entries = this.sections.flatMap(({ fields, name }, i) => {
      const isTop = i === 0 || i === first || META.test(name)
      const said = fields.filter(({ value, items }) => value !== '' || items.length > 0)
      return said.map((field) => ({ field, isTop: isTop || field.kind === 'heading' }))
    })
    this.#entries = Map.groupBy(entries, ({ field }) => field.label)
    const below = this.sections.filter(({ level }) => level > 1)
    this.#byWord = Map.groupBy(below, ({ name }) => firstWord(name))
  }

  /** The line that says it. Elsewhere than at the top it must be the only one that does. */
  field(key: string): BodyField | undefined {
    const top = this.topField(labelsOf(key))
    if (top) return top
    const below = labelsOf(key)
      .flatMap((label) => this.#entries.get(label) ?? [])
      .filter(({ field }) => field.kind === 'line')
    return below.length === 1 ? below[0]!.field : undefined
  }

  /** A line whose label says it only where nothing better does. */
  weakField(key: string): BodyField | undefined {
    return this.topField((markdownRow(key).weak ?? []).map(labelOf))
  }

  /** The first line at the top that has one of the labels, best label first. */
  topField(labels: readonly string[]): BodyField | undefined {
    for (const label of labels) {
      const entry = this.#entries.get(label)?.find(({ isTop, field }) => isTop && field.kind !== 'cell')
      if (entry) return entry.field
    }
    return undefined
  }

  /** A value after a label, or alone below a heading of that name. */
  line(key: string): BodyValue | undefined {
    const field = this.field(key)
    if (field && field.value !== '') return field
    for (const label of labelsOf(key)) {
      const section = this.#sectionsOf(label).find(({ name }) => name === label)
      const line = section?.text
        .split('\n', 1)[0]
        ?.replace(/^[-*+]\s+/, '')
        .trim()
      if (section && line && line.length <= VALUE_MAX) return { value: line, at: section.at, isBelow: true }
    }
    return undefined
  }

  /** What a column of a table says, if all its rows say the same. */
  column(key: string): BodyValue | undefined {
    for (const label of labelsOf(key)) {
      const cells = (this.#entries.get(label) ?? []).filter(({ field }) => field.kind === 'cell')
      const first = cells[0]?.field
      if (first && cells.every(({ field }) => field.value === first.value)) return first
    }
    return undefined
  }

  /** The section that holds a text or a list, by the first words of its heading. */
  section(key: string): Section | undefined {
    for (const name of markdownRow(key).sections ?? []) {
      const section = this.#sectionsOf(name).find(
        (each) => (each.name === name || each.name.startsWith(`${name} `)) && each.text !== '',
      )
      if (section) return section
    }
    return undefined
  }

  /** Items of a section and of those below it; those below labels, such as `Notes:`, only where there are no others. */
  itemsBelow(section: Section): readonly BodyItem[] {
    const start = this.sections.indexOf(section)
    let end = start + 1
    while (end < this.sections.length && this.sections[end]!.level > section.level) end++
    const sections = this.sections.slice(start, end)
    const items = sections.flatMap((each) => each.items)
    return items.length > 0 ? items : sections.flatMap(({ fields }) => fields.flatMap((field) => field.items))
  }

  #sectionsOf(name: string): readonly Section[] {
    return this.#byWord.get(firstWord(name)) ?? []
  }
}

const firstWord = (name: string): string => name.split(' ', 1)[0]!

/** The first heading that speaks of a handoff, else the first of all that is one of the document. */
function titleSection(sections: readonly Section[]): Section | undefined {
  const named = sections.find(
    ({ level, heading }) => (level === 1 || level === 2) && headingParts(heading).isHandoff,
  )
  return named ?? sections.find(({ level }) => level === 1)
}
