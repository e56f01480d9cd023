import type { Config } from './config.ts'

interface Guarded {
  readonly name: string
  value(config: Config): unknown
  without(config: Config): Config
}

/** The settings that could send data away, run something, or let a file decide in somebody's name. */
const GUARDED: readonly Guarded[] = [
  { name: 'store', value: ({ store }) => store, without: ({ store: _, ...rest }) => rest },
  {
    name: 'checks.commands',
    value: ({ checks }) => checks?.commands,
    without: (config) => ({ ...config, checks: { ...config.checks, commands: [] } }),
  },
  { name: 'notify', value: ({ notify }) => notify, without: ({ notify: _, ...rest }) => rest },
  {
    name: 'folders[].accept',
    value: ({ folders = [] }) => folders.flatMap(({ accept = [] }) => accept),
    without: ({ folders = [], ...rest }) => ({
      ...rest,
      folders: folders.map(({ accept: _, ...folder }) => folder),
    }),
  },
]

/** The configuration as far as `covered` lets it be believed, and the names of the settings that were left out. */
export function applyTrust(
  config: Config,
  covered: readonly string[],
): { readonly config: Config; readonly leftOut: readonly string[] } {
  const waiting = GUARDED.filter(({ name, value }) => asks(value(config)) && !covered.includes(name))
  return {
    config: waiting.reduce((left, { without }) => without(left), config),
    leftOut: waiting.map(({ name }) => name),
  }
}

/** A setting that is switched off asks for nothing. */
export const asks = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
