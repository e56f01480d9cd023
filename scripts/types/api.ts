// The public interface of the package: every export of its entries with its comment, read from the sources.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { typeWord, wordFor } from './field-words.ts'
import { pascalOf, publicTypes } from './public-types.ts'

const SRC = join(import.meta.dirname, '../../src')

/** The entries of the package and the files behind them. */
export const ENTRIES: Readonly<Record<string, string>> = {
  batonpass: 'index.ts',
  'batonpass/client': 'client.ts',
  'batonpass/queue': 'queue.ts',
  'batonpass/documents': 'documents.ts',
  'batonpass/testing': 'test-kit.ts',
}

export interface Shown {
  readonly name: string
  readonly kind: string
  readonly comment: string
  /** The declaration without its members. */
  readonly code: string
  readonly members: readonly Member[]
  /** The file that declares it. */
  readonly file: string
}

export interface Member {
  readonly name: string
  readonly code: string
  readonly comment: string
}

interface Place {
  readonly file: string
  readonly name: string
}

/** A type that names the input or output of an operation. */
const NAMED = /^type \w+ = (Omit<)?Operation(Input|Output)<'(\w+)'>/

/** What each entry exports, in the order of names. */
export async function publicApi(): Promise<Readonly<Record<string, readonly Shown[]>>> {
  const { text, derived } = await publicTypes()
  const shownAt = ({ file, name }: Place, shownAs: string): Omit<Shown, 'file'> => {
    if (derived.get(file)?.includes(name)) return declared(text, name, shownAs)
    const found = declared(read(file), name, shownAs)
    const [, omits, part = '', operation = ''] = NAMED.exec(found.code) ?? []
    if (operation === '') return found
    const { members } = declared(text, `${pascalOf(operation)}${part}`, shownAs)
    return { ...found, members: members.filter((member) => !(omits && member.name === 'id')) }
  }
  const shown = Object.entries(ENTRIES).map(([entry, file]) => {
    const exported = [...exportsOf(file)].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    return [entry, exported.map(([name, place]) => ({ ...shownAt(place, name), file: place.file }))] as const
  })
  return Object.fromEntries(shown)
}

/** Gives the declarations of a build the comments that their sources lack. */
export function describeDeclarations(folder: string): void {
  const places = Object.values(ENTRIES).flatMap((file) => [...exportsOf(file)])
  for (const [shownAs, { file, name }] of places) {
    const path = join(folder, file.replace(/\.ts$/, '.d.ts'))
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const lines = text.split('\n')
    const start = lines.findIndex((line) =>
      new RegExp(`^export (?:interface|type|declare \\w+) ${name}\\b`).test(line),
    )
    if (start < 0) continue
    const end = /\{$/.test(lines[start] ?? '') ? lines.indexOf('}', start) : start
    const described = lines.flatMap((line, at) => {
      if (at < start || at > end || /\*\/$/.test(lines[at - 1] ?? '')) return [line]
      const field = /^ {4}(?:readonly )?'?([\w~]+)'?\??:/.exec(line)?.[1]
      const word = at === start ? typeWord(shownAs) : field && wordFor(shownAs, field)
      return word ? [`${at === start ? '' : '    '}/** ${word} */`, line] : [line]
    })
    writeFileSync(path, described.join('\n'))
  }
}

const read = (file: string): string => readFileSync(join(SRC, file), 'utf8')

/** The names that a file exports, each with the place of its declaration. */
function exportsOf(file: string): ReadonlyMap<string, Place> {
  const text = read(file)
  const found = new Map<string, Place>()
  for (const [, name = ''] of text.matchAll(
    /^export (?:async )?(?:function|class|interface|type|const) (\w+)/gm,
  ))
    found.set(name, { file, name })
  for (const [, from = ''] of text.matchAll(/^export type \* from '(.+)'/gm))
    for (const [name, place] of exportsOf(posix.join(posix.dirname(file), from))) found.set(name, place)
  const lists = /^export (?:type )?\{([^}]*)\}(?: from '(.+)')?/gm
  for (const [, list = '', from] of text.matchAll(lists))
    for (const { local, given } of namesIn(list)) found.set(given, placeOf(file, local, from))
  return found
}

