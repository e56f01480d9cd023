import { createHash } from 'node:crypto'
import { rmdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { storeRefused } from '../domain/errors.ts'
import { type Applied, applyEdits, type FileEdit, isChange, readText } from './file-edit.ts'

/** The copy that restores a file as it was before Baton wrote to it. */
interface Kept {
  readonly before: string | null
  /** Of the file as Baton left it: a file that was changed since is not overwritten with this copy. */
  readonly after_sha256: string
  readonly folders: readonly string[]
}

type KeptFiles = Readonly<Record<string, Kept>>

export interface SetupEdit extends FileEdit {
  /** Nothing of Baton's was in the file, so that putting it back undoes everything. */
  readonly isClean: boolean
}

/** The copies of one workspace, in a file of its own under `.baton`. */
export class UndoFile {
  readonly #path: string
  readonly #root: string

  constructor(workspace: { readonly dir: string; readonly root: string }) {
    this.#path = join(workspace.dir, 'setup.json')
    this.#root = workspace.root
  }

  /** Whether this text is what Baton left there, and what was there before. */
  async original(path: string, text: string): Promise<{ readonly before: string | undefined } | undefined> {
    const kept = (await this.#read())[this.#key(path)]
    return kept?.after_sha256 === digestOf(text) ? { before: kept.before ?? undefined } : undefined
  }

  /**
   * Keeps what the edits replace and makes them. Kept first: a crash in between leaves a copy too many, never one too
   * few.
   */
  async apply(edits: readonly SetupEdit[]): Promise<Applied> {
    const present = await this.#read()
    const next: Record<string, Kept> = { ...present }
    for (const edit of edits.filter(isChange)) {
      const key = this.#key(edit.path)
      const known = present[key]
      const isKnown =
        known !== undefined && edit.before !== undefined && known.after_sha256 === digestOf(edit.before)
      delete next[key]
      if (isKnown) next[key] = { ...known, after_sha256: digestOf(edit.after ?? '') }
      else if (edit.isClean)
        next[key] = { before: edit.before ?? null, after_sha256: digestOf(edit.after ?? ''), folders: [] }
    }
    await this.#write(next)
    const applied = await applyEdits(edits)
    for (const edit of applied.written) {
      const key = this.#key(edit.path)
      const folders = applied.folders.filter((folder) => edit.path.startsWith(`${folder}/`))
      const kept = next[key]
      if (kept && folders.length > 0) next[key] = { ...kept, folders: folders.map((f) => this.#key(f)) }
    }
    await this.#write(next)
    return applied
  }

  /** Makes the edits and forgets the copies; folders that were made for the files go when nothing else is in them. */
  async restore(edits: readonly FileEdit[]): Promise<Applied> {
    const present = await this.#read()
    const applied = await applyEdits(edits)
    const gone = applied.written.map(({ path }) => this.#key(path))
    const deleted = new Set(
      applied.written.flatMap(({ path, after }) => (after === undefined ? [this.#key(path)] : [])),
    )
    // Innermost first: one file may have made the folder of another's.
    const made = gone
      .flatMap((key) => present[key]?.folders ?? (deleted.has(key) ? foldersOf(key) : []))
      .sort((a, b) => b.length - a.length)
    for (const folder of made) await rmdir(join(this.#root, folder)).catch(() => undefined)
    await this.#write(Object.fromEntries(Object.entries(present).filter(([key]) => !gone.includes(key))))
    return applied
  }

  #key(path: string): string {
    return relative(this.#root, path)
  }

  async #read(): Promise<KeptFiles> {
    const text = readText(this.#path)
    if (text === undefined) return {}
    try {
      return (JSON.parse(text) as { files: KeptFiles }).files ?? {}
    } catch (error) {
      throw storeRefused(
        `${this.#path} is not JSON, so setup cannot restore the former settings; remove the file to go on without it`,
        { path: this.#path },
        error,
      )
    }
  }

  async #write(files: KeptFiles): Promise<void> {
    const before = readText(this.#path)
    const after =
      Object.keys(files).length === 0 ? undefined : `${JSON.stringify({ version: 1, files }, null, 2)}\n`
    await applyEdits([{ path: this.#path, before, after, mode: 0o600, why: 'the former settings' }])
  }
}

/** In a fresh clone nobody knows the folders that were made; git keeps no empty ones anyway. */
const foldersOf = (key: string): readonly string[] =>
  key.split('/').flatMap((_, at, names) => (at === 0 ? [] : [names.slice(0, at).join('/')]))

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
