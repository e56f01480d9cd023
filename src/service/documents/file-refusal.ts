import { hash } from 'node:crypto'
import type { ErrorCode } from '../../domain/errors.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Call, ServiceDeps } from '../deps.ts'
import { adminStream, enter } from '../log-record.ts'
import { addNotice } from '../people/notification.ts'
import { write } from '../write.ts'

export interface RefusedFile {
  /** Relative to the project. */
  readonly path: string
  readonly sha256: string
  readonly reason: string
  readonly code?: ErrorCode | undefined
  /** The agent that is told; nobody where the author is not known here. */
  readonly to?: string | undefined
  /** The handoff that the file is about, where it is known. */
  readonly handoff?: Pick<Handoff, 'uid' | 'id' | 'root' | 'rev'>
}

/** Tells somebody, mostly whoever a file claims to be from, that it was refused, and leaves an entry in the log; once for each version. */
export async function noteRefusedFile(deps: ServiceDeps, call: Call, refused: RefusedFile): Promise<void> {
  const { path, sha256, reason, code, to, handoff } = refused
  const stream = handoff?.root ?? adminStream(deps)
  const about = handoff ?? { uid: stream, id: path.slice(0, 200), rev: 1 }
  await write(
    deps,
    { actor: call.actor, key: hash('sha256', `${handoff?.rev ?? 0} ${sha256} ${path}`) },
    {
      op: 'file_refused',
      input: { path, sha256 },
      reads: { streams: [stream], ...present({ handoffs: handoff && [handoff.uid] }) },
      decide: (step) => {
        const text = `${path} was refused: ${reason}`
        const uid = to === undefined ? about.uid : addNotice(step, to, 'refused', about, text)
        const kind = handoff ? 'handoff' : 'workspace'
        const fields = present({ path, sha256, reason, code })
        enter(step, 'file.refused', { k: kind, id: about.uid, rev: about.rev, stream, fields })
        return { uid, rev: 1 }
      },
      reload: async (subject) => ({ uid: subject, rev: 1 }),
    },
  )
}
