import { readDocuments } from '../dialects/index.ts'
import { basePlace, type Format, ownPlace, toBaseText, toOwnText } from '../dialects/relative.ts'
import { Tree } from './files/tree.ts'
import type { FolderKind } from './folder.ts'

/** A live folder in a team's own format: the base's folder with the team's paths, keys and words. */
export function relativeFolder(base: FolderKind, format: Format): FolderKind {
  const mine = (path: string): string => ownPlace(path, format)
  const theirs = (path: string): string => basePlace(path, format)
  const inBase = (text: string, path = ''): string => toBaseText(text, path, format)
  const seen = (tree: Tree): Tree => new PlacedTree(tree.root, mine)
  return {
    ...base,
    made: base.made.map(mine),
    place: (handoff) => {
      const place = base.place(handoff)
      return place === undefined ? undefined : mine(place)
    },
    fits: (handoff, path) => base.fits(handoff, theirs(path)),
    flat: (tree) => base.flat(seen(tree)).map(mine),
    every: (tree) => [...base.every(seen(tree))].map(mine),
    ...(base.archives && { archives: (tree) => base.archives!(seen(tree)).map(mine) }),
    ...(base.around && { around: (tree) => base.around!(seen(tree)).map(mine) }),
    ...(base.isLater && { isLater: (path, own) => base.isLater!(theirs(path), theirs(own)) }),
    ...(base.scope && { scope: (path) => base.scope!(theirs(path)) }),
    at: mine,
    read: (text, path, recent) => {
      const [document] = readDocuments(text, { path, formats: [format], recent })
      const error = document?.diagnostics.find(({ severity }) => severity === 'error')
      // Named by its line in the team's text.
      if (error && document?.format)
        return { is: 'unreadable', reason: `line ${error.line}: ${error.message}` }
      return base.read(inBase(text, path), theirs(path), recent)
    },
    write: (known) => {
      const { base: before, agreed } = known
      const written = base.write({
        ...known,
        ...(before !== undefined && { base: inBase(before) }),
        ...(agreed?.text !== undefined && { agreed: { ...agreed, text: inBase(agreed.text) } }),
      })
      return written.ok ? { ok: true, text: toOwnText(written.text, format, before) } : written
    },
    facts: (handoff, text, ...at) => base.facts(handoff, inBase(text), ...at),
    refusesNew: (draft, path) => base.refusesNew(draft, theirs(path)),
    plan: (change) => base.plan({ ...change, path: theirs(change.path), place: theirs(change.place) }),
  }
}

/** Lists the team's folders under the names that the base has for them. */
class PlacedTree extends Tree {
  readonly #mine: (path: string) => string

  constructor(root: string, mine: (path: string) => string) {
    super(root)
    this.#mine = mine
  }

  override list(folder: string) {
    return super.list(this.#mine(folder))
  }

  override names(folder: string) {
    return super.names(this.#mine(folder))
  }
}
