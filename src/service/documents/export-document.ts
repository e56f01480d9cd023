import type { Call, ServiceDeps } from '../deps.ts'
import { refuse } from '../write.ts'
import { type Exported, type ExportInput, exportTask, keptOf } from './export.ts'
import { workOn } from './text-work.ts'

/** A handoff or a task as a document. One that came from a document of this dialect keeps all of it that did not change. */
export async function exportDocument(deps: ServiceDeps, call: Call, input: ExportInput): Promise<Exported> {
  const handoff = await deps.store.handoff(input.id)
  if (handoff) {
    const kept = await keptOf(deps, handoff)
    const { length } = JSON.stringify(kept)
    return workOn(call, 'export', { kept, input, formats: deps.formats }, { length })
  }
  const row = await deps.store.task(input.id)
  if (row) return exportTask(deps, row, input)
  return refuse(
    'not_found',
    `there is no handoff and no task ${input.id}; see what is there with: baton list ${input.id}`,
    { id: input.id },
  )
}
