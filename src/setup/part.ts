import { isDeepStrictEqual } from 'node:util'
import { isMapping } from '../dialects/text/tree.ts'
import { BatonError } from '../domain/errors.ts'
import {
  type Change,
  editSettings,
  isBlank,
  listAt,
  type Mapping,
  mappingAt,
  readSettings,
} from './json-edit.ts'
import { HASH_MARKS, MARKDOWN_MARKS, withoutSection, withSection } from './section.ts'
import { withoutTable, withTable } from './toml-edit.ts'

/** Baton's part of one file, with how to add and remove it. Both leave the rest as it is. */
export interface Part {
  /** From the root of the project, or after `~/` from the person's home; with forward slashes. */
  readonly file: string
  readonly why: string
  add(text: string): string
  remove(text: string): string
}

/** Several parts of one file, one after the other. */
export const together = (file: string, parts: readonly Part[]): Part => ({
  file,
  why: [...new Set(parts.map(({ why }) => why))].join(', '),
  add: (text) => parts.reduce((now, part) => part.add(now), text),
  remove: (text) => parts.reduceRight((now, part) => part.remove(now), text),
})

/** The entry of the server below `key`; what else the person wrote into it stays. */
export function serverPart(file: string, key: string, entry: Mapping): Part {
  const path = [key, 'baton']
  const list = Array.isArray(entry.command) ? 'command' : 'args'
  const isOurs = (value: unknown): value is Mapping =>
    isMapping(value) && [value.command].flat()[0] === [entry.command].flat()[0]
  return {
    file,
    why: 'the MCP server',
    add(text) {
      const servers = mappingAt(readSettings(text, file), [key], file)
      const { baton } = servers
      if (baton === undefined) return editSettings(text, [{ path, value: entry }])
      const other = `${file} has a server named baton of its own in ${key}; rename or remove it first`
      if (!isOurs(baton)) throw new BatonError('conflict', other, { file })
      const changed = Object.entries(entry).filter(([name]) => name === list || !Object.hasOwn(baton, name))
      return editSettings(
        text,
        changed.map(([name, value]) => ({ path: [...path, name], value })),
      )
    },
    remove(text) {
      const servers = mappingAt(readSettings(text, file), [key], file)
      const gone = Object.keys(servers).length === 1 ? [key] : path
      return isOurs(servers.baton) ? editSettings(text, [{ path: gone, value: undefined }]) : text
    },
  }
}

/** One hook: the agent's own word for the event, and the command of Baton for it. */
export interface Hook {
  readonly event: string
  /** How a command of ours for this event starts, so that an older one is found again. */
  readonly starts: string
  /** The entry in the list of the event. */
  readonly entry: Mapping
}

const isOurHook = (entry: unknown, starts: string): boolean =>
  isMapping(entry) &&
  (isCommand(entry.command ?? entry.bash, starts) ||
    (Array.isArray(entry.hooks) &&
      entry.hooks.length > 0 &&
      entry.hooks.every((hook) => isMapping(hook) && isCommand(hook.command, starts))))

/** An older version wrote the command alone, without looking first whether it is there. */
const isCommand = (command: unknown, starts: string): boolean =>
  typeof command === 'string' &&
  `${command.replace(IF_INSTALLED, '').replace(/^d=.*? exit 0; /, '')} `.startsWith(`${starts} `)

/** The shell's answer to a missing command (127) makes Gemini CLI ask its model again, for ever. */
export const IF_INSTALLED = 'command -v baton >/dev/null || exit 0; '

/** After each tool a shell looks for files, here or above; only where there is news for its session does it start a program. */
export const ifNews = (agent: string): string =>
  `${NEWS_FOLDER}for f in "$d/.baton/news/${agent}" ~/.baton/news/${agent} ""; do [ -e "$f" ] && break; [ -e "$f@rest" ] && [ ! -e "$f@seen-$PPID" ] && break; done; [ "$f" ] || exit 0; `
const NEWS_FOLDER = `d="\${CLAUDE_PROJECT_DIR:-$PWD}"; until [ -d "$d/.baton/news" ]; do case "$d" in */*) d="\${d%/*}";; *) break;; esac; done; `

export function hooksPart(file: string, hooks: readonly Hook[]): Part {
  return {
    file,
    why: 'the hooks',
    add: (text) => {
      const settings = readSettings(text, file)
      return editSettings(
        text,
        hooks.map(({ event, starts, entry }): Change => {
          const list = listAt(settings, ['hooks', event], file)
          const at = list.findIndex((each) => isOurHook(each, starts))
          return { path: ['hooks', event, at === -1 ? list.length : at], value: entry }
        }),
      )
    },
    remove: (text) => hooks.reduce((now, hook) => withoutHook(now, hook, file), text),
  }
}

