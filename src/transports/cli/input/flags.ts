import type * as z from 'zod'
import { FIELD_NAMED } from '../../../domain/handoffs/package-fields.ts'
import { present } from '../../../domain/present.ts'
import type { Operation } from '../../../operations/operation.ts'
import type { Flag } from './args.ts'

/** How the text of an option becomes a field of the operation's input. */
export type Kind =
  | 'word'
  /** Free text: `@file` and `-` are read. */
  | 'text'
  | 'number'
  | 'seconds'
  | 'switch'
  /** Any JSON; text that is not JSON stays text where the field takes anything. */
  | 'json'
  | 'anything'
  /** Bytes in base64: `@file` is read as they are. */
  | 'bytes'
  /** Text, or false with `--no-…`. */
  | 'text-or-false'

export interface FieldFlag extends Flag {
  readonly field: string
  readonly kind: Kind
  /** Typed by its place and not as an option. */
  readonly isWord?: boolean
  /** A named part of a field that is an object: `--meeting x` is links.meeting. */
  readonly part?: string
  /** The short form that an item may be written in, when it is not the field's own. */
  readonly short?: string
}

/** An option that a command has beside those of its operation. */
export const added = (flag: Flag): FieldFlag => ({
  field: flag.name.replaceAll('-', '_'),
  kind: flag.placeholder === undefined ? 'switch' : 'word',
  ...flag,
})

/** Longer than a line: then people may want to read it from a file. */
const FREE_TEXT = 2_001

/** Singular spellings that no rule gives. */
const SINGULAR: Readonly<Record<string, string>> = {
  depends_on: 'depends-on',
  tests_run: 'test',
  files_changed: 'file',
  related_thought_records: 'related',
}

/** Options that write one part of a field. */
const PARTS: Readonly<Record<string, readonly FieldFlag[]>> = {
  links: ['meeting', 'skill'].map((part) => ({
    name: part,
    field: 'links',
    kind: 'word',
    part,
    placeholder: 'path',
    about: `The same as --link ${part}=path`,
  })),
  validation_request: [
    {
      name: 'option',
      repeats: true,
      field: 'validation_request',
      kind: 'json',
      part: 'options',
      short: 'links',
      placeholder: 'key=meaning',
      about: 'An option for the person: B="robust, takes longer"',
    },
  ],
}

/** The one option for a text; `--reason` and the other names of fields work too. */
export const TEXT = 'm'
const NOTES_BESIDE = 'Notes, one or two sentences; the work itself goes to --summary'
/** Fields that are this text; of two in one operation it is the first. */
const TEXT_FIELDS = ['reason', 'message', 'comment', 'note', 'notes']

/** The options of an operation, derived from its input. */
export function flagsOf({ input, positional = [] }: Pick<Operation, 'input' | 'positional'>): FieldFlag[] {
  // A question, an answer or a comment is a word and this option too.
  const isSaid = (field: string) =>
    /^(question|text)$/.test(field) && isRequired(input.shape[field] as z.ZodType)
  const text = positional.find(isSaid) ?? TEXT_FIELDS.find((field) => field in input.shape)
  return Object.entries(input.shape).flatMap(([field, schema]) => [
    {
      ...toFlag(field, schema as z.ZodType),
      // A receiver is an option in every command; as a word it is an older form.
      isWord: positional.includes(field) && field !== 'to',
      ...(field === 'notes' && 'summary' in input.shape && { about: NOTES_BESIDE }),
      ...(field === text && {
        name: TEXT,
        also: [dashed(field), ...(field === 'message' ? [] : ['message'])],
      }),
    },
    ...(PARTS[field] ?? []),
  ])
}

function toFlag(field: string, schema: z.ZodType): FieldFlag {
  const plain = shapeOf(schema)
  const shape: Shape = plain.kind === 'number' && field.endsWith('_s') ? { ...plain, kind: 'seconds' } : plain
  const name =
    shape.repeats || field in SINGULAR || FIELD_NAMED.get(field)?.option
      ? singular(field)
      : dashed(shape.kind === 'seconds' ? field.replace(/_s$/, '') : field)
  const about = TYPED[field] ?? describe(schema) ?? FIELD_NAMED.get(field)?.about ?? ABOUT[field]
  return {
    name,
    ...(name !== dashed(field) && { also: [dashed(field)] }),
    field,
    kind: shape.kind,
    // Points are given one by one, and the object is made of them.
    repeats: shape.repeats || field === 'validation_request',
    negatable: shape.kind === 'switch' || shape.kind === 'text-or-false',
    required: isRequired(schema),
    ...present({ about, choices: shape.choices }),
    ...(shape.kind !== 'switch' && {
      placeholder: shape.choices ? 'choice' : placeholderOf(field, shape.kind),
    }),
  }
}

interface Shape {
  readonly kind: Kind
  readonly repeats: boolean
  readonly choices?: readonly string[]
}

