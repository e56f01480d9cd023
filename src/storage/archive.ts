import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openDisclosure } from '../audit/disclosure.ts'
import { TILE_WIDTH } from '../audit/tiles.ts'
import { BatonError } from '../domain/errors.ts'
import { isStub } from './rows.ts'
import type { LogEntry, Store } from './store.ts'

/** An entry in its file: the body, then its disclosures. */
type Held = readonly [body: string, ...disclosures: string[]]

const KEPT_FILES = 32

/** Old entries in a folder, in files of as many as a tile has leaves. */
export class Archive {
  /** Its place, also while it is missing. */
  readonly folder: string
  readonly #files = new Map<number, readonly Held[]>()

  constructor({ disclosures = [] }: LogEntry, beside = '') {
    const named = String(disclosures.map(openDisclosure).find(({ name }) => name === 'folder')?.value)
    // A store may have been moved together with its archive.
    this.folder = [named, join(beside, basename(named))].find((folder) => fs.existsSync(folder)) ?? named
  }

  /** Entries of the store, whole. Texts that were redacted since are the store's to tell. */
  fill(entries: readonly LogEntry[], bare = false): readonly LogEntry[] {
    return entries.map((entry) => {
      if (!isStub(entry.body)) return entry
      const [body = '', ...disclosures] = this.held(entry.body, bare) ?? []
      return { ...entry, body, disclosures: entry.disclosures ?? disclosures, isArchived: true }
    })
  }

  /** The entry whose place in the tree is in this body. */
  held(stub: string, bare = false): Held | undefined {
    const index = Number(stub.slice(1))
    const held = this.#read(Math.floor(index / TILE_WIDTH))?.[index % TILE_WIDTH]
    if (!held && !bare) throw this.missing()
    return held
  }

  /** Puts the entries of a tile to the disk, and reads them back. */
  write(n: number, entries: readonly LogEntry[]): void {
    const held = entries.map(({ body, disclosures = [] }): Held => [body, ...disclosures])
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    fs.writeFileSync(`${this.#path(n)}.part`, JSON.stringify(held), { mode: 0o600, flush: true })
    fs.renameSync(`${this.#path(n)}.part`, this.#path(n))
    const folder = fs.openSync(this.folder, 'r')
    fs.fsyncSync(folder)
    fs.closeSync(folder)
    this.#files.delete(n)
    if (!isDeepStrictEqual(this.#read(n), held)) throw this.missing()
  }

  /** Takes texts that were redacted since out of the files of these entries. */
  async clear(store: Store, ids: readonly number[]): Promise<void> {
    const tiles = await Promise.all(ids.map((id) => store.tileOfEntry(id)))
    for (const { n, first = 0 } of new Map(
      tiles.flatMap((tile) => (tile ? [[tile.n, tile]] : [])),
    ).values()) {
      const now = async () => (await store.changes(String(first - 1), TILE_WIDTH)).entries
      // Looked at again after it is written: another may have redacted meanwhile.
      for (let written: unknown, entries = await now(); fs.existsSync(this.#path(n)); entries = await now()) {
        if (isDeepStrictEqual(entries, written)) break
        this.write(n, entries)
        written = entries
      }
    }
  }

  missing(): BatonError {
    const text = `the archive ${this.folder} of old entries of the log is missing or not whole; put the folder back there. A later cursor gives newer events`
    return new BatonError('unavailable', text, { archive: this.folder })
  }

  #read(n: number): readonly Held[] | undefined {
    const known = this.#files.get(n)
    if (known || !fs.existsSync(this.#path(n))) return known
    if (this.#files.size >= KEPT_FILES) this.#files.clear()
    this.#files.set(n, JSON.parse(fs.readFileSync(this.#path(n), 'utf8')))
    return this.#files.get(n)
  }

  #path(n: number): string {
    return join(this.folder, `${String(n).padStart(6, '0')}.json`)
  }
}
