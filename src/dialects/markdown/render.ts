import type { Draft } from '../draft.ts'
import { seconds } from '../text/time.ts'
import { IN_BODY } from './table.ts'

export interface BodySection {
  readonly name: string
  readonly text: string
  /** The front matter has no key for it. */
  readonly isOnlyHere?: true
}

/** The body that document 000's template gives to a handoff. It repeats the front matter for people. */
export const renderBody = (draft: Draft): string =>
  `\n${bodySections(draft)
    .map(({ text }) => text)
    .join('\n\n')}\n`

export function bodySections(draft: Draft): readonly BodySection[] {
  const { package: pack = {} } = draft
  const sides = `## From: ${displayName(draft.from, draft.from_role)}\n## To: ${displayName(draft.to, draft.to_role)}`
  return [
    { name: 'Handoff', text: `# Handoff: ${oneLineText(draft.title ?? draft.id ?? '')}` },
    { name: 'From', text: sides },
    ...bodySection('Purpose', (pack.purpose ?? draft.to_reason)?.trim()),
    ...bodySection('Context', (pack.context ?? pack.summary)?.trim()),
    ...bodySection('Deliverables', list(pack.deliverables)),
    ...bodySection('Verification Criteria', list(pack.criteria)),
    ...onlyHere(pack),
    ...bodySection('Timeline', timeline(draft)),
    ...bodySection('References', references(draft)),
  ]
}

/** What the front matter has no key for. */
export const onlyHere = (pack: NonNullable<Draft['package']>): readonly BodySection[] =>
  Object.values(IN_BODY).flatMap(([name, of]) => {
    const said = of(pack)
    const text =
      typeof said === 'string' ? said : list(said?.map(([line = '', why]) => withReason(line, why)))
    return bodySection(name, text).map((each) => ({ ...each, isOnlyHere: true as const }))
  })

const withReason = (text: string, reason: string | undefined): string =>
  reason === undefined ? text : `${text} (${reason})`

function timeline({ created_at, ack_deadline, target_completion }: Draft): string | undefined {
  return list([
    ...(created_at === undefined ? [] : [`Created: ${seconds(created_at)}`]),
    ...(ack_deadline === undefined ? [] : [`Expires if not acknowledged: ${seconds(ack_deadline)}`]),
    ...(target_completion === undefined ? [] : [`Target completion: ${target_completion}`]),
  ])
}

function references({ task, package: pack }: Draft): string | undefined {
  const links = Object.entries({ Task: task, Meeting: pack?.links?.meeting, Skill: pack?.links?.skill })
  return list(links.flatMap(([name, to]) => (to === undefined ? [] : [`${name}: ${link(to)}`])))
}

const bodySection = (name: string, text: string | undefined): readonly BodySection[] =>
  text === undefined || text === '' ? [] : [{ name, text: `### ${name}\n${text}` }]

const list = (items: readonly string[] | undefined): string | undefined =>
  items === undefined || items.length === 0
    ? undefined
    : items.map((item) => `- ${oneLineText(item)}`).join('\n')

const link = (target: string): string =>
  `[${target}](${/^[\w./#-]+$/.test(target) ? target : `<${oneLineText(target).replace(/[<>]/g, '')}>`})`

const oneLineText = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')

function displayName(agent: string | null | undefined, role: string | undefined): string {
  const words = (agent ?? 'nobody')
    .split(/[-_]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return role === undefined ? words.join(' ') : `${words.join(' ')} (${oneLineText(role)})`
}
