import type { Config } from './config.ts'

/** The configuration as far as it may be believed, and the names of the settings that were left out. */
export function applyTrust(
  config: Config,
  trusted: boolean,
): { readonly config: Config; readonly leftOut: readonly string[] } {
  if (trusted) return { config, leftOut: [] }
  const { store, checks, notify, ...rest } = config
  const leftOut = [
    ...(asks(store) ? ['store'] : []),
    ...(asks(checks?.commands) ? ['checks.commands'] : []),
    ...(asks(notify) ? ['notify'] : []),
  ]
  return { config: { ...rest, ...(checks && { checks: { ...checks, commands: [] } }) }, leftOut }
}

/** A setting that is switched off asks for nothing. */
export const asks = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
