import { createHash } from 'node:crypto'
import type { artifactFields } from '../../domain/handoffs/inputs.ts'
import type { Given } from '../../domain/once.ts'
import { present } from '../../domain/present.ts'
import type { Artifact } from '../../storage/store.ts'
import type { Call } from '../deps.ts'
import { adminStream, enter } from '../log-record.ts'
import { find } from '../lookup.ts'
import { refuse, UseCases, write } from '../write.ts'
import { addUsage, keepAlive } from './attempts.ts'

export const MAX_BLOB_BYTES = 10 * 1024 * 1024

type ArtifactInput = Given<typeof artifactFields> & { readonly bytes?: Uint8Array | undefined }

/** Files that travel with the work: by path, by hash, or with their bytes. */
export class Artifacts extends UseCases {
  async put(call: Call, input: ArtifactInput): Promise<Artifact> {
    const deps = this.deps
    const { bytes, handoff: ref, ...named } = input
    if (bytes && bytes.length > MAX_BLOB_BYTES)
      refuse(
        'too_large',
        `${input.path} has ${bytes.length} bytes; at most ${MAX_BLOB_BYTES} are stored, name its path and sha256 instead`,
        { size: bytes.length, limit: MAX_BLOB_BYTES },
      )
    const sha256 = bytes ? createHash('sha256').update(bytes).digest('hex') : input.sha256
    if (bytes && input.sha256 !== undefined && input.sha256 !== sha256)
      refuse('invalid_input', `the bytes of ${input.path} do not have the given sha256`, {
        sha256,
        given: input.sha256,
      })
    const handoff = ref === undefined ? undefined : await find(deps, ref)
    const uid = deps.newUid()
    const stream = handoff?.root ?? adminStream(deps)
    return write(deps, call, {
      op: 'artifact_put',
      input: { ...named, ...present({ sha256 }), handoff: handoff?.uid },
      reads: { streams: [stream], handoffs: handoff ? [handoff.uid] : [] },
      decide: (step) => {
        const { view } = step
        const artifact: Artifact = {
          uid,
          path: named.path,
          ...present({
            type: named.type,
            role: named.role,
            description: named.description,
            handoff: handoff?.uid,
            sha256,
            commit: named.commit,
            size: bytes?.length,
          }),
          stored: bytes !== undefined,
          by: call.actor.name,
          created_at: step.at,
        }
        view.addArtifact(artifact, bytes)
        const held = handoff && view.handoff(handoff.uid)
        if (held && named.usage) addUsage(step, held, named.usage)
        else if (held) keepAlive(step, held)
        const fields = { path: named.path, sha256 }
        enter(step, 'artifact.put', { k: 'artifact', id: uid, stream, subject: handoff?.uid, fields })
        return artifact
      },
      reload: (subject) => deps.store.artifact(subject),
    })
  }

  async get(uid: string): Promise<{ readonly artifact: Artifact; readonly bytes?: Uint8Array }> {
    const artifact = await this.deps.store.artifact(uid)
    if (!artifact) refuse('not_found', `there is no artifact ${uid}; check its uid`, { uid })
    const bytes = artifact.stored && artifact.sha256 ? await this.deps.store.blob(artifact.sha256) : undefined
    return { artifact, ...present({ bytes }) }
  }
}
