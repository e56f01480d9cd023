import { DEFAULT_POLICY } from '../domain/policy.ts'
import type { Config } from './config.ts'

type Effect = 'restricts' | 'grants' | 'neither'

/** An answer for every setting below `T`; one answer may stand for a whole branch. */
type Table<T> =
  | Effect
  | ((value: unknown) => Effect)
  | (NonNullable<T> extends readonly (infer Item)[]
      ? { readonly items: Table<Item>; readonly by: readonly (keyof Item)[] }
      : string extends keyof NonNullable<T>
        ? { readonly names: Table<NonNullable<T>[keyof NonNullable<T>]> }
        : { readonly [Key in keyof Required<NonNullable<T>>]: Table<NonNullable<T>[Key]> })

type Verification = NonNullable<Config['verification']>

/** A rule that holds without a file is not a grant. */
const isUsual = ({ verifiers, chief }: Verification): boolean =>
  `${verifiers ?? DEFAULT_POLICY.verifiers} ${chief ?? DEFAULT_POLICY.chief}` ===
  `${DEFAULT_POLICY.verifiers} ${DEFAULT_POLICY.chief}`

/**
 * Every setting restricts agents, grants something to them or to a file, or does neither. The list of agents restricts
 * by itself. A setting of the schema without an answer does not compile.
 */
// biome-ignore format: read as a table
export const SETTINGS = {
  agents: { names: {
    kind:         (kind) => (kind === 'human' ? 'grants' : 'neither'),
    roles:        'grants',
    capabilities: 'neither',
    limits:       'restricts',
    phase:        'neither',
  } },
  default_limits: 'restricts',
  verification:   (rules) => (isUsual(rules as Verification) ? 'neither' : 'grants'),
  deadlines:      'restricts',
  routes:         'restricts',
  depth_limit:    'restricts',
  dialect:        'neither',
  folders:        { items: { dialect: 'neither', path: 'neither', format: 'neither', accept: 'grants' }, by: ['dialect', 'path'] },
  formats:        'neither',
  people:         { remind: 'neither', silence: (silence) => ((silence as Values).policy === 'wait' ? 'neither' : 'grants') },
  notify:         'grants',
  store:          'grants',
  workspace:      'restricts',
  workspaces:     'grants',
  checks:         { commands: 'grants' },
  tasks:          { rules: (rules) => (rules === 'repository' ? 'grants' : 'restricts') },
  runners:        'grants',
  server:         'grants',
  install:        'neither',
} satisfies Table<Config>

/** The settings of a file that need a person's trust: their paths, in order, and their values. */
export type Guarded = Readonly<Record<string, unknown>>

interface Leaf {
  readonly path: readonly string[]
  readonly answer: Effect
  readonly value: unknown
}

type Values = Readonly<Record<string, unknown>>

function leavesOf(table: unknown, value: unknown, path: readonly string[] = []): readonly Leaf[] {
  if (value === undefined || value === null) return []
  if (typeof table !== 'object') {
    const answer = typeof table === 'function' ? table(value) : table
    // A grant of nothing asks for nothing.
    const isNothing = answer === 'grants' && Array.isArray(value) && value.length === 0
    return [{ path, answer: isNothing ? 'neither' : answer, value }]
  }
  const { names, items, by = [] } = table as { names?: unknown; items?: unknown; by?: readonly string[] }
  if (items)
    return (value as readonly Values[]).flatMap((item) =>
      leavesOf(items, item, [...path, by.map((key) => item[key]).join(' ')]),
    )
  const listed = names ? [{ path, answer: 'restricts' as const, value: {} }] : []
  const below = Object.entries(names ? (value as Values) : (table as Values)).flatMap(([key, each]) =>
    names
      ? [{ ...listed[0]!, path: [...path, key] }, ...leavesOf(names, each, [...path, key])]
      : leavesOf(each, (value as Values)[key], [...path, key]),
  )
  return [...listed, ...below]
}

const leafKey = ({ path }: Pick<Leaf, 'path'>): string => path.join('\n')
const toGuarded = (leaves: readonly Leaf[]): Guarded =>
  Object.fromEntries(
    leaves.map((leaf) => [leafKey(leaf), leaf.value] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The guarded part of a file: files that agree in it are trusted alike. */
export const guardedOf = (config: Config): Guarded =>
  toGuarded(leavesOf(SETTINGS, config).filter(({ answer }) => answer !== 'neither'))

/** Nothing in it needs trust. */
export const needsNoTrust = (config: Config): boolean => Object.keys(guardedOf(config)).length === 0

export const restrictionsOf = (config: Config): Guarded =>
  toGuarded(leavesOf(SETTINGS, config).filter(({ answer }) => answer === 'restricts'))

/** A guarded setting as people name it: `folders[].accept`. */
export const settingName = (key: string): string => {
  const [first, second, third] = key.split('\n')
  if (third !== undefined) return `${first}[].${third}`
  return second === undefined || first === 'agents' ? first! : `${first}.${second}`
}

/**
 * A text that is not trusted, with the guarded settings of the last trusted version in place of its own. Where there
 * was none, the text may restrict and not grant. The settings that `covered` names are the text's own.
 */
export function inForce(
  config: Config,
  trusted: Guarded | undefined,
  covered: readonly string[] = [],
): { readonly config: Config; readonly leftOut: readonly string[] } {
  const leaves = leavesOf(SETTINGS, config)
  const asked = guardedOf(config)
  const isCovered = (key: string): boolean => covered.includes(settingName(key))
  const before = trusted ?? restrictionsOf(config)
  const believed: Guarded = Object.fromEntries([
    ...Object.entries(before).filter(([key]) => !isCovered(key)),
    ...Object.entries(asked).filter(([key]) => isCovered(key)),
  ])
  const above = (path: readonly string[]): string => path.slice(0, 2).join('\n')
  const result: Record<string, unknown> = {}
  for (const leaf of leaves) {
    const [key, { path, answer, value }] = [leafKey(leaf), leaf]
    if (key in believed) putLeaf(result, path, believed[key])
    else if (answer === 'neither' && (path[0] !== 'agents' || above(path) in believed))
      putLeaf(result, path, value)
  }
  const known = new Set(leaves.map(({ path }) => above(path)))
  for (const [key, value] of Object.entries(believed)) {
    const path = key.split('\n')
    if (path[0] !== 'folders' || known.has(above(path))) putLeaf(result, path, value)
  }
  if (result.folders) result.folders = Object.values(result.folders)
  const keys = [...new Set([...Object.keys(asked), ...Object.keys(believed)])]
  const differing = keys.filter((key) => JSON.stringify(asked[key]) !== JSON.stringify(believed[key]))
  return { config: result as Config, leftOut: [...new Set(differing.map(settingName))] }
}

function putLeaf(into: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown) {
  if (!Object.hasOwn(into, key)) into[key] = rest.length === 0 ? structuredClone(value) : {}
  if (rest.length > 0) putLeaf(into[key] as Record<string, unknown>, rest, value)
}
