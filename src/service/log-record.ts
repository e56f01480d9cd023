import type { Actor } from '../domain/actor.ts'
import type { Append } from '../storage/store.ts'

type LogRecord = Append['record']

/** The log's record of an act: who did it, to which version of what, and when. */
export const logRecord = (act: string, actor: Actor, sub: LogRecord['sub'], ts: string): LogRecord => ({
  act,
  actor: { id: actor.name },
  auth: actor.auth,
  sub,
  ts,
})
