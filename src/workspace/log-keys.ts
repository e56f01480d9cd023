import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readCheckpoint } from '../audit/checkpoint.ts'
import { newVerifier, printNote, toVkey } from '../audit/note.ts'
import type { Environment } from '../config/config.ts'
import { BatonError, unavailable } from '../domain/errors.ts'
import { orElse } from '../domain/once.ts'
import { nodeSha256 } from '../service/audit/hashes.ts'
import type { LogKey, LogKeys, RememberedLog } from '../service/audit/keys.ts'
import { parseKey, readOwn, writeOwn, writing } from './home-files.ts'
import { noteSeen } from './workspace.ts'

/** A signer that has not finished by then died over it. */
const LOCK_STALE_MS = 30_000
const LOCK_WAIT_MS = 10_000

/**
 * Keys of logs under the user's home: `keys/log-….pem`, readable by this user only, beside it what was signed
 * last; and under `trust-log/` the logs that this user has seen.
 */
export function openLogKeys({ home, uid }: Pick<Environment, 'home' | 'uid'>): LogKeys {
  const keys = join(home, '.baton', 'keys')
  const trust = join(home, '.baton', 'trust-log')
  const fileOf = (origin: string) => join(keys, `log-${keyFileName(origin)}.pem`)
  const logFile = (origin: string) => join(trust, `${keyFileName(origin)}.json`)
  const placeFile = (place: string) => join(trust, `place-${keyFileName(place)}.json`)
  const key = async (origin: string) => {
    const file = fileOf(origin)
    const text = readOwn(file, uid, true)
    return text === undefined ? undefined : new FileKey(origin, file, parseKey(text, file))
  }
  return {
    host: hostname(),
    fileOf,
    key,
    async makeKey(origin) {
      const known = await key(origin)
      if (known) return known
      const { privateKey } = generateKeyPairSync('ed25519')
      writeOwn(fileOf(origin), String(privateKey.export({ type: 'pkcs8', format: 'pem' })), true)
      // The first process to write made the key: one key for one log.
      const made = await key(origin)
      if (!made) throw unavailable(`the key ${fileOf(origin)} was made and is not there`)
      return made
    },
    async retireKey(origin) {
      const file = fileOf(origin)
      const aside = `.retired-${Date.now()}`
      for (const each of [lastOf(file), file])
        if (existsSync(each)) writing(each, () => renameSync(each, each + aside))
    },
    originAt: async (place) => readKeyFile<{ origin: string }>(placeFile(place), uid)?.origin,
    remembered: async (origin) => readKeyFile<RememberedLog>(logFile(origin), uid),
    async remember(place, log) {
      if (readKeyFile<{ origin: string }>(placeFile(place), uid)?.origin !== log.origin)
        writeOwn(placeFile(place), prettyJson({ place, origin: log.origin }))
      writeOwn(logFile(log.origin), prettyJson(log))
      noteSeen(home, log.origin, log.note)
    },
    async forget(place, origin) {
      for (const file of [placeFile(place), logFile(origin)]) rmSync(file, { force: true })
      noteSeen(home, origin, '')
    },
  }
}

class FileKey implements LogKey {
  readonly vkey: string
  readonly file: string
  readonly #key: KeyObject
  readonly #signer: ReturnType<typeof newVerifier>

  constructor(origin: string, file: string, key: KeyObject) {
    const { x = '' } = key.export({ format: 'jwk' })
    this.#key = key
    this.#signer = newVerifier(nodeSha256, origin, Buffer.from(x, 'base64url'))
    this.file = file
    this.vkey = toVkey(this.#signer)
  }

  /** One signer at a time: two that had seen the same last checkpoint could sign two that do not fit. */
  async sign(text: string, check: (last: string | undefined) => Promise<void>): Promise<string> {
    const state = lastOf(this.file)
    const unlock = await lock(`${state}.lock`)
    try {
      const last = readOwn(state, undefined)
      await check(last)
      const [before, next] = [sizeOf(last), sizeOf(text)]
      if (next > before) writeOwn(state, text)
      const { name, id } = this.#signer
      const bytes = sign(null, Buffer.from(text), this.#key)
      return printNote({ text, signatures: [{ name, id, bytes }] })
    } finally {
      unlock()
    }
  }
}

/** Beside a key: the text that it has signed last. */
const lastOf = (file: string): string => file.replace(/\.pem$/, '.last')

const sizeOf = (text: string | undefined): number =>
  text === undefined ? -1 : (readCheckpoint(text)?.size ?? -1)

const keyFileName = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40)
const prettyJson = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`

function readKeyFile<T>(file: string, uid: number | undefined): T | undefined {
  const text = readOwn(file, uid)
  if (text === undefined) return undefined
  try {
    // Written by `remember` and by nobody else.
    return JSON.parse(text) as T
  } catch {
    const how = 'a person can start over with: baton audit trust --reset'
    throw new BatonError('store_refused', `${file} is damaged and cannot be used; ${how}`, { file })
  }
}

/** Held by a file that names its maker; one whose maker is dead is taken away. */
async function lock(file: string): Promise<() => void> {
  const own = `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const deadline = performance.now() + LOCK_WAIT_MS
  try {
    writing(draft, () => writeFileSync(draft, own, { flag: 'wx', mode: 0o600 }))
    for (;;) {
      try {
        linkSync(draft, file)
        return () => rmSync(file, { force: true })
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'EEXIST') throw unavailable(`${file} cannot be written (${code})`, { file })
      }
      clearStale(file)
      if (performance.now() > deadline)
        throw unavailable('another process is signing with this key; try again', { file })
      await pause(2 + Math.random() * 8)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

function clearStale(file: string): void {
  const found = readLock(file)
  if (found === undefined || !isStale(found)) return
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(file, aside)
    // Somebody may have cleared it and locked again in between: theirs is put back.
    if (readLock(aside)?.text !== found.text) linkSync(aside, file)
  } catch {
    // Another was quicker.
  } finally {
    rmSync(aside, { force: true })
  }
}

const readLock = (file: string): { text: string; ageMs: number } | undefined =>
  orElse(() => ({ text: readFileSync(file, 'utf8'), ageMs: Date.now() - statSync(file).mtimeMs }), undefined)

function isStale({ text, ageMs }: { text: string; ageMs: number }): boolean {
  const [host, pid] = text.split(' ')
  if (host !== hostname()) return ageMs > LOCK_STALE_MS
  try {
    process.kill(Number(pid), 0)
    return ageMs > LOCK_STALE_MS
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
