import type { ErrorCode } from '../../src/domain/errors.ts'
import type { Home } from '../../src/domain/home.ts'
import type { OperationName } from '../../src/operations/index.ts'
import type { World } from './world.ts'

/** Every way by which somebody can ask something of a workspace. */
export const SURFACES = [
  'command line',
  'MCP',
  'HTTP',
  'TypeScript',
  'file: markdown',
  'file: queue',
  'file: package',
  'import: markdown',
  'import: queue',
  'import: block',
  'import: writeback',
  'import: package',
  'collect',
  'task import',
] as const
export type Surface = (typeof SURFACES)[number]

/** The kinds of rules that every surface must keep. */
export const KINDS = [
  'sending',
  'gates',
  'limits',
  'routes',
  'who may act',
  'evidence',
  'checks',
  'retries',
  'writeback before done',
  'returns',
  'secrets',
  'size',
] as const

/** A text that a surface is given, made from what the workspace holds. */
type Given = (world: World) => string | Promise<string>

/** Refused, with the code and the sentence of the rule. */
interface Refused {
  readonly is: 'refused'
  /** Writes the file, or answers the document, that breaks the rule. Calls take what the rule asks. */
  readonly by?: Given
  /** The sentence here, where another rule answers first. */
  readonly sentence?: string
  /** The code here, where another rule answers first. */
  readonly code?: ErrorCode
  /** Why the sentence is another one. */
  readonly why?: string
  /** The acts that the refusal leaves in the log, where they are not those of its surface. */
  readonly trace?: readonly string[]
}

/** A state that was reached elsewhere is taken as it is. */
interface Adopts {
  readonly is: 'adopts'
  readonly by: Given
  /** What the table promises of it. */
  readonly why: string
  /** Proves it. */
  readonly holds: (world: World) => Promise<void>
}

/** The format's own answer to a broken rule: a step that says the same sentence. */
interface Answers {
  readonly is: 'answers'
  readonly by: Given
  readonly why: string
  readonly holds: (world: World, sentence: string) => Promise<void>
}

/** Nothing that this surface takes can break the rule. */
interface Cannot {
  readonly is: 'cannot'
  readonly why: string
}

/** Not as it should be. The test holds today's behaviour, so that a change is seen. */
interface Open {
  readonly is: 'open'
  readonly by?: Given
  readonly why: string
  readonly holds: (world: World) => Promise<void>
}

export type Cell = Refused | Adopts | Answers | Cannot | Open
/** A surface that is left out does not compile. */
export type Cells = Readonly<Record<Surface, Cell>>

export interface Rule {
  readonly kind: (typeof KINDS)[number]
  /** The rule as a sentence. */
  readonly rule: string
  /** The format of the handoffs that calls break it with; native unless said. */
  readonly home?: Home
  readonly code: ErrorCode
  readonly sentence: string
  /** Lines of `baton.yaml`. */
  readonly settings?: string
  /** The situation, made by calls that succeed. */
  readonly prepare?: (world: World) => Promise<void>
  /** The refusal shows the caller something, and the same call passes after it. */
  readonly isOnce?: true
  /** The forbidden call. */
  readonly asked: { readonly as: string; readonly op: OperationName; readonly input: object }
  readonly cells: Cells
}

export const cannot = (why: string): Cell => ({ is: 'cannot', why })
export const refused = (by: Given, other: Omit<Refused, 'is' | 'by'> = {}): Cell => ({
  is: 'refused',
  by,
  ...other,
})

/** The four surfaces that take the call itself. */
export const CALLS = {
  'command line': { is: 'refused' },
  MCP: { is: 'refused' },
  HTTP: { is: 'refused' },
  TypeScript: { is: 'refused' },
} as const satisfies Partial<Record<Surface, Cell>>
