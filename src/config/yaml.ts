import { type Document, isAlias, isMap, isNode, LineCounter, parseDocument, visit } from 'yaml'
import { excessIn } from '../dialects/text/yaml/excess.ts'

/** A place in the text and what is wrong there. */
export interface YamlProblem {
  readonly offset: number
  readonly message: string
}

export interface ConfigYaml {
  readonly document: Document
  readonly lineCounter: LineCounter
  readonly problems: readonly YamlProblem[]
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
export function readYaml(text: string): ConfigYaml {
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
