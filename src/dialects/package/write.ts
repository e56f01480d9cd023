import { stringify } from 'yaml'
import { ANYONE } from '../../domain/actor.ts'
import type { ArtifactRef } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import type { DraftProblem, Native } from '../dialect.ts'
import { type Data, isData, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { insideProject } from './artifacts.ts'
import { withExtra } from './extra.ts'
import { nativeAcknowledgment } from './files/acknowledgment.ts'
import { filled, orNothing } from './filled.ts'
import { nativeGate, nativeGateResponse } from './gate.ts'
import { inferType } from './types.ts'
import { statusOf } from './words.ts'

/** A draft in the keys of document 004, in their order. Keys that the document does not know come after its own. */
export function toNative(draft: Draft): Native {
  const form = formFor(draft)
  const missing = form === 'package' ? missingIn(draft) : []
  if (missing.length > 0) return { ok: false, missing }
  const value = NATIVE[form](draft)
  const written = isOwn(draft) ? withExtra(value, draft.extra ?? {}) : value
  const body = isOwn(draft) ? draft.body : undefined
  return { ok: true, value: written, ...present({ body }) }
}

type PackageForm = 'package' | 'acknowledgment' | 'gate_response'

const NATIVE: Readonly<Record<PackageForm, (draft: Draft) => Data>> = {
  package: (draft) =>
    filled({
      handoff: nativeHandoff(draft),
      acknowledgment: nativeAcknowledgment(draft),
      gate_response: nativeGateResponse(draft),
    }),
  acknowledgment: (draft) => filled({ acknowledgment: nativeAcknowledgment(draft) }),
  gate_response: (draft) => filled({ gate_response: nativeGateResponse(draft) }),
}

/** An answer without the package that it answers says nothing else. */
function formFor(draft: Draft): PackageForm {
  const { acknowledgment, gate, accepted_at, accepted_by, ack_notes, extra, ...rest } = draft
  if (keysOf(rest).length > 0) return 'package'
  if (acknowledgment !== undefined && gate === undefined) return 'acknowledgment'
  const answered = gate?.response !== undefined && gate.name === undefined && gate.type === undefined
  return answered && acknowledgment === undefined ? 'gate_response' : 'package'
}

/** Whether unknown keys are a package's: only its reader keeps them by its own roots. */
export const isOwn = ({ extra }: Draft): boolean =>
  ['handoff', 'acknowledgment', 'gate_response'].some((root) => isData(own(extra, root)))

function missingIn(draft: Draft): DraftProblem[] {
  // What was read from a package without them can still be changed elsewhere.
  if (isOwn(draft)) return []
  const missing: DraftProblem[] = []
  if (draft.from === undefined)
    missing.push({ field: 'from', reason: 'a package names the agent that sends it' })
  if (draft.to === undefined || draft.to === null)
    missing.push({ field: 'to', reason: `a package goes to an agent, or to ${ANYONE} for a person` })
  return missing
}

function nativeHandoff(draft: Draft): Data {
  const { package: travels = {}, state } = draft
  const validation = travels.validation_request
  const native = filled({
    id: draft.id,
    timestamp: draft.created_at,
    from: orNothing({ agent: draft.from, step: draft.from_step, role: draft.from_role }),
    to: orNothing({
      agent: draft.to ?? undefined,
      reason: receiverReason(draft),
      step: draft.to_step,
      role: draft.to_role,
    }),
    gate: nativeGate(draft),
    context: orNothing({
      summary: summaryOf(draft),
      background: travels.summary === undefined ? undefined : travels.context,
      decisions: travels.decisions?.map(({ id, decision, rationale }) => filled({ id, decision, rationale })),
      artifacts: artifactsOf(draft)?.map(nativeArtifact),
      open_questions: travels.open_questions?.map(({ question, priority, context }) =>
        filled({ question, priority, context }),
      ),
      data: dataOf(draft),
      input: travels.input,
    }),
    validation_request: validation && filled({ items: validation.items, options: validation.options }),
    expectations: orNothing({
      deliverable: deliverableOf(draft),
      constraints: travels.constraints,
      success_criteria: travels.criteria,
    }),
    workflow_state: workflowOf(draft),
  })
  const forPerson = draft.to === ANYONE || draft.type === 'gate' || draft.type === 'escalation'
  return {
    ...native,
    ...filled({
      type: draft.type === inferType(marksOfNative(native, draft)) ? undefined : draft.type,
      status: state && statusOf(state, forPerson),
      title: draft.title,
      priority: draft.priority,
      task: taskIsWorkflow(draft) ? undefined : draft.task,
      project: draft.project,
      in_reply_to: draft.in_reply_to,
    }),
  }
}

const marksOfNative = (native: Data, draft: Draft) => ({
  gate: native.gate !== undefined,
  to: draft.to,
  step: draft.from_step,
  answers: false,
  workflow: native.workflow_state !== undefined,
  expectations: native.expectations !== undefined,
})

/** What goes to an agent for a purpose goes to it for that reason. */
const receiverReason = ({ to_reason, package: travels }: Draft): string | undefined =>
  to_reason ?? travels?.purpose

const summaryOf = ({ package: travels, record }: Draft): string | undefined =>
  travels?.summary ?? travels?.context ?? record?.summary

/** Document 004 has one deliverable. */
function deliverableOf({ to_reason, package: travels }: Draft): string | undefined {
  const { deliverables = [], purpose } = travels ?? {}
  if (deliverables.length > 0) return deliverables.join('; ')
  return to_reason === undefined ? undefined : purpose
}

/** What was made or changed is handed on by its path, whichever format it comes from. */
export function artifactsOf({ package: travels, result, record }: Draft): readonly ArtifactRef[] | undefined {
  const known = new Set(travels?.artifacts?.map(({ path }) => path))
  const meeting = own(travels?.links, 'meeting')
  const more: ArtifactRef[] = [
    ...(result?.artifacts ?? []),
    ...(record?.files_changed ?? []).filter((path) => path !== '').map((path) => ({ path })),
    ...(typeof meeting === 'string' && isFile(meeting) ? [{ path: meeting, type: 'doc' }] : []),
  ]
  const added = more.filter(({ path }) => !known.has(path) && known.add(path))
  return travels?.artifacts || added.length > 0 ? [...(travels?.artifacts ?? []), ...added] : undefined
}

const isFile = (text: string): boolean => /^[\w./-]+\.\w+$/.test(text) && insideProject(text) !== undefined

const nativeArtifact = ({ path, type, description, role, sha256, commit }: ArtifactRef): Data =>
  filled({ path, type, description, role, sha256, commit })

function dataOf({ package: travels, record }: Draft): Data | undefined {
  const { summary: _summary, files_changed: _files, ...rest } = record ?? {}
  if (keysOf(rest).length === 0 || own(travels?.data, 'record') !== undefined) return travels?.data
  return { ...travels?.data, record: rest }
}

/** The name of the workflow is the nearest that document 004 has to a task; a step of one that has a name keeps it. */
function workflowOf(draft: Draft): Data | undefined {
  if (draft.task === undefined || !taskIsWorkflow(draft)) return draft.workflow
  return { name: draft.task, ...draft.workflow }
}

export function taskIsWorkflow({ task, workflow }: Draft): boolean {
  const name = own(workflow, 'name')
  return task === undefined || name === undefined || name === task
}

/** The strict form: block style, and in quotes whatever an older reader would take for a truth value or a number. */
export function print(native: { readonly value: Record<string, unknown>; readonly body?: string }): string {
  const yaml = stringify(native.value, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 })
  return native.body === undefined || native.body === '' ? yaml : `---\n${yaml}---\n${native.body}`
}
