import { ANYONE } from '../../../domain/actor.ts'
import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import type { ThreadItem, VerificationRecord } from '../../../domain/handoffs/package.ts'
import { itemLine, shownFields } from '../../../domain/handoffs/package-fields.ts'
import { givenBack } from '../../../domain/handoffs/reasons.ts'
import { HOME_RULES } from '../../../domain/home.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import { oneLine, plainText } from '../screen/plain-text.ts'
import type { Screen } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { actOf, countsOf, moveCommand, STATE_STYLES, waitsFor, warned } from './words.ts'

type Dossier = OperationOutput<'handoff_get'>

type DossierRow = readonly [name: string, value: string]

/** Everything about one handoff on a page: what was asked, what came back, what happened. */
export function dossierView(shell: Shell, who: string, dossier: Dossier): string {
  const { screen } = shell
  const { handoff } = dossier
  const sections = [
    heading(screen, dossier),
    screen.fields([...askedRows(screen, dossier), ...handedIn(screen, dossier), ...ended(screen, handoff)]),
    section(screen, 'Talk', talk(screen, dossier.thread)),
    section(screen, 'Attempts', attempts(screen, handoff)),
    section(screen, 'Timeline', timeline(screen, dossier)),
  ]
  const command = moveCommand(handoff, handoff.id)
  if (screen.isTerminal && command && handoff.waiting_for !== undefined)
    sections.push(screen.dim(shell.hint(`next: ${typedBy(handoff.waiting_for, who, command)}`)))
  return sections.filter((text) => text !== '').join('\n\n')
}

function typedBy(mover: string, who: string, command: string): string {
  if (mover === who) return command
  return mover === ANYONE ? `a person runs: ${command}` : `${mover} runs: ${command} --as ${mover}`
}