function namesIn(list: string): readonly { readonly local: string; readonly given: string }[] {
  return list
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [local = '', given = local] = each.split(' as ')
      return { local, given }
    })
}

/** Follows a name through imports and exports to the file that declares it. */
function placeOf(file: string, name: string, from?: string): Place {
  const there = from ?? importOf(file, name)
  if (there === undefined) return { file, name }
  const next = posix.join(posix.dirname(file), there)
  return exportsOf(next).get(name) ?? { file: next, name }
}

function importOf(file: string, name: string): string | undefined {
  for (const [, list = '', from] of read(file).matchAll(/^import (?:type )?\{([^}]*)\} from '(\..+)'/gm))
    if (namesIn(list).some(({ local }) => local === name)) return from
  return undefined
}

/** One declaration: its comment, its head and its public members. */
function declared(text: string, name: string, shownAs: string): Omit<Shown, 'file'> {
  const start = new RegExp(
    `^(?<comment>/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n(?://.*\\n)?)?export (?<kind>(?:async )?(?:function|class|interface|type|const)) ${name}\\b`,
    'm',
  ).exec(text)
  if (!start?.groups) throw new Error(`${name} was not found`)
  const kind = (start.groups.kind ?? '').replace('async ', '')
  const rest = text.slice(start.index + (start.groups.comment?.length ?? 0))
  const comment = commentText(start.groups.comment ?? '')
  const isBody = kind === 'class' || kind === 'interface'
  const lines = rest.split('\n')
  const last = lines.findIndex((line, i) => (isBody ? line === '}' : endsAt(lines, i, kind)))
  const whole = lines.slice(0, last + 1)
  const open = whole.findIndex((line) => line.endsWith('{'))
  return {
    name: shownAs,
    kind,
    comment: comment || (typeWord(shownAs) ?? ''),
    code: isBody ? headOf(whole.slice(0, open + 1).join('\n')) : headOf(whole.join('\n')),
    members: isBody ? membersOf(whole.slice(open + 1, -1), shownAs) : [],
  }
}

/** A function's head ends before its body; a type and a constant end before the next empty line or declaration. */
function endsAt(lines: readonly string[], at: number, kind: string): boolean {
  if (kind === 'function') return lines[at]?.endsWith('{') === true && balanced(lines.slice(0, at + 1))
  const next = lines[at + 1]
  return (
    next === undefined ||
    next === '' ||
    /^(?:export|\/\*\*|\/\/|function|const|type|interface) /.test(next) ||
    next.startsWith('/**')
  )
}

const balanced = (lines: readonly string[]): boolean => {
  const text = lines.join('\n')
  return text.split('(').length === text.split(')').length
}

const headOf = (code: string): string =>
  code
    .replace(/^export (?:async )?/, '')
    .replace(/ (?:= )?\{$/, '')
    // A default is an optional argument to the caller.
    .replaceAll(/(\b\w+): ([^=,()]+?) = (?:\{\}|[^,)\s]+)/g, '$1?: $2')

