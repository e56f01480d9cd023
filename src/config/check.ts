import { type Document, isMap, isNode, type Pair, type YAMLMap } from 'yaml'
import { byPlace } from '../domain/problem.ts'
import type { ConfigProblem } from './file.ts'
import { type SettingProblem, settingProblems } from './issues.ts'
import { type Config, ConfigSchema } from './schema.ts'
import { readYaml } from './yaml.ts'

export type CheckedConfig =
  | { readonly config: Config }
  | { readonly config?: never; readonly problems: readonly ConfigProblem[] }

/** A checked configuration, or everything that is wrong with it. Loads `yaml` and `zod`: come here late. */
export function checkConfig(text: string, knowsKey: KnowsKey = () => true): CheckedConfig {
  const { document, lineCounter, problems } = readYaml(text)
  const problemAt = (offset: number, field: string, message: string): ConfigProblem => {
    const { line, col } = lineCounter.linePos(offset)
    return { line, column: col, field, message }
  }
  if (problems.length > 0)
    return { problems: inOrder(problems.map(({ offset, message }) => problemAt(offset, '', message))) }

  const raw = withoutEmpty(document.toJS({ maxAliasCount: 0 }) ?? {})
  const checked = ConfigSchema.safeParse(raw)
  const refused = checked.success
    ? strangeKeys(checked.data, knowsKey)
    : checked.error.issues.flatMap((issue) => settingProblems(issue, raw))
  if (checked.success && refused.length === 0) return { config: checked.data }
  return {
    problems: inOrder(
      refused.map((problem) =>
        problemAt(offsetOf(document, problem), problem.path.join('.'), problem.message),
      ),
    ),
  }
}

type KnowsKey = (base: NonNullable<Config['formats']>[string]['base'], key: string) => boolean

/** Keys that a team's own format maps to nothing. */
const strangeKeys = ({ formats = {} }: Config, knowsKey: KnowsKey): readonly SettingProblem[] =>
  Object.entries(formats).flatMap(([name, { base, keys }]) =>
    Object.entries(keys)
      .filter(([, key]) => !knowsKey(base, key))
      .map(([mine, key]) => ({
        path: ['formats', name, 'keys', mine],
        part: 'value' as const,
        message: `${key} is not a key of the ${base} format; see docs/generated/fields.md`,
      })),
  )

const inOrder = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] => [...problems].sort(byPlace)

/** A heading whose lines are all commented out says nothing, so it is as if it were not there. */
function withoutEmpty(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
}

/** The offset of a field's name or value; for a missing field, the offset of its parent. */
function offsetOf(document: Document, { path, part }: SettingProblem): number {
  for (let depth = path.length; depth > 0; depth--) {
    const offset = offsetAt(document, path.slice(0, depth), depth === path.length ? part : 'value')
    if (offset !== undefined) return offset
  }
  return isNode(document.contents) ? (document.contents.range?.[0] ?? 0) : 0
}

function offsetAt(
  document: Document,
  path: SettingProblem['path'],
  part: SettingProblem['part'],
): number | undefined {
  const parent = document.getIn(path.slice(0, -1), true)
  const pair = isMap(parent) ? pairsOf(parent).get(String(path.at(-1))) : undefined
  const value = pair ? pair.value : document.getIn(path, true)
  const node = pair && (part === 'key' || !isNode(value)) ? pair.key : value
  return isNode(node) ? node.range?.[0] : undefined
}

/** By name, kept for the next question: a file of a thousand mistakes asks a thousand times. */
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>()

function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  const index = indexes.get(map) ?? new Map(map.items.map((pair) => [String(pair.key), pair]))
  indexes.set(map, index)
  return index
}