function withoutHook(text: string, { event, starts }: Hook, file: string): string {
  const settings = readSettings(text, file)
  const events = mappingAt(settings, ['hooks'], file)
  const list = listAt(settings, ['hooks', event], file)
  const at = list.findIndex((each) => isOurHook(each, starts))
  if (at === -1) return text
  if (list.length > 1) return editSettings(text, [{ path: ['hooks', event, at], value: undefined }])
  const path = Object.keys(events).length > 1 ? ['hooks', event] : ['hooks']
  return editSettings(text, [{ path, value: undefined }])
}

/** A value that has to be there for the file to be read at all; one that is there already stays. */
export const settingPart = (file: string, key: string, value: unknown): Part => ({
  file,
  why: `its ${key}`,
  add: (text) =>
    Object.hasOwn(readSettings(text, file), key) ? text : editSettings(text, [{ path: [key], value }]),
  remove: (text) => {
    const settings = readSettings(text, file)
    const isAlone = Object.keys(settings).length === 1 && settings[key] === value
    return isAlone ? editSettings(text, [{ path: [key], value: undefined }]) : text
  },
})

/** Values of a list: those that the person has as well stay once, and the rest of the list stays as it is. */
export const listPart = (file: string, path: readonly string[], values: readonly unknown[]): Part => ({
  file,
  why: 'the permission to use Baton',
  add: (text) =>
    values.reduce((now: string, value) => {
      const list = listAt(readSettings(now, file), path, file)
      return has(list, value) ? now : editSettings(now, [{ path: [...path, list.length], value }])
    }, text),
  remove: (text) =>
    values.reduce((now: string, value) => {
      const settings = readSettings(now, file)
      const list = listAt(settings, path, file)
      const at = list.findIndex((each) => isDeepStrictEqual(each, value))
      if (at === -1) return now
      const gone = list.length > 1 ? [...path, at] : lastAlone(settings, path, file)
      return editSettings(now, [{ path: gone, value: undefined }])
    }, text),
})

const has = (list: readonly unknown[], value: unknown): boolean =>
  list.some((each) => isDeepStrictEqual(each, value))

/** The outermost key that holds nothing but the last one. */
function lastAlone(settings: Mapping, path: readonly string[], file: string): readonly string[] {
  const parent = path.slice(0, -1)
  const isAlone = parent.length > 0 && Object.keys(mappingAt(settings, parent, file)).length === 1
  return isAlone ? lastAlone(settings, parent, file) : path
}

/** One value of ours at a place of ours. */
export const valuePart = (file: string, path: readonly string[], value: unknown): Part => ({
  file,
  why: 'the permission to use Baton',
  add: (text) => {
    readSettings(text, file)
    return editSettings(text, [{ path, value }])
  },
  remove: (text) => {
    const settings = readSettings(text, file)
    if (mappingAt(settings, path.slice(0, -1), file)[path.at(-1)!] === undefined) return text
    return editSettings(text, [{ path: lastAlone(settings, path, file), value: undefined }])
  },
})

export const tomlServerPart = (file: string, entry: Mapping): Part => ({
  file,
  why: 'the MCP server',
  add: (text) => {
    const inToml = (value: unknown): string =>
      Array.isArray(value) ? `[${value.map(inToml).join(', ')}]` : JSON.stringify(value)
    const lines = Object.entries(entry).map(([name, value]) => `${name} = ${inToml(value)}`)
    return withTable(text, 'mcp_servers.baton', lines.join('\n'), file)
  },
  remove: (text) => withoutTable(text, file),
})

export const sectionPart = (file: string, lines: string, why: string, marks = HASH_MARKS): Part => ({
  file,
  why,
  add: (text) => withSection(text, lines, marks, file),
  remove: (text) => withoutSection(text, marks, file),
})

/** A file that is Baton's alone. Another one of that name is the person's own. */
export const ownPart = (file: string, text: string, why: string): Part => {
  const ours = `${text}\n${MARKDOWN_MARKS.begin}\n`
  const isOurs = (now: string): boolean => now.includes(MARKDOWN_MARKS.begin)
  return {
    file,
    why,
    add(now) {
      if (isBlank(now) || isOurs(now)) return ours
      throw new BatonError('conflict', `${file} is a file of your own; rename or remove it first`, { file })
    },
    remove: (now) => (isOurs(now) ? '' : now),
  }
}

/** Whether a file that Baton was taken out of says nothing any more; programs add these keys to any file of theirs. */
export const saysNothing = (text: string): boolean =>
  isBlank(text) || /^\ufeff?\s*\{\s*(?:"\$(?:schema|version)":[^,{}]*)?\}\s*$/.test(text)
