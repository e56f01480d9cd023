import type { ArtifactRef, Result } from '../../domain/handoffs/package.ts'
import { own } from '../difference.ts'

/** The one artifact that a response has a key for. */
export const namedArtifact = (artifacts: readonly ArtifactRef[] = []): ArtifactRef | undefined =>
  artifacts.find(({ role }) => role === 'output') ?? artifacts[0]

/**
 * Where the artifacts lie that work hands in: those it lists as made, the one that the response will name, and what
 * its output says under the document's own key. What was only read or changed may be gone.
 */
export function artifactPaths({ artifacts = [], output }: Result): readonly string[] {
  const said = own(output, 'artifact_path')
  const made = artifacts.filter(({ role = 'output' }) => role === 'output')
  const named = namedArtifact(artifacts)
  const paths = (named ? [named, ...made] : made).map(({ path }) => path)
  return [...new Set(typeof said === 'string' ? [...paths, said] : paths)]
}
