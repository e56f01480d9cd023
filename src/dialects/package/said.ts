import { ANYONE } from '../../domain/actor.ts'
import type { ArtifactRef } from '../../domain/handoffs/package.ts'
import { present } from '../../domain/present.ts'
import { type Data, keysOf, own } from '../difference.ts'
import type { Draft } from '../draft.ts'
import { insideProject } from './artifacts.ts'
import { inferType } from './types.ts'
import { CLARIFY } from './values.ts'
import { type PackageStatus, statusOf } from './words.ts'

/** Written with something else. */
export const unwritten = (): undefined => undefined

export const someReceiver = ({ to }: Draft): string | undefined => to ?? undefined

/** A purpose is a reason to send it to this agent. */
export const anyReason = ({ to_reason, package: travels }: Draft): string | undefined =>
  to_reason ?? travels?.purpose

export const anySummary = ({ package: travels, record }: Draft): string | undefined =>
  travels?.summary ?? travels?.context ?? record?.summary

export const backgroundBeside = ({ package: travels }: Draft): string | undefined =>
  travels?.summary === undefined ? undefined : travels.context

/** Document 004 has one deliverable. */
export function oneDeliverable({ to_reason, package: travels }: Draft): string | undefined {
  const { deliverables = [], purpose } = travels ?? {}
  if (deliverables.length > 0) return deliverables.join('; ')
  return to_reason === undefined ? undefined : purpose
}

/** Files that were made or changed are handed on by their paths, whichever format they come from. */
export function listedArtifacts({
  package: travels,
  result,
  record,
}: Draft): readonly ArtifactRef[] | undefined {
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

export function dataAndRecord({ package: travels, record }: Draft): Data | undefined {
  const { summary: _summary, files_changed: _files, ...rest } = record ?? {}
  if (keysOf(rest).length === 0 || own(travels?.data, 'record') !== undefined) return travels?.data
  return { ...travels?.data, record: rest }
}

/** The name of the workflow is the nearest that document 004 has to a task; a step of one that has a name keeps it. */
export function workflowWithTask(draft: Draft): Data | undefined {
  if (draft.task === undefined || taskUnlessWorkflow(draft) !== undefined) return draft.workflow
  return { name: draft.task, ...draft.workflow }
}

/** Written only if the workflow has another name. */
export function taskUnlessWorkflow({ task, workflow: steps }: Draft): string | undefined {
  const name = own(steps, 'name')
  return name === undefined || name === task ? undefined : task
}

/** Written only if it does not follow from the rest. */
export function typeUnlessInferred(draft: Draft): Draft['type'] {
  const { gate, to, from_step, package: travels } = draft
  const expected = [oneDeliverable(draft), travels?.constraints, travels?.criteria]
  const inferred = inferType({
    gate: [gate?.type, gate?.name, gate?.step].some((each) => each !== undefined),
    to,
    step: from_step,
    answers: false,
    workflow: workflowWithTask(draft) !== undefined,
    expectations: expected.some((each) => each !== undefined),
  })
  return draft.type === inferred ? undefined : draft.type
}

export function statusWord({ state, to, type: kind }: Draft): PackageStatus | undefined {
  return state && statusOf(state, to === ANYONE || kind === 'gate' || kind === 'escalation')
}

/** An answer says at least that the package was received. */
export const hasAnswer = ({ acknowledgment, accepted_at, accepted_by, ack_notes }: Draft): boolean =>
  [acknowledgment, accepted_at, accepted_by, ack_notes].some((each) => each !== undefined)

/** Whether the receiver asked back instead of saying what it understood. */
export const hasAsked = ({ acknowledgment }: Draft): boolean =>
  acknowledgment?.understood === 'partial' || acknowledgment?.understood === 'no'

export const receivedAgain = (draft: Draft): unknown =>
  hasAnswer(draft) ? (own(own(draft.extra, 'acknowledgment'), 'received') ?? true) : undefined

export const answeredTo = (draft: Draft): string | undefined =>
  hasAnswer(draft) ? (draft.acknowledgment?.from ?? draft.from) : undefined

export const answeredAt = ({ acknowledgment, accepted_at }: Draft): string | undefined =>
  acknowledgment?.at ?? accepted_at

export function understoodAs(draft: Draft): unknown {
  const { understood: word, understanding = [] } = draft.acknowledgment ?? {}
  const [first, ...rest] = understanding
  if (hasAsked(draft) || first === undefined) return word
  return { task: first, ...present({ constraints: rest.length > 1 ? rest : rest[0] }) }
}

export function startingUnlessAsked(draft: Draft): boolean | undefined {
  const found = draft.acknowledgment?.starting
  return hasAsked(draft) && found === false ? undefined : found
}

export const clarification = (draft: Draft): string | undefined => (hasAsked(draft) ? CLARIFY : undefined)
