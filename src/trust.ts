import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isMap, isSeq } from 'yaml'
import type { Environment } from './config.ts'
import { readYaml } from './config-yaml.ts'
import { BatonError } from './domain/errors.ts'
import { asks } from './guarded-settings.ts'
import type { Workspace } from './workspace-find.ts'

export interface TrustState {
  readonly trusted: boolean
  /** SHA-256 of the file; CI passes it in `BATON_TRUST`. */
  readonly hash: string
  /** The settings in the file that take effect only after `baton trust`. */
  readonly needs: readonly string[]
}

/**
 * The settings that could send data away or run something. A `baton.yaml` comes with a clone, so whoever wrote
 * it may not be whoever runs Baton.
 */
const GUARDED = [
  { name: 'store', path: ['store'] },
  { name: 'checks.commands', path: ['checks', 'commands'] },
  { name: 'notify', path: ['notify'] },
] as const

/** Whether this text of the workspace's `baton.yaml` was trusted by this user, and which settings wait for it. */
export function trustState(workspace: Workspace, configText: string, environment: Environment): TrustState {
  const hash = sha256(configText)
  const trusted = environment.trust?.toLowerCase() === hash || remembered(workspace, environment) === hash
  return { trusted, hash, needs: needsOf(configText) }
}

/**
 * Remembers this text as trusted by this user, in this folder; any change of it asks again. Only a person may
 * decide this: callers ask `personOnly` first.
 */
export function trust(workspace: Workspace, configText: string, environment: Environment): TrustState {
  const file = trustFile(workspace, environment)
  const hash = sha256(configText)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeWhole(file, `${JSON.stringify({ root: workspace.root, sha256: hash }, undefined, 2)}\n`)
  } catch (error) {
    throw new BatonError(
      'unavailable',
      `the trust could not be kept in ${file} (${(error as NodeJS.ErrnoException).code}); check your home folder, or set BATON_HOME to one you may write`,
      { file },
      error,
    )
  }
  return { trusted: true, hash, needs: needsOf(configText) }
}

function remembered(workspace: Workspace, environment: Environment): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(trustFile(workspace, environment), 'r')
  } catch {
    return undefined
  }
  try {
    // A home may be shared by mistake: what another user wrote there trusts nothing.
    const { uid } = fstatSync(descriptor)
    if (environment.uid !== undefined && uid !== environment.uid) return undefined
    const kept: unknown = JSON.parse(readFileSync(descriptor, 'utf8'))
    return kept !== null && typeof kept === 'object' && 'sha256' in kept ? String(kept.sha256) : undefined
  } catch {
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** All of it or nothing, also when the power fails: half a file would trust nothing and hide the last one. */
function writeWhole(file: string, content: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeSync(descriptor, content)
    fsyncSync(descriptor)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

const trustFile = (workspace: Workspace, environment: Environment): string =>
  join(environment.home, '.baton', 'trust', `${sha256(workspace.root)}.json`)

const sha256 = (text: string): string => hash('sha256', text)

/** Looks only for what asks for trust, so that it answers for a file that is wrong in other ways too. */
function needsOf(configText: string): string[] {
  const { document } = readYaml(configText)
  if (!isMap(document.contents)) return []
  return GUARDED.filter(({ path }) => {
    const value = document.getIn(path)
    return asks(isSeq(value) ? value.items : value)
  }).map(({ name }) => name)
}
