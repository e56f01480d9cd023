import type { FieldProblem } from '../../domain/problem.ts'
import type { Draft } from '../draft.ts'

/** What the caller saw on disk, by artifact path as written. A path without an entry was not looked at. */
export type Kinds = ReadonlyMap<string, 'file' | 'directory' | 'missing'>

/** `./a//b/../c/` as `a/c`; undefined when the path is not one inside the project. */
export function insideProject(path: string): string | undefined {
  const plain = path.trim().replaceAll('\\', '/')
  // A drive, a scheme, a home folder or the root: none of them is relative to the project.
  if (/^(?:\/|~|[a-z][a-z0-9+.-]*:)/i.test(plain) || plain.includes('\0')) return undefined
  const parts: string[] = []
  for (const part of plain.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

const isFolder = (path: string, kinds: Kinds | undefined): boolean =>
  /[/\\]$/.test(path.trim()) || kinds?.get(path) === 'directory'

/**
 * Rule 2 of document 004 against what really happened: every file that was created or changed stands in
 * `context.artifacts`. A file below a listed folder counts, with a warning, because its exact path is not there.
 */
export function artifactsAgainstGit(
  draft: Draft,
  changedFiles: readonly string[],
  kinds?: Kinds,
): readonly FieldProblem[] {
  const exact = new Set<string>()
  const folders = new Set<string>()
  for (const { path } of draft.package?.artifacts ?? []) {
    const inside = insideProject(path)
    if (inside === undefined) continue
    if (isFolder(path, kinds)) folders.add(inside)
    else exact.add(inside)
  }
  return changedFiles.flatMap((file): FieldProblem[] => {
    const path = insideProject(file) ?? file
    if (exact.has(path)) return []
    const folder = parentsOf(path).find((each) => folders.has(each))
    return folder === undefined
      ? [unlisted('artifact_unlisted', file, 'was changed and is not among the artifacts')]
      : [unlisted('artifact_listed_by_folder', file, `is listed only by its folder ${folder || '.'}/`)]
  })
}

/** The nearest first; the project itself, as an empty name, last. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.map((_, i) => parts.slice(0, parts.length - 1 - i).join('/'))
}

const unlisted = (code: string, file: string, why: string): FieldProblem => ({
  severity: 'warning',
  code,
  message: `${file} ${why}; add "- path: ${file}" to context.artifacts`,
  field: 'package.artifacts',
})
