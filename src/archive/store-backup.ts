import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, linkSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { BatonError, conflict, notFound, storeRefused, unavailable } from '../domain/errors.ts'
import { orElse } from '../domain/once.ts'
import { movedAway } from '../storage/moved.ts'
import { SCHEMA as POSTGRES } from '../storage/postgres/migrate.ts'
import { SCHEMA as SQLITE } from '../storage/sqlite/migrate.ts'
import type { DumpRow, Store, StoreInfo } from '../storage/store.ts'
import { decodeRow, encodeRow, RowDigest } from './row-digest.ts'
import { type ChainReport, demandCopied, type LongWork } from './store-verify.ts'

/** The first line of a backup. */
interface Head {
  readonly baton_backup: 1
  readonly origin: string
  /** Each engine counts its own schemas. Older programs did not say which it was. */
  readonly engine?: StoreInfo['engine']
  readonly schema: number
  readonly at: string
}

/** Its last: without it, or with another sum, the file is not whole. */
interface End {
  readonly rows: number
  readonly sha256: string
}

/**
 * Writes every row of a store into a new file: compressed JSON lines, the last one with a checksum. The file has
 * its name only after it was read back and found to hold what was written.
 */
export async function backup(
  store: Store,
  file: string,
  work: LongWork = {},
): Promise<{ rows: number; bytes: number }> {
  if (existsSync(file)) throw taken(file)
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.part`
  try {
    const written = new RowDigest()
    const output = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(backupText(store, written, work)), createGzip(), output)
    const readBack = new RowDigest()
    for await (const _ of readBack.through(readBackup(draft, true), work, 'reading back'));
    written.demandSame(readBack, file)
    linkSync(draft, file)
    return { rows: written.rows, bytes: output.bytesWritten }
  } catch (error) {
    throw cannotWrite(file, error)
  } finally {
    // Below a file there is nothing to remove, and trying to would hide why it failed.
    if (existsSync(draft)) rmSync(draft)
  }
}

/** Compressing line by line would cost more than the lines. */
const CHARACTERS_AT_ONCE = 65_536

async function* backupText(store: Store, written: RowDigest, work: LongWork): AsyncIterable<string> {
  const sum = createHash('sha256')
  const { origin, engine, schema } = store.info
  const at = new Date().toISOString()
  let rows = 0
  let text = `${JSON.stringify({ baton_backup: 1, origin, engine, schema, at } satisfies Head)}\n`
  for await (const row of written.through(encodedRows(store), work, 'writing')) {
    rows += 1
    text += `${row.text}\n`
    if (text.length < CHARACTERS_AT_ONCE) continue
    sum.update(text)
    yield text
    text = ''
  }
  const sha256 = sum.update(text).digest('hex')
  yield `${text}${JSON.stringify({ rows, sha256 } satisfies End)}\n`
}

async function* encodedRows(store: Store) {
  for await (const row of store.dump()) yield { ...row, text: encodeRow(row) }
}

/**
 * Takes a backup into an empty store and reads it back. The file is checked as a whole before the store is opened,
 * which may be what makes it.
 */
export async function restore(
  file: string,
  open: () => Promise<Store>,
  work: LongWork = {},
): Promise<{ store: Store; rows: number; chains: ChainReport }> {
  let lines = 0
  for await (const _ of readLines(file)) {
    work.signal?.throwIfAborted()
    work.tell?.('checking the file', ++lines)
  }
  const store = await open()
  const digest = new RowDigest()
  await store.restore(digest.through(readBackup(file), work, 'restoring'))
  return { store, rows: digest.rows, chains: await demandCopied(digest, store, work) }
}

/**
 * Moves a whole store into an empty one and reads it back: every field is compared, every chain verified. The source
 * takes no more writes from the start and is given back when that fails. After a crash the same call finishes it.
 */
export async function copyStore(
  source: Store,
  target: Store,
  work: LongWork = {},
): Promise<{ rows: number; chains: ChainReport }> {
  const { location, workspace, origin } = target.info
  const place = workspace === 'default' ? location : `${location}, workspace ${workspace}`
  const { moved } = source.info
  const isThere = origin === source.info.origin
  const begun = `${place} (copy `
  if (moved !== undefined && moved !== place && !moved.startsWith(begun)) throw movedAway(source.info)
  if (isThere && moved === undefined)
    throw conflict(`${place} holds this store already; name an empty one`, { location })
  // The mark of this copy: one that fails gives back only what has its mark, and one that ends well takes it away.
  if (moved === undefined) await retire(source, `${begun}${randomBytes(4).toString('hex')} not finished)`)
  let sent = new RowDigest()
  const rows = () => {
    sent = new RowDigest()
    return sent.through(source.dump(), work, 'copying')
  }
  let chains: ChainReport
  let used: unknown
  try {
    if (!isThere)
      await target.restore(rows()).catch((error: unknown) => {
        if (!(error instanceof BatonError && error.code === 'conflict')) throw error
        used = error
      })
    // Another copy to the same place may have been faster: then the target holds these rows already.
    if (isThere || used) for await (const _ of rows());
    chains = await demandCopied(sent, target, work)
  } catch (error) {
    if (isThere) throw movedAway({ ...source.info, moved: place })
    const isBack = moved === place || (await source.retire().catch(() => true))
    if (used && !isBack) throw movedAway({ ...source.info, moved: place })
    throw used ?? error
  }
  await retire(source, place)
  return { rows: sent.rows, chains }
}

async function retire(source: Store, to: string): Promise<void> {
  if (await source.retire(to)) return
  const text = `another copy of ${source.info.location} began or failed meanwhile; wait for its end, then run the same command again`
  throw conflict(text, { location: source.info.location })
}

/** The rows of a backup, with their texts where this process wrote them. */
async function* readBackup(file: string, isOwn = false): AsyncIterable<DumpRow & { text?: string }> {
  let number = 1
  for await (const text of readLines(file)) {
    number += 1
    const row = decodeRow(parsed(text))
    if (!row) throw damaged(file, `line ${number} is not a row`)
    yield isOwn ? { ...row, text } : row
  }
}

/** The lines of its rows. Throws at the end when the file was cut off or changed. */
async function* readLines(file: string): AsyncIterable<string> {
  if (!existsSync(file)) throw notFound(`there is no file ${file}; check the path`, { file })
  const source = createReadStream(file)
  const unpacked = createGunzip()
  const failure = pipeline(source, unpacked).then(
    () => undefined,
    (error: unknown) => error,
  )
  const sum = createHash('sha256')
  let number = 0
  let held: string | undefined
  try {
    // One line behind: the last is not a row.
    for await (const text of splitLines(unpacked)) {
      if (held !== undefined) sum.update(`${held}\n`)
      if (held !== undefined && number === 1) checkHead(held, file)
      else if (held !== undefined) yield held
      held = text
      number += 1
    }
    if ((await failure) !== undefined) throw damaged(file, 'it cannot be unpacked to its end')
    const end = parsed(held) as Partial<End> | undefined
    if (end?.rows !== number - 2 || end.sha256 !== sum.digest('hex'))
      throw damaged(file, 'its checksum is not that of its rows')
  } catch (error) {
    if (error instanceof BatonError) throw error
    throw damaged(file, 'it cannot be unpacked')
  } finally {
    source.destroy()
  }
}

/** Lines end with a line feed and nothing else; `readline` would also break at U+2028, which JSON may hold. */
async function* splitLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  // A line with a blob comes in a thousand pieces: they are joined once.
  let pieces: string[] = []
  for await (const chunk of bytes) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    for (const next of more) {
      yield pieces.join('')
      pieces = [next]
    }
  }
  const last = pieces.join('') + decoder.decode()
  if (last !== '') yield last
}

const SCHEMAS = { sqlite: SQLITE, postgres: POSTGRES }

function checkHead(text: string, file: string): void {
  const head = parsed(text) as Partial<Head> | undefined
  if (head?.baton_backup !== 1) throw damaged(file, 'it is not a backup of Baton')
  const schema = head.engine ? SCHEMAS[head.engine] : Math.max(SQLITE, POSTGRES)
  if (!((head.schema ?? 0) <= schema))
    throw storeRefused(
      `${file} was made by a newer Baton (schema ${head.schema}, this one has ${schema}); install that version to restore it`,
      { file, schema: head.schema },
    )
}

const parsed = (text: string | undefined): unknown => orElse(() => JSON.parse(text ?? ''), undefined)

const taken = (file: string): BatonError => conflict(`${file} already exists; name a new file`, { file })

const damaged = (file: string, reason: string): BatonError =>
  storeRefused(`${file} cannot be restored: ${reason}; nothing was changed, use another backup`, { file })

function cannotWrite(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof BatonError || code === undefined || code === 'ABORT_ERR') return error
  if (code === 'EEXIST') return taken(file)
  return unavailable(
    `${file} cannot be written (${code}), and nothing was left behind; check the folder, its permissions and the free space`,
    { file },
    error,
  )
}
