import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Config, Environment } from '../config/config.ts'
import { parseConfig, type Settings } from '../config/file.ts'
import { type Guarded, guardedOf, inForce, restrictionsOf, settingName } from '../config/guarded-settings.ts'
import type { Workspace } from './find.ts'
import { readOwn, writeOwn } from './home-files.ts'

export interface TrustState {
  /** A person, or `BATON_TRUST`, trusts all of its settings that need it. */
  readonly trusted: boolean
  /** SHA-256 of the guarded settings; CI passes it in `BATON_TRUST`. */
  readonly hash: string
  /** The settings of the file that need trust. */
  readonly needs: readonly string[]
  /** The settings that wait: what the file says about them is not used. */
  readonly waiting: readonly string[]
  /** The settings in force. */
  readonly config: Config
  /** The text that the store keeps of settings that a person trusted. */
  readonly keep?: string
}

type Rooted = Pick<Workspace, 'root'>

/** `BATON_TRUST` covers these alone. Records of 0.1.0 name no settings, and it knew the first three. */
export const SENDS_OR_RUNS = ['store', 'checks.commands', 'notify', 'server', 'workspaces']

/**
 * The settings that are in force, and those that wait for a person. `stored` is the version that the store keeps: it
 * restricts also where this user's home knows none, and grants nothing.
 */
export async function trustState(
  workspace: Rooted | undefined,
  read: Settings | undefined,
  environment: Environment,
  stored?: string,
): Promise<TrustState> {
  const { config, text } = read ?? { config: {}, text: '' }
  const own = keptOf(config)
  const needs = [...new Set(Object.keys(own.settings).map(settingName))]
  const hashes = [own.sha256, digestOf(text)]
  const kept = workspace && keptIn(() => readOwn(trustFile(workspace, environment), environment.uid))
  const isGiven = kept?.sha256 === hashes[kept?.names ? 1 : 0]
  const state = { hash: own.sha256, needs }
  if (isGiven && kept?.settings)
    return { ...state, trusted: true, waiting: [], config, keep: JSON.stringify(own) }
  // Any caller can set BATON_TRUST. A file decides in the name of people only after one of them confirmed it.
  const isForCi = trustedBy(environment).some((each) => hashes.includes(each.toLowerCase()))
  const covered = [...(isForCi ? SENDS_OR_RUNS : []), ...((isGiven && kept?.names) || [])]
  const used = inForce(config, kept?.settings ?? (await restrictionsIn(stored)), covered)
  const trusted = (isForCi || isGiven) && used.leftOut.length === 0
  return { ...state, trusted, waiting: used.leftOut, config: used.config }
}

/**
 * Remembers the guarded settings as trusted by this user, in this folder, and answers what the store keeps of them.
 * Only a person may decide this: callers ask `personOnly` first.
 */
export function trust(workspace: Rooted, config: Config, environment: Environment): string {
  const kept = { root: workspace.root, ...keptOf(config) }
  writeOwn(trustFile(workspace, environment), `${JSON.stringify(kept, undefined, 2)}\n`)
  return JSON.stringify(keptOf(config))
}

/** The hashes and origins that `BATON_TRUST` lists. */
export const trustedBy = ({ trust: listed = '' }: Environment): readonly string[] => listed.split(/[\s,]+/)

interface Kept {
  readonly sha256: string
  readonly settings?: Guarded
  /** Of records about a whole text, as 0.1.0 kept them: the settings that were looked at. */
  readonly names?: readonly string[]
}

function keptOf(config: Config): Required<Omit<Kept, 'names'>> {
  const settings = guardedOf(config)
  return { sha256: digestOf(JSON.stringify(settings)), settings }
}

/** A record that is broken, cannot be read or belongs to another user trusts nothing. */
function keptIn(read: () => string | undefined): Kept | undefined {
  try {
    const { sha256, settings = SENDS_OR_RUNS } = JSON.parse(read() ?? 'null')
    if (Array.isArray(settings)) return { sha256, names: settings }
    return sha256 === digestOf(JSON.stringify(settings)) ? { sha256, settings } : undefined
  } catch {
    return undefined
  }
}

/** A store may hold anything: an invalid configuration restricts nobody. */
async function restrictionsIn(stored: string | undefined): Promise<Guarded | undefined> {
  const { settings } = keptIn(() => stored) ?? {}
  const text = settings && JSON.stringify(inForce({}, settings).config)
  const config = text && (await parseConfig(text, 'the store').catch(() => undefined))
  return config ? restrictionsOf(config) : undefined
}

export const trustFile = (workspace: Rooted, environment: Environment): string =>
  join(environment.home, '.baton', 'trust', `${digestOf(workspace.root)}.json`)

const digestOf = (text: string): string => hash('sha256', text)
