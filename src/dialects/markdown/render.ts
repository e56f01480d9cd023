import type { Draft } from '../draft.ts'

/** An instant as document 000 writes it: UTC, to the second. What is no instant stays as it is. */
export function seconds(time: string): string {
  const at = Date.parse(time)
  return Number.isNaN(at) ? time : `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** The body that document 000's template gives to a handoff. It repeats the front matter for people. */
export function renderBody(draft: Draft): string {
  const { package: pack = {} } = draft
  const sections = [
    `# Handoff: ${oneLine(draft.title ?? draft.id ?? '')}`,
    `## From: ${displayName(draft.from, draft.from_role)}\n## To: ${displayName(draft.to, draft.to_role)}`,
    section('Purpose', (pack.purpose ?? draft.to_reason)?.trim()),
    section('Context', (pack.context ?? pack.summary)?.trim()),
    section('Deliverables', list(pack.deliverables)),
    section('Verification Criteria', list(pack.criteria)),
    ...onlyHere(draft),
    section('Timeline', timeline(draft)),
    section('References', references(draft)),
  ]
  return `\n${sections.filter((text) => text !== undefined).join('\n\n')}\n`
}

/** What the front matter has no key for. */
function onlyHere({ package: pack = {} }: Draft): (string | undefined)[] {
  return [
    section('Constraints', list(pack.constraints)),
    section(
      'Decisions',
      list(pack.decisions?.map(({ decision, rationale }) => withReason(decision, rationale))),
    ),
    section(
      'Open Questions',
      list(pack.open_questions?.map(({ question, context }) => withReason(question, context))),
    ),
    section(
      'Artifacts',
      list(pack.artifacts?.map(({ path, description }) => withReason(`\`${path}\``, description))),
    ),
  ]
}

const withReason = (text: string, reason: string | undefined): string =>
  reason === undefined ? text : `${text} (${reason})`

function timeline({ created_at, ack_deadline, target_completion }: Draft): string | undefined {
  return list([
    ...(created_at === undefined ? [] : [`Created: ${seconds(created_at)}`]),
    ...(ack_deadline === undefined ? [] : [`Expires if not acknowledged: ${seconds(ack_deadline)}`]),
    ...(target_completion === undefined ? [] : [`Target completion: ${target_completion}`]),
  ])
}

function references({ task, package: pack = {} }: Draft): string | undefined {
  const { meeting, skill } = pack.links ?? {}
  return list([
    ...(task === undefined ? [] : [`Task: ${link(task)}`]),
    ...(meeting === undefined ? [] : [`Meeting: ${link(meeting)}`]),
    ...(skill === undefined ? [] : [`Skill: ${link(skill)}`]),
  ])
}

const section = (title: string, text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : `### ${title}\n${text}`

const list = (items: readonly string[] | undefined): string | undefined =>
  items === undefined || items.length === 0 ? undefined : items.map((item) => `- ${oneLine(item)}`).join('\n')

const link = (target: string): string =>
  `[${target}](${/^[\w./#-]+$/.test(target) ? target : `<${oneLine(target).replace(/[<>]/g, '')}>`})`

const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

function displayName(agent: string | null | undefined, role: string | undefined): string {
  const words = (agent ?? 'nobody')
    .split(/[-_]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return role === undefined ? words.join(' ') : `${words.join(' ')} (${oneLine(role)})`
}