/** The view for a verifier: each deliverable beside its evidence, the criteria, the checks, the talk. */
export function evidenceView(shell: Shell, dossier: Dossier): string {
  const { screen } = shell
  return [
    heading(screen, dossier),
    screen.fields([...askedRows(screen, dossier), ...handedIn(screen, dossier)]),
    section(screen, 'Talk', talk(screen, dossier.thread)),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

function heading(screen: Screen, { handoff, warning }: Dossier): string {
  const state = screen.paint(STATE_STYLES[handoff.state], waitsFor(handoff))
  const facts = [
    `${handoff.from} → ${handoff.to}`,
    handoff.type === 'sequential' ? '' : handoff.type,
    handoff.priority === 'normal' ? '' : handoff.priority,
    handoff.task === undefined ? '' : `task ${handoff.task}`,
    handoff.attempt > 1 ? `attempt ${handoff.attempt}` : '',
    HOME_RULES[handoff.home].format ?? '',
    handoff.imported_at === undefined ? '' : 'imported',
  ].filter((fact) => fact !== '')
  return [
    ...warned(screen, warning),
    `${screen.bold(handoff.id)}  ${screen.bold(oneLine(handoff.title))}`,
    `${facts.map(oneLine).join(' · ')} · ${state}, ${screen.when(handoff.ended_at ?? handoff.updated_at)}`,
  ].join('\n')
}

/** Texts with their names; what has no text is left out. */
const namedRows = (named: readonly (readonly [name: string, text: string | undefined])[]): DossierRow[] =>
  named.flatMap(([name, text]) => (text ? [[name, plainText(text)] as const] : []))

function askedRows(
  screen: Screen,
  { handoff, package: pack, acknowledgment, replaces }: Dossier,
): DossierRow[] {
  const shown = shownFields(pack)
  const { gate, state, ack_deadline: deadline, not_before: again } = handoff
  const options = Object.entries(pack.validation_request?.options ?? {})
  return namedRows([
    ...shown.map((field) => [field.label, lines(field.lines)] as const),
    ['Gate', gate?.name && `${gate.name} (${gate.type})`],
    ['Validate', lines(pack.validation_request?.items)],
    ['Options', lines(options.map(([key, text]) => `${key}: ${text}`))],
    ['Files', lines(pack.artifacts?.map(({ path }) => path))],
    ...shown.filter((field) => !field.lines).map((field) => [field.label, json(field.value)] as const),
    ['Understood', lines(acknowledgment?.understanding)],
    ['Retry', state === 'retry_wait' && again !== undefined ? screen.when(again) : undefined],
    ['Accept', state === 'offered' && deadline !== undefined ? screen.when(deadline) : undefined],
    ['Blocked on', handoff.blocked_on],
    ['Replaces', replaces],
    ['Sent again', handoff.superseded_by && `as ${handoff.superseded_by}`],
  ])
}

function handedIn(screen: Screen, dossier: Dossier): DossierRow[] {
  const { handoff, package: pack, result, verifications, waived = [] } = dossier
  // Document 000's evidence may be the verifier's alone.
  const seen = new Map(
    verifications
      .at(-1)
      ?.deliverable_checks.filter(({ status, evidence }) => status === 'verified' && evidence !== '')
      .map((each) => [each.deliverable.trim(), each.evidence]),
  )
  const given = new Map((result?.evidence ?? []).map((each) => [each.deliverable.trim(), each.evidence]))
  const refused = refusedIn(handoff, verifications.at(-1))
  const rows: DossierRow[] = []
  for (const deliverable of pack.deliverables ?? []) {
    const isRefused = refused.has(deliverable.trim())
    const evidence = given.get(deliverable.trim()) ?? seen.get(deliverable.trim())
    given.delete(deliverable.trim())
    const isGood = evidence !== undefined && !isRefused
    // A question to a person has no evidence to hand in: the answer is what was asked for.
    const isLacking = result !== undefined && !isDecided(handoff)
    const mark = isGood ? screen.tick : isLacking ? screen.cross : '·'
    rows.push([
      'Deliverable',
      `${mark} ${plainText(deliverable)}${evidence === undefined ? '' : `\n= ${plainText(evidence)}`}`,
    ])
  }
  const last = verifications.at(-1)
  rows.push(
    ...namedRows([
      ...[...given].map((pair) => ['Evidence', pair.join(' = ')] as const),
      ['Given back', last?.pass === false && last.note ? `by ${last.verified_by}: ${last.note}` : undefined],
    ]),
  )
  // The run of the verifier stands in place of the receiver's own.
  const [by, ran = []] = last?.checks ? [last.verified_by, last.checks] : [handoff.to, result?.checks]
  for (const { ok, name, detail, where } of ran) {
    const mark = ok === undefined ? '?' : ok ? screen.tick : screen.cross
    const more = `${detail ? ` (${detail})` : ''}, ${by}${where ? ` on ${where}` : ''}`
    rows.push(['Check', `${mark} ${plainText(name + more)}`])
  }
  for (const { check, by } of waived) rows.push(['Waived', `${plainText(check)}, by ${by}`])
  const decisions = isDecided(handoff) ? (result?.decisions ?? []) : []
  return [
    ...rows,
    ...namedRows([
      ...decisions.map((decision) => ['Decision', itemLine(decision, 'decision')] as const),
      ['Note', result?.note],
      ['Files out', lines(result?.artifacts?.map(({ path }) => path))],
      ['Output', json(result?.output)],
      ['Validation', json(result?.validation)],
      ['Next steps', lines(result?.next_steps)],
    ]),
  ]
}

/** Deliverables that the verifier refused, until the work is handed in again. */
const refusedIn = ({ state }: Handoff, last: VerificationRecord | undefined): ReadonlySet<string> =>
  new Set(
    last?.pass === false && state !== 'in_review'
      ? last.deliverable_checks
          .filter(({ status }) => status === 'refused')
          .map(({ deliverable }) => deliverable.trim())
      : [],
  )

/** Reasons that are stored as rejections but are not rejections. */
const WHY: Readonly<Record<string, string>> = { cancelled: 'Cancelled', reassigned: 'Reassigned' }

/** A person's answer counts as decided, and not as verified. */
const isDecided = ({ type }: Handoff): boolean => type === 'escalation' || type === 'gate'

function ended(screen: Screen, handoff: Handoff): DossierRow[] {
  const { verified_by, ended_at, rejection, error } = handoff
  const at = ended_at ? `, ${screen.when(ended_at)}` : ''
  // Work that was given back says so at each deliverable.
  const refused = givenBack(handoff) ? undefined : rejection
  return namedRows([
    [isDecided(handoff) ? 'Decided' : 'Verified', verified_by && `by ${verified_by}${at}`],
    [WHY[refused?.type ?? ''] ?? 'Rejected', refused && `by ${refused.by}: ${refused.message}`],
    ['Error', error && `${error.code}: ${error.message}`],
  ])
}

const talk = (screen: Screen, thread: readonly ThreadItem[]): string =>
  screen.table(
    thread.map(({ at, by, kind, choice, text }) => [
      { text: screen.when(at), style: 'dim' },
      by,
      choice ?? kind,
      { text, fill: true },
    ]),
  )

/** One attempt is the rule and says nothing new, unless its program reported what it used. */
const attempts = (screen: Screen, { attempts: tried }: Handoff): string =>
  tried.length < 2 && !tried[0]?.usage
    ? ''
    : screen.table(
        tried.map(({ attempt, holder, started_at, outcome, error, usage = {} }) => [
          String(attempt),
          holder,
          { text: screen.when(started_at), style: 'dim' },
          screen.isTerminal && outcome === 'offered' ? 'passed on' : (outcome ?? 'under way'),
          countsOf(usage).join(', '),
          { text: error?.message ?? '', fill: true },
        ]),
      )

const timeline = (screen: Screen, { timeline: entries }: Dossier): string =>
  screen.table(
    entries.map(({ at, act, by, auth, hash }) => [
      { text: screen.when(at), style: 'dim' },
      by,
      screen.isTerminal ? actOf(act, by) : act,
      { text: auth, style: 'dim' },
      { text: screen.isTerminal ? hash.slice(0, 8) : hash, style: 'dim' },
    ]),
  )

const section = (screen: Screen, title: string, body: string): string =>
  body === '' ? '' : `${screen.bold(title)}\n${body}`

const lines = (items: readonly string[] | undefined): string | undefined => items?.join('\n')

/** Data as it is, up to what a screen holds. */
function json(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
  return text.length > 2_000 ? `${text.slice(0, 2_000)}… (all of it with --json)` : text
}
