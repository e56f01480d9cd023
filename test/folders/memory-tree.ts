import { createHash } from 'node:crypto'
import type { FolderEntry } from '../../src/folders/files/tree.ts'
import { type FoundFile, Tree } from '../../src/folders/files/tree.ts'

/** A live folder without a disk. Every file was written elsewhere long ago and then moved here, so that it is whole. */
export class MemoryTree extends Tree {
  readonly files = new Map<string, { readonly text: string; readonly ino: number }>()
  #made = 0

  /** The root is an empty folder: schemas are looked for on the disk. */
  constructor(root: string) {
    super(root)
  }

  /** As another program writes. */
  write(path: string, text: string): void {
    this.#made += 1
    this.files.set(path, { text, ino: this.#made })
  }

  override read(path: string): FoundFile | undefined {
    const file = this.files.get(path)
    if (!file) return undefined
    const bytes = Buffer.from(file.text)
    const stamp = { ino: String(file.ino), size: bytes.length, mtime: '1' }
    return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), stamp, ctime: '2', at: 0 }
  }

  override hash(path: string): FoundFile | undefined {
    return this.read(path)
  }

  override isFile(path: string): boolean {
    return this.files.has(path)
  }

  override put(path: string, text: string | Uint8Array, before?: Parameters<Tree['put']>[2]) {
    if (!this.#isSame(path, before)) return { ok: false as const }
    this.write(path, Buffer.from(text).toString('utf8'))
    return { ok: true as const, stamp: this.read(path)!.stamp }
  }

  override remove(path: string, before: Parameters<Tree['remove']>[1]): boolean {
    return this.#isSame(path, before) && this.files.delete(path)
  }

  #isSame(path: string, before: Parameters<Tree['put']>[2]): boolean {
    const looked = before && ('stamp' in before ? before.stamp : before)
    return this.read(path)?.stamp.ino === looked?.ino
  }

  override names(folder: string): readonly string[] {
    const below = folder === '' ? '' : `${folder}/`
    const rest = [...this.files.keys()].flatMap((path) =>
      path.startsWith(below) ? [path.slice(below.length)] : [],
    )
    return [...new Set(rest.map((path) => path.split('/')[0]!))]
  }

  override fewNames(folder: string): readonly string[] {
    return this.names(folder)
  }

  override list(folder: string): readonly FolderEntry[] {
    return this.entries(folder, this.names(folder))
  }

  override entries(folder: string, names: Iterable<string>): readonly FolderEntry[] {
    return [...names].map((name): FolderEntry => {
      const found = this.read(folder === '' ? name : `${folder}/${name}`)
      if (found) return { name, ...found.stamp, ctime: found.ctime, kind: 'file' }
      return { name, ino: '0', size: 0, mtime: '1', ctime: '1', kind: 'odd', why: 'it is a folder' }
    })
  }

  override folderStamp(): undefined {
    return undefined
  }

  override make(): void {}
}
