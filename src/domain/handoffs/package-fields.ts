import { present } from '../present.ts'
import type { Package, Result } from './package.ts'

/** A field of the package as people meet it. */
export interface PackageField {
  readonly label: string
  /** The option of the command line, when it is not the singular of the name. */
  readonly option?: string
  /** The option in words, where the schema has none. */
  readonly about?: string
  /** Parts of an item that its author writes. A text alone stands for the first. */
  readonly texts?: readonly [main: string, ...more: string[]]
  /** How views show it: as data, or in a place of its own. */
  readonly view?: 'data' | 'apart'
}

/** Every field of the package, in the order in which people read it. The compiler asks for a new one. */
export const PACKAGE_FIELDS: Readonly<Record<keyof Package, PackageField>> = {
  summary: { label: 'Summary' },
  purpose: { label: 'Purpose', about: 'Purpose of the work' },
  context: { label: 'Context' },
  decisions: { label: 'Decisions', about: 'A decision that was made', texts: ['decision', 'rationale'] },
  open_questions: { label: 'Open questions', option: 'question', texts: ['question', 'context'] },
  validation_request: { label: 'Validate', option: 'validate', view: 'apart' },
  criteria: { label: 'Criteria', option: 'criterion' },
  constraints: { label: 'Constraints', about: 'A limit that must be kept' },
  artifacts: {
    label: 'Files',
    about: 'A file that belongs to it',
    texts: ['path', 'description'],
    view: 'apart',
  },
  links: { label: 'Links' },
  data: { label: 'Data', view: 'data' },
  input: { label: 'Input', view: 'data' },
  deliverables: { label: 'Deliverables', view: 'apart' },
  checks: { label: 'Checks', view: 'apart' },
}

/** The same by name: options and files may carry names that are not fields. */
export const FIELD_NAMED: ReadonlyMap<string, PackageField> = new Map(Object.entries(PACKAGE_FIELDS))

export interface ShownField {
  readonly label: string
  readonly value: unknown
  /** Absent for data, which is shown as it is. */
  readonly lines?: readonly string[]
}

/** The fields of a package that views show alike. */
export function shownFields(pack: Package): readonly ShownField[] {
  return [...FIELD_NAMED].flatMap(([name, { label, texts, view }]): ShownField[] => {
    const value = pack[name as keyof Package]
    if (value === undefined || view === 'apart') return []
    if (view === 'data') return [{ label, value }]
    if (typeof value === 'string') return [{ label, value, lines: [value] }]
    const lines = Array.isArray(value)
      ? value.map((item) => (typeof item === 'object' && texts ? itemLine(item, texts[0]) : String(item)))
      : Object.entries(value as object).map(([key, text]) => `${key}: ${text}`)
    return [{ label, value, lines }]
  })
}

/** An item in one line: `D1: Use Redis (it is there already)`. */
export function itemLine(item: object, main: string): string {
  const { id, [main]: text, ...more } = item as Readonly<Record<string, unknown>>
  const rest = Object.values(more).filter(Boolean).join(', ')
  return [id && `${id}:`, text, rest && `(${rest})`].filter(Boolean).join(' ')
}

/** Fields that a result and a package share: in a return they stand where every package has them. */
export const returnedIn = (given: Package | Result | undefined) =>
  present({ decisions: given?.decisions, artifacts: given?.artifacts })
