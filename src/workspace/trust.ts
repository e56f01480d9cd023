import { hash } from 'node:crypto'
import { join } from 'node:path'
import { isMap, isSeq } from 'yaml'
import type { Environment } from '../config/config.ts'
import { asks } from '../config/guarded-settings.ts'
import { readYaml } from '../config/yaml.ts'
import type { Workspace } from './find.ts'
import { readOwn, writeOwn } from './home-files.ts'

export interface TrustState {
  readonly trusted: boolean
  /** SHA-256 of the file; CI passes it in `BATON_TRUST`. */
  readonly hash: string
  /** The settings in the file that take effect only after `baton trust`. */
  readonly needs: readonly string[]
  /** The settings that the trust in this text was given for. */
  readonly covered: readonly string[]
}

/** 0.1.0 asked about these alone, and its records name no settings. `BATON_TRUST` covers these alone. */
export const SENDS_OR_RUNS = ['store', 'checks.commands', 'notify']
const DECIDES = 'folders[].accept'

/** Whether this text of the workspace's `baton.yaml` was trusted by this user, and which settings wait for it. */
export function trustState(workspace: Workspace, configText: string, environment: Environment): TrustState {
  const hash = digestOf(configText)
  const kept = remembered(workspace, environment)
  const needs = needsOf(configText)
  // Any caller can set BATON_TRUST. A file decides in the name of people only after one of them confirmed it.
  const forCi = environment.trust?.toLowerCase() === hash ? SENDS_OR_RUNS : undefined
  const given = kept?.sha256 === hash ? kept.settings : undefined
  const covered = [...(forCi ?? []), ...(given ?? [])]
  const trusted = (forCi ?? given) !== undefined && needs.every((name) => covered.includes(name))
  return { trusted, hash, needs, covered }
}

/**
 * Remembers this text as trusted by this user, in this folder; any change of it asks again. Only a person may
 * decide this: callers ask `personOnly` first.
 */
export function trust(workspace: Workspace, configText: string, environment: Environment): TrustState {
  const file = trustFile(workspace, environment)
  const hash = digestOf(configText)
  const needs = needsOf(configText)
  const kept = { root: workspace.root, sha256: hash, settings: needs }
  writeOwn(file, `${JSON.stringify(kept, undefined, 2)}\n`)
  return { trusted: true, hash, needs, covered: needs }
}

interface Kept {
  readonly sha256: string
  readonly settings: readonly string[]
}

/** A file that cannot be read, or that another user wrote, trusts nothing. */
function remembered(workspace: Workspace, environment: Environment): Kept | undefined {
  try {
    const text = readOwn(trustFile(workspace, environment), environment.uid)
    const { sha256: hash, settings = SENDS_OR_RUNS } = JSON.parse(text ?? 'null')
    return typeof hash === 'string' && Array.isArray(settings) ? { sha256: hash, settings } : undefined
  } catch {
    return undefined
  }
}

const trustFile = (workspace: Workspace, environment: Environment): string =>
  join(environment.home, '.baton', 'trust', `${digestOf(workspace.root)}.json`)

const digestOf = (text: string): string => hash('sha256', text)

/** Looks only for what asks for trust, so that it answers for a file that is wrong in other ways too. */
function needsOf(configText: string): string[] {
  const { document } = readYaml(configText)
  if (!isMap(document.contents)) return []
  const folders = document.get('folders')
  const accepts = isSeq(folders) ? folders.items.map((each) => isMap(each) && each.get('accept')) : []
  return [
    ...SENDS_OR_RUNS.filter((name) => isSet(document.getIn(name.split('.')))),
    ...(accepts.some(isSet) ? [DECIDES] : []),
  ]
}

const isSet = (value: unknown): boolean => asks(isSeq(value) ? value.items : value)
