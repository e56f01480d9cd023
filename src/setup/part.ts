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
import { MARKDOWN_MARKS, withoutSection, withSection } from './section.ts'
import { withoutTable, withTable } from './toml-edit.ts'

/** Baton's part of one file, with how to add and remove it. Both leave the rest as it is. */
export interface Part {
  /** From the root of the project, with forward slashes. */
  readonly file: string
  readonly why: string
  add(text: string): string
  remove(text: string): string
}

export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
}

/** Several parts of one file, one after the other. */
export const together = (file: string, parts: readonly Part[]): Part => ({
  file,
  why: parts.map(({ why }) => why).join(', '),
  add: (text) => parts.reduce((now, part) => part.add(now), text),
  remove: (text) => parts.reduceRight((now, part) => part.remove(now), text),
})

/** The entry of the server below `key`; what else the person wrote into it stays. */
export function serverPart(file: string, key: string, server: McpServer, extra: Mapping = {}): Part {
  const path = [key, 'baton']
  return {
    file,
    why: 'the MCP server',
    add(text) {
      const servers = mappingAt(readSettings(text, file), [key], file)
      const { baton } = servers
      if (baton === undefined) return editSettings(text, [{ path, value: { ...extra, ...server } }])
      if (!isMapping(baton) || baton.command !== server.command)
        throw new BatonError(
          'conflict',
          `${file} has a server named baton of its own in ${key}; rename or remove it first`,
          { file },
        )
      return editSettings(text, [{ path: [...path, 'args'], value: server.args }])
    },
    remove(text) {
      const settings = readSettings(text, file)
      const servers = mappingAt(settings, [key], file)
      const { baton } = servers
      if (!isMapping(baton) || baton.command !== server.command) return text
      return editSettings(text, [
        { path: Object.keys(servers).length === 1 ? [key] : path, value: undefined },
      ])
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

const isOurs = (entry: unknown, starts: string): boolean =>
  isMapping(entry) &&
  (isCommand(entry.command, starts) ||
    (Array.isArray(entry.hooks) &&
      entry.hooks.length > 0 &&
      entry.hooks.every((hook) => isMapping(hook) && isCommand(hook.command, starts))))

const isCommand = (command: unknown, starts: string): boolean =>
  typeof command === 'string' && `${command} `.startsWith(`${starts} `)

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
          const at = list.findIndex((each) => isOurs(each, starts))
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
  const at = list.findIndex((each) => isOurs(each, starts))
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

export const tomlServerPart = (file: string, { command, args }: McpServer): Part => ({
  file,
  why: 'the MCP server',
  add: (text) =>
    withTable(
      text,
      'mcp_servers.baton',
      `command = ${JSON.stringify(command)}\nargs = [${args.map((arg) => JSON.stringify(arg)).join(', ')}]`,
      file,
    ),
  remove: (text) => withoutTable(text, file),
})

export const sectionPart = (file: string, lines: string): Part => ({
  file,
  why: 'instructions for the agent',
  add: (text) => withSection(text, lines, MARKDOWN_MARKS, file),
  remove: (text) => withoutSection(text, MARKDOWN_MARKS, file),
})

/** Whether a file that Baton was taken out of says nothing any more. */
export const saysNothing = (text: string): boolean => isBlank(text) || /^\ufeff?\s*\{\s*\}\s*$/.test(text)
