import type { Source } from '../../text/source.ts'

/** A package in the archive of a project. */
export interface Archived {
  readonly session: string
  readonly id: string
}

const SESSIONS_FOLDER = '.project/07-audit/sessions'
const ARCHIVED = /(?:^|\/)\.project\/07-audit\/sessions\/([^/]+)\/handoffs\/([^/]+)\.ya?ml$/i
const SESSION_PAGE = /(?:^|\/)07-audit\/sessions\/(?:[^/]+\/)?(?:session[^/]*|[^/]*session)\.md$/i
const HEADING = /^#[ \t]+Session\b[^:\n]*:[ \t]*(.+)$/im

/** One part of a path, whatever the file system: no separators, no dots at the ends, no device names. */
const SAFE = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9][a-z0-9._-]{0,99}$/i

export const isSafeName = (name: string): boolean => SAFE.test(name) && !name.endsWith('.')

/** Where a handoff of a session is archived; undefined when a name cannot be one of a file. */
export const archivePath = ({ session, id }: Archived): string | undefined =>
  isSafeName(session) && isSafeName(id) ? `${SESSIONS_FOLDER}/${session}/handoffs/${id}.yaml` : undefined

export function archivedAt(path: string): Archived | undefined {
  const [, session, id] = ARCHIVED.exec(path) ?? []
  return session === undefined || id === undefined ? undefined : { session, id }
}

export function isSessionPage({ kind, path, body, value }: Source): boolean {
  if (kind !== 'markdown' || value !== undefined) return false
  return (
    (path !== undefined && SESSION_PAGE.test(path)) ||
    (body !== undefined && HEADING.test(body.slice(0, 400)))
  )
}
