import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { withEvidence, withFix } from '../../input/evidence.ts'
import type { Extra } from '../../operation-command.ts'
import type { Shell } from '../../shell.ts'

/** Work that lacks evidence is told with the words to type. */
export const submit: Extra = {
  async before(shell, session, typed) {
    const input = await withEvidence(session, typed, { field: 'evidence', option: 'evidence' })
    pointOutMissing(shell, input.evidence)
    return { input }
  },
  refused(_, error) {
    return withFix(error, 'evidence', (options) => `add ${options}`)
  },
}

/** A path with an extension, and nothing else. */
const PATH = /^[\w@+./-]*\w\.[a-z]\w{0,5}$/i

function pointOutMissing(shell: Shell, evidence: unknown): void {
  if (!Array.isArray(evidence)) return
  for (const { deliverable, evidence: proof } of evidence as Record<string, string>[])
    if (PATH.test(proof ?? '') && !evidenceExists(shell.io.cwd, proof!))
      shell.warn(`${proof} is the evidence for ${JSON.stringify(deliverable)}, and no such file is here`)
}

/** Below this folder or one above it: people name paths from the root of the project. */
const evidenceExists = (folder: string, path: string): boolean =>
  existsSync(resolve(folder, path)) || (folder !== dirname(folder) && evidenceExists(dirname(folder), path))
