import type { AuditSession } from '../../domain/audit-session.ts'
import { present } from '../../domain/present.ts'
import type { SessionFilter } from '../../storage/store.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { enter } from '../log-record.ts'
import { refuse, write } from '../write.ts'
import { newestCheckpoint } from './checkpoints.ts'

/** Marks the start of auditable work: from here to the seal, the caller's entries belong to the session. */
export async function startSession(deps: ServiceDeps, call: Call): Promise<AuditSession> {
  const uid = deps.newUid()
  // Ties the session to what was signed before: it cannot have begun earlier.
  const checkpoint = await newestCheckpoint(deps)
  return write(deps, call, {
    op: 'audit_session_start',
    input: {},
    reads: { sessions: [uid] },
    decide: (step) => {
      const session: AuditSession = {
        uid,
        id: `AS-${uid.slice(-12)}`,
        rev: 1,
        by: call.actor.name,
        state: 'open',
        started_at: step.at,
      }
      const cp = checkpoint && { size: checkpoint.size, root: checkpoint.root }
      const record = { ...present({ cp }), to: 'open' }
      enter(step, 'audit_session_start', { k: 'session', id: uid, stream: uid, record })
      step.view.putSession(session)
      return session
    },
    reload: (subject) => deps.store.session(subject),
  })
}

/** The session that is named, else the caller's open one, else the newest of the workspace. */
export async function findSession(deps: ServiceDeps, call: Call, ref?: string): Promise<AuditSession> {
  const { store } = deps
  if (ref !== undefined) {
    const named = await store.session(ref)
    return (
      named ??
      refuse('not_found', `there is no audit session ${ref}; see what is there with: baton audit sessions`, {
        session: ref,
      })
    )
  }
  const newest = async (filter: SessionFilter) => (await store.sessions(filter, { limit: 1 })).items[0]
  const found = (await newest({ by: call.actor.name, state: ['open', 'sealing'] })) ?? (await newest({}))
  return (
    found ??
    refuse('wrong_state', 'there is no audit session; begin one with audit_session_start first', {
      missing: 'audit_session_start',
    })
  )
}
