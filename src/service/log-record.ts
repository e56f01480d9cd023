import type { Actor } from '../domain/actor.ts'
import type { Append } from '../storage/store.ts'
import type { ServiceDeps } from './deps.ts'

type LogRecord = Append['record']

/** The log's record of an act: who did it, to which version of what, and when. */
export const logRecord = (act: string, actor: Actor, sub: LogRecord['sub'], ts: string): LogRecord => ({
  act,
  actor: { id: actor.name },
  auth: actor.auth,
  sub,
  ts,
})

/** The log stream of the workspace's administration. */
export const adminStream = (deps: ServiceDeps): string => deps.store.info.origin.split('/').at(-1) ?? ''