/** The parts of zod's many definitions that are looked at here; each kind of schema has some of them. */
interface Definition {
  readonly type: string
  readonly innerType: z.ZodType
  readonly in: z.ZodType
  readonly element: z.ZodType
  readonly options: readonly z.ZodType[]
  readonly entries: Readonly<Record<string, string>>
  readonly values?: readonly unknown[]
}

/** The part of a schema that the command line needs; the operation judges everything else. */
const shapeOf = (schema: z.ZodType): Shape =>
  SHAPES[schema.def.type]?.(schema.def as unknown as Definition, schema) ?? { kind: 'json', repeats: false }

const wrapped = ({ innerType }: Definition): Shape => shapeOf(innerType)
const plain = (kind: Kind) => (): Shape => ({ kind, repeats: false })

const SHAPES: Readonly<Record<string, (def: Definition, schema: z.ZodType) => Shape>> = {
  optional: wrapped,
  default: wrapped,
  nullable: wrapped,
  pipe: (def) => shapeOf(def.in),
  boolean: plain('switch'),
  number: plain('number'),
  int: plain('number'),
  enum: ({ entries }) => ({ kind: 'word', repeats: false, choices: Object.values(entries) }),
  string: (_, schema) => ({ kind: textKind(schema as z.ZodString), repeats: false }),
  array: ({ element }) => ({ ...shapeOf(element), repeats: true }),
  union: ({ options }) => unionShape(options),
  unknown: plain('anything'),
  any: plain('anything'),
  record: () => ({ kind: 'json', repeats: true }),
}

function unionShape(options: readonly z.ZodType[]): Shape {
  const shapes = options.map(shapeOf)
  const list = shapes.find(({ repeats }) => repeats)
  if (list) return list
  const yes = shapes.find(({ kind }) => kind === 'switch')
  if (yes) return yes
  if (options.some((option) => (option.def as unknown as Definition).values?.includes(false)))
    return { kind: 'text-or-false', repeats: false }
  return { kind: 'json', repeats: false }
}

function textKind(schema: z.ZodString): Kind {
  if (schema.format === 'base64') return 'bytes'
  return (schema.maxLength ?? 0) >= FREE_TEXT ? 'text' : 'word'
}

const dashed = (field: string): string => field.replaceAll('_', '-')

const singular = (field: string): string =>
  FIELD_NAMED.get(field)?.option ??
  SINGULAR[field] ??
  dashed(field)
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')

function placeholderOf(field: string, kind: Kind): string {
  if (kind === 'number') return 'number'
  if (kind === 'seconds') return 'time'
  const isData = (kind === 'json' || kind === 'anything') && !FIELD_NAMED.get(field)?.texts
  return PLACEHOLDERS[field] ?? (isData ? 'json' : 'text')
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  to: 'agent',
  from: 'agent',
  id: 'id',
  task: 'task',
  depends_on: 'task',
  parent: 'id',
  supersedes: 'id',
  handoff: 'id',
  evidence: 'deliverable=proof',
  artifacts: 'path',
  checks: 'check',
  links: 'name=path',
  blockers: 'text',
  details: 'text',
  validation_request: 'point',
  gate: 'name',
  silence: 'rule',
  understood: 'text',
  created_files: 'path',
  in_reply_to: 'id',
}

/** How a field is typed that is made of others: its schema speaks to programs. */
const TYPED: Readonly<Record<string, string>> = {
  checks: 'A command that must exit 0, or file:path, sha256:path=hash, evidence:deliverable',
  validation_request: 'A point for the person to validate',
  gate: 'Which gate it is: its name (it holds up the work until a person approves), or advisory:name, auto:name',
  silence: 'When the person does not answer: expire:2d, escalate:4h:maria, reassign:4h:paul (wait)',
  retry:
    'How often and how fast failed work is tried again, such as {"max": 3, "delay_s": 30, "multiplier": 2}',
}

/** Descriptions of fields whose schema has none. */
const ABOUT: Readonly<Record<string, string>> = {
  title: 'Title, in a few words',
  alias: 'An id of its own',
  home: 'The dialect it lives in',
  evidence: 'Proof of a deliverable',
  note: 'Note for the verifier',
  notes: 'Note for the sender',
  reason: 'The reason, for the others and the log',
  output: 'The result as data',
  validation: 'Tests, types and coverage as data',
  next_steps: 'A step that should follow',
  attempt: 'Refuse unless it is this attempt',
  progress: 'Percent',
  message: 'The error',
  comment: 'For the sender',
  tests_run: 'A test that was run',
  files_changed: 'A file that was changed',
  branch: 'Branch with the work',
  commit_sha: 'The full hash of the commit',
}

/** The nearest description: an optional field's own, else that of what it wraps. */
function describe(schema: z.ZodType): string | undefined {
  const inner = (schema.def as { innerType?: z.ZodType }).innerType
  return schema.description ?? (inner && describe(inner))
}

/** Looks at the definition and runs nothing: the first run of a schema is what it costs. */
export const isRequired = (schema: z.ZodType): boolean =>
  !['optional', 'default', 'unknown'].includes(schema.def.type)
