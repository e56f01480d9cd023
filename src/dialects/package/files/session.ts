import { present } from '../../../domain/present.ts'
import type { Source } from '../../text/source.ts'

/** A package in the archive of a project. */
export interface Archived {
  readonly session: string
  readonly id: string
}

/** What a session's own page says about it. */
export interface SessionFile {
  readonly id?: string
  readonly date?: string
  readonly workflow?: string
  readonly status?: string
  readonly agents: readonly string[]
  readonly gates: readonly string[]
}

const SESSIONS_FOLDER = '.project/07-audit/sessions'
const ARCHIVED = /(?:^|\/)\.project\/07-audit\/sessions\/([^/]+)\/handoffs\/([^/]+)\.ya?ml$/i
const SESSION_PAGE = /(?:^|\/)07-audit\/sessions\/(?:[^/]+\/)?(?:session[^/]*|[^/]*session)\.md$/i
const HEADING = /^#[ \t]+Session\b[^:\n]*:[ \t]*(.+)$/im

/** One part of a path, whatever the file system: no separators, no dots at the ends, no device names. */
const SAFE = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[a-z0-9][a-z0-9._-]{0,99}$/i

export const isSafeName = (name: string): boolean => SAFE.test(name) && !name.endsWith('.')

/** Where a handoff of a session is archived; undefined when a name cannot be one of a file. */
export function archivePath({ session, id }: Archived): string | undefined {
  return isSafeName(session) && isSafeName(id)
    ? `${SESSIONS_FOLDER}/${session}/handoffs/${id}.yaml`
    : undefined
}

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

/** `> **Date** : …`, in English or French. */
const FACTS: readonly (readonly ['date' | 'workflow' | 'status', RegExp])[] = [
  ['date', /^>?[ \t]*\*\*Date\*\*[ \t]*:[ \t]*(\S.*)$/im],
  ['workflow', /^>?[ \t]*\*\*Workflow\*\*[ \t]*:[ \t]*(\S.*)$/im],
  ['status', /^>?[ \t]*\*\*(?:Statut|Status)\*\*[ \t]*:[ \t]*(\S.*)$/im],
]
const AGENT_LINE = /^\*\*Agent\*\*[ \t]*:[ \t]*`?([^`\n]+)`?[ \t]*$/gim
const GATE = /^#{2,4}[^\n:]{0,20}\bGate[ \t]*:[ \t]*(\S.*)$/gim

/** The facts of a session page. What is not there is left out. */
export function readSession({ body = '' }: Pick<Source, 'body'>): SessionFile {
  const facts = FACTS.flatMap(([name, pattern]) => {
    const found = pattern.exec(body)?.[1]?.trim()
    return found === undefined ? [] : [[name, found] as const]
  })
  const id = HEADING.exec(body)?.[1]?.trim()
  return {
    ...present({ id }),
    ...Object.fromEntries(facts),
    agents: [...new Set([...body.matchAll(AGENT_LINE)].map(([, agent]) => agent!.trim()))],
    gates: [...body.matchAll(GATE)].map(([, gate]) => gate!.trim()),
  }
}
