import { artifactFile, artifactId, fillDestination, isSafePath } from '../../dialects/queue/names.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { HOME_RULES } from '../../domain/home.ts'
import type { ServiceDeps } from '../deps.ts'
import { draftOf } from './export.ts'

/** The folders that document 001 shows, by phase. */
const PHASE_NAMES: Readonly<Record<number, string>> = {
  7: 'tech-stack',
  13: 'react',
  14: 'dotnet',
  15: 'database',
  16: 'azure-devops',
}
const USUAL_PHASE = 13

/**
 * Path of the artifact of a handoff with a file of document 001: the one in the request, else one in the folder
 * of its phase. Undefined for every other handoff.
 */
export async function queueArtifactPath(
  deps: ServiceDeps,
  handoff: Handoff,
  type: string,
): Promise<string | undefined> {
  if (!HOME_RULES[handoff.home].folder.includes('artifacts') || !deps.live?.has(handoff.home))
    return undefined
  const { draft } = await draftOf(deps, handoff)
  const epochMs = deps.now().getTime()
  const { destination, artifact_type: wanted = type } = draft.expected_output ?? {}
  if (typeof destination === 'string' && wanted === type) {
    const path = fillDestination(destination, epochMs).replace(/^\.\//, '')
    if (isSafePath(path) && path.startsWith('artifacts/') && path.endsWith('.json')) return path
  }
  const own = handoff.to.replace(/-specialist$/, '')
  const given = draft.to_phase ?? deps.policy.agents?.[handoff.to]?.phase
  const name = (given === undefined ? undefined : PHASE_NAMES[given]) ?? own
  const named = Object.keys(PHASE_NAMES).find((phase) => PHASE_NAMES[Number(phase)] === own)
  return artifactFile(
    given ?? Number(named ?? USUAL_PHASE),
    name,
    artifactId(type.replace(/\.json$/, ''), epochMs),
  )
}