const commentText = (comment: string): string =>
  comment
    .replace(/^\s*\/\*\*\s?/, '')
    .replace(/\s*\*\/\s*(?:\/\/.*\s*)?$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()

/** The public members of a body, each with its comment; of a method with several forms all of them. */
function membersOf(lines: readonly string[], owner: string): readonly Member[] {
  const indent = /^( +)\S/.exec(lines.find((line) => line !== '') ?? '')?.[1] ?? '  '
  const found = new Map<string, { codes: string[]; comment: string; hasBody: boolean[] }>()
  let comment: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const trimmed = line.slice(indent.length)
    if (!line.startsWith(indent) || /^[\s})]/.test(trimmed)) continue
    if (trimmed.startsWith('/**')) {
      comment = []
      do comment.push(lines[at] ?? '')
      while (!lines[at++]?.includes('*/'))
      at -= 1
      continue
    }
    const name = /^(?:(?:readonly|override|async|get|static) )*['"]?([a-zA-Z~]\w*)['"]?[?(<:]?/.exec(
      trimmed,
    )?.[1]
    if (name === undefined || /#|^(?:constructor|static)\b/.test(trimmed)) continue
    let end = at
    while (!balanced(lines.slice(at, end + 1)) && end < lines.length) end += 1
    const code = lines
      .slice(at, end + 1)
      .map((each) => each.slice(indent.length))
      .join('\n')
    if (/[:<] \{$|: Record<string, \{$/.test(code) && !code.includes('(')) {
      const close = lines.findIndex((each, i) => i > at && each.startsWith(`${indent}}`))
      const below = membersOf(lines.slice(at + 1, close), name)
      const after = /^\}(\[\])?/.exec(lines[close]?.slice(indent.length) ?? '')?.[1] ?? ''
      found.set(name, {
        codes: [code.replace(/\{$/, `object${after}`)],
        comment: commentText(comment.join('\n')),
        hasBody: [false],
      })
      for (const each of below)
        found.set(`${name}.${each.name}`, { codes: [each.code], comment: each.comment, hasBody: [false] })
      comment = []
      at = close
      continue
    }
    const known = found.get(name) ?? { codes: [], comment: '', hasBody: [] }
    known.comment ||= commentText(comment.join('\n'))
    known.codes.push(memberCode(code))
    known.hasBody.push(/\{$/.test(code) && code.includes('('))
    found.set(name, known)
    comment = []
    at = end
  }
  return [...found].map(([name, { codes, comment: said, hasBody }]) => ({
    name,
    // The form with a body is not one that callers see when there are others.
    code: (codes.length > 1 ? codes.filter((_, i) => !hasBody[i]) : codes).join('\n'),
    comment: said || (wordFor(owner, name) ?? ''),
  }))
}

const memberCode = (code: string): string =>
  headOf(code.replace(/^(?:(?:override|async) )+/, '').replace(/^get (\w+)\(\)/, 'readonly $1'))

/** The page of the reference. */
export async function apiPage(): Promise<readonly string[]> {
  const api = await publicApi()
  const seen = new Set<string>()
  const keyOf = ({ file, name }: Shown) => `${file} ${name}`
  return [
    'Every export of the package with its comment. The inputs of operations are in [operations](operations.md).',
    '',
    ...Object.entries(api).flatMap(([entry, all]) => {
      const here = all.filter((each) => !seen.has(keyOf(each)))
      const same = all.filter((each) => !here.includes(each)).map(({ name }) => `\`${name}\``)
      for (const each of here) seen.add(keyOf(each))
      return [
        `## ${entry}`,
        '',
        ...(same.length > 0 ? [`As in \`batonpass\`: ${same.join(', ')}.`, ''] : []),
        ...here.flatMap(described),
      ]
    }),
  ]
}

const code = (text: string): readonly string[] => ['```ts', text, '```', '']
const cell = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')

function described({ name, kind, comment, code: head, members }: Shown): readonly string[] {
  const methods = members.filter((member) => member.code.includes('('))
  const fields = members.filter((member) => !methods.includes(member))
  return [
    `### ${name}`,
    '',
    ...code(kind === 'const' ? (head.split('\n')[0] ?? '').replace(/ = [{[].*$/, '') : head),
    comment,
    '',
    ...(fields.length > 0 ? ['| field | type | |', '|---|---|---|'] : []),
    ...fields.map(({ name: field, code: text, comment: said }) => {
      const type = text.replace(/^readonly /, '').replace(/^['"]?[\w~.]+['"]?/, '')
      const mark = type.startsWith('?') ? '?' : ''
      return `| \`${field}${mark}\` | \`${cell(type.replace(/^\??: ?/, ''))}\` | ${cell(said)} |`
    }),
    ...(fields.length > 0 ? [''] : []),
    ...methods.flatMap((each) => [`#### ${name}.${each.name}`, '', ...code(each.code), each.comment, '']),
  ]
}
