import {
  type Document,
  isAlias,
  isMap,
  isNode,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { excessIn } from '../dialects/text/yaml/excess.ts'
import { byPlace } from '../domain/problem.ts'
import type { ConfigProblem } from './file.ts'
import { type SettingProblem, settingProblems } from './issues.ts'
import { type Config, ConfigSchema } from './schema.ts'

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
  const placed = (problem: SettingProblem) =>
    problemAt(offsetOf(document, problem), problem.path.join('.'), problem.message)
  return { problems: inOrder(refused.map(placed)) }
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

function offsetAt(document: Document, path: SettingProblem['path'], part: SettingProblem['part']) {
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

/** A place in the text and what is wrong there. */
interface YamlProblem {
  readonly offset: number
  readonly message: string
}

/** About 1,200 agents with all their settings are 60,000 tokens. Settings are at most six levels deep. */
const YAML_LIMITS = { tokens: 60_000, depth: 32 }
const TOO_MUCH = {
  tokens: 'there are too many settings; keep at most about a thousand agents here',
  depth: 'the settings are nested too deeply; none needs more than six levels',
}

/**
 * The YAML of a `baton.yaml`, which may be anyone's. Neither merges nor aliases nor tags are read: settings
 * need none, and they are how small files grow large.
 */
function readYaml(text: string) {
  const excess = excessIn(text, YAML_LIMITS)
  const lineCounter = new LineCounter()
  const document = parseDocument(excess ? '' : text, {
    schema: 'core',
    merge: false,
    stringKeys: true,
    // The reader's own look-up compares every name with every other.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter,
  })
  if (!excess)
    return { document, lineCounter, problems: [...brokenParts(document), ...unwantedParts(document)] }
  for (const { index } of text.matchAll(/\n/g)) lineCounter.addNewLine(index + 1)
  return { document, lineCounter, problems: [{ offset: excess.at, message: TOO_MUCH[excess.kind] }] }
}

/** How to mend what the reader complains about; its own words do for the rest. */
const MENDED: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used to indent; use spaces',
  BAD_SCALAR_START:
    'the value starts with a sign that YAML keeps for itself; leave it out, or quote the value',
  MULTIPLE_DOCS: 'a second document starts here; remove the line ---',
  NON_STRING_KEY: 'the name of a field is a word; remove the brackets',
  TAG_RESOLVE_FAILED: 'tags (words with a leading !) are not read here; remove the tag, or quote the value',
}

function brokenParts(document: Document): YamlProblem[] {
  return [...document.errors, ...document.warnings].map(({ code, message, pos }) => ({
    offset: pos[0],
    message: MENDED[code] ?? `${message}; check the spaces, colons, brackets and quotes here`,
  }))
}

/** Parts of YAML that settings do not need. */
function unwantedParts(document: Document): YamlProblem[] {
  const problems: YamlProblem[] = []
  const add = (node: unknown, message: string) =>
    problems.push({ offset: isNode(node) ? (node.range?.[0] ?? 0) : 0, message })
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || node.anchor !== undefined)
        add(node, 'anchors and aliases (& and *) are not read here; write the value out, or quote it')
      const names = new Set<string>()
      for (const { key } of isMap(node) ? node.items : []) {
        const name = String(key)
        if (names.has(name)) add(key, 'the field is given twice; keep one of them')
        // The schema passes over this name, so it would be dropped without a word.
        if (name === '__proto__') add(key, '__proto__ cannot be a name; write another')
        names.add(name)
      }
    },
  })
  return problems
}
