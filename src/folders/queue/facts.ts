import { isSafeName, isSafePath, stemOf } from '../../dialects/queue/names.ts'
import { queueStatus } from '../../dialects/queue/table.ts'
import { type RecentTexts, sourcesOf } from '../../dialects/text/sources.ts'
import { valueAt } from '../../dialects/text/tree.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { present } from '../../domain/present.ts'
import type { Store } from '../../service/service.ts'

/** What the extra files of document 001 need of a handoff. */
export interface Facts {
  readonly phase?: number
  readonly status: string
  readonly handoff_id: string
  readonly updated_at: string
  /** The artifact that was handed in, with the hash that it had then. */
  readonly made?: Made
  /** Ids of the artifacts that the request cannot be worked on without. */
  readonly needs?: readonly string[]
}

export interface Made {
  readonly artifact_id: string
  readonly artifact_type?: string
  readonly phase?: number
  readonly file: string
  readonly sha256?: string
}

export async function facts(
  handoff: Handoff,
  text: string,
  store: Store,
  recent?: RecentTexts,
): Promise<Facts> {
  const [source] = sourcesOf(text, { path: 'handoff.json', recent })
  const at = (...path: readonly string[]): unknown => valueAt(source?.value, path)
  const phase = at('target', 'phase')
  const needs = needsOf(at)
  const made = handoff.state === 'completed' ? await madeBy(handoff, at, store) : undefined
  return {
    ...(typeof phase === 'number' && { phase }),
    status: queueStatus(handoff),
    handoff_id: handoff.aliases?.queue ?? handoff.id,
    updated_at: handoff.updated_at,
    ...present({ made }),
    ...(needs.length > 0 && { needs }),
  }
}

type At = (...path: readonly string[]) => unknown

function needsOf(at: At): readonly string[] {
  const stack = at('context', 'tech_stack_artifact_id')
  const carried = at('input', 'data', 'package', 'artifacts')
  const inputs = (Array.isArray(carried) ? carried : []).flatMap((each: unknown) => {
    const [path, role] = [valueAt(each, ['path']), valueAt(each, ['role'])]
    return role === 'input' && typeof path === 'string' && isArtifactPath(path) ? [stemOf(path)] : []
  })
  return [...new Set([...(typeof stack === 'string' ? [stack] : []), ...inputs])].filter(isSafeName)
}

/** An artifact of document 001 by its path. */
export const isArtifactPath = (path: string): boolean =>
  /^(?:\.[/\\])?artifacts[/\\]/.test(path) && isSafePath(path)

async function madeBy({ uid }: Handoff, at: At, store: Store): Promise<Made | undefined> {
  const [path, said, type] = ['artifact_path', 'artifact_id', 'artifact_type'].map((key) => at('output', key))
  if (typeof path !== 'string' || !isSafePath(path)) return undefined
  const file = path.replaceAll('\\', '/').replace(/^\.\//, '')
  const id = typeof said === 'string' && isSafeName(said) ? said : stemOf(file)
  if (!isSafeName(id)) return undefined
  const phase = phaseIn(file) ?? at('target', 'phase')
  const content = await store.content(uid)
  const sha256 = content?.result?.artifacts?.find((each) => each.path === path)?.sha256
  return {
    artifact_id: id,
    ...(typeof type === 'string' && { artifact_type: type }),
    ...(typeof phase === 'number' && { phase }),
    file,
    ...present({ sha256 }),
  }
}

/** `artifacts/phase-13-react/…` was made in phase 13. */
export function phaseIn(path: string): number | undefined {
  const [, number] = /^artifacts\/phase-(\d{1,3})(?:-|\/)/.exec(path) ?? []
  return number === undefined ? undefined : Number(number)
}
