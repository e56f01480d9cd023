import type { Handoff } from '../../../domain/handoffs/handoff.ts'
import { markdownStatus } from '../../../domain/handoffs/markdown-status.ts'
import { givenBack } from '../../../domain/handoffs/reasons.ts'
import { HOME_RULES } from '../../../domain/home.ts'
import { ownOptions } from '../../../domain/people/gate.ts'
import type { Notice } from '../../../domain/people/notice.ts'
import { inWords } from '../../../domain/texts/visible.ts'
import type { OperationOutput } from '../../../runner/operation-types.ts'
import { plainText } from '../screen/plain-text.ts'
import type { Cell, Screen } from '../screen/screen.ts'
import type { Shell } from '../shell.ts'
import { count, moveCommand, nextMove, STATE_STYLES, waitsFor } from './words.ts'

/** After sending or drafting: where it stands, and what to mend. */
export function sentView(shell: Shell, { handoff, warnings }: OperationOutput<'handoff_send'>): string {
  const { screen } = shell
  for (const { message } of warnings) shell.warn(message)
  if (handoff.state === 'draft' && warnings.length === 0) shell.next(`baton send ${handoff.id}`)
  const file = shell.live?.fileOf(handoff)
  if (file !== undefined) return `${screen.tick} ${plainText(file)} (${statusLine(screen, handoff)})`
  if (handoff.state === 'draft') {
    return `${screen.tick} ${screen.bold(handoff.id)} is a draft for ${handoff.to}`
  }
  return `${screen.tick} ${screen.bold(handoff.id)} to ${handoff.to}, ${waitsFor(handoff)}`
}

/** In the words of document 000's file, `Created, expires in 1 h`; other files do not bear the id in their name. */
function statusLine(screen: Screen, handoff: Handoff): string {
  if (HOME_RULES[handoff.home].statuses === 'all') return `${handoff.id}, ${waitsFor(handoff)}`
  const status = markdownStatus(handoff)
  if (handoff.ack_deadline === undefined) return status
  return `${status}, expires ${screen.when(handoff.ack_deadline)}`
}

/** A step of a handoff; an acceptance has an acknowledgment. */
type Step = OperationOutput<'handoff_accept'> & Partial<Pick<OperationOutput<'handoff_reassign'>, 'warnings'>>

const blockersOf = ({ acknowledgment }: Step): readonly string[] =>
  Array.isArray(acknowledgment?.blockers) ? acknowledgment.blockers.map(String) : []

/** The sentence after each step; the generic one is good enough for the others. */
const STEP_TEXTS: Readonly<Record<string, (handoff: Handoff) => string>> = {
  handoff_accept: (h) =>
    h.state === 'needs_input'
      ? `has a question for ${h.from}; it waits for the answer`
      : `is yours, ${inWords(h.state)}`,
  handoff_reject: (h) => `is rejected; ${h.from} is told why`,
  handoff_ask: (h) => `waits for ${h.from} to answer`,
  handoff_answer: (h) => `has its answer; ${h.waiting_for ?? h.to} goes on`,
  handoff_comment: () => 'has your comment',
  handoff_submit: (h) =>
    h.state === 'in_review'
      ? `is handed in; ${h.waiting_for ?? h.from} verifies it`
      : `is ${inWords(h.state)}`,
  handoff_waive: (h) => `goes on without that check; ${h.waiting_for ?? h.to} is next`,
  handoff_verify: (h) => (h.state === 'completed' ? 'is completed' : `goes back to ${h.to} with your reason`),
  handoff_fail: (h) =>
    h.state === 'retry_wait' ? 'failed and will be tried again' : `failed; ${h.from} is told`,
  handoff_release: (h) => `is offered to ${h.to} again`,
  handoff_reassign: (h) => `is offered to ${h.to}`,
  handoff_cancel: () => 'is cancelled',
  handoff_heartbeat: (h) => `is ${inWords(h.state)}${h.progress === undefined ? '' : `, ${h.progress} %`}`,
  gate_decide: (h) =>
    h.state === 'completed'
      ? `is ${h.choice === undefined || h.choice === 'approve' ? 'approved' : `answered: ${h.choice}`}; ${h.session ?? h.from} goes on`
      : h.state === 'rejected'
        ? `is rejected; ${h.from} is told`
        : `has a question for ${h.from}`,
}

export function stepView(shell: Shell, operation: string, step: Step): string {
  const { screen } = shell
  const { handoff } = step
  // Unclear points go back to the sender; the receiver sees the words that caused it.
  for (const text of blockersOf(step)) shell.warn(text)
  for (const { message } of step.warnings ?? []) shell.warn(message)
  for (const { name, ok, detail = 'failed' } of step.checks ?? [])
    if (!ok && operation === 'handoff_submit') shell.warn(`check ${name}: ${detail}`)
  const text = STEP_TEXTS[operation]?.(handoff) ?? `is ${waitsFor(handoff)}`
  if (operation === 'handoff_accept' && handoff.deliverables > 0 && handoff.state !== 'needs_input')
    shell.next(`baton submit ${handoff.id} --evidence "<deliverable>=<proof>"`)
  return `${screen.tick} ${screen.bold(handoff.id)} ${plainText(text)}`
}

export function claimView(shell: Shell, { handoff }: OperationOutput<'handoff_claim'>): string {
  return handoff ? stepView(shell, 'handoff_accept', { handoff }) : 'Nothing is waiting in your queue.'
}

type Inbox = OperationOutput<'handoff_inbox'>

const GIVEN_BACK = ' · given back by '

/** The title of an item; work that was given back says why, since that is what is to be done. */
function titleOf(handoff: Handoff, gates: Inbox['gates']): string {
  const back = givenBack(handoff)
  const title = askedTitle(handoff, gates)
  return back ? `${title}${GIVEN_BACK}${back.by}: ${back.message}` : title
}

/** The question to a person, in place of a title: how much there is to look at, or to choose from. */
function askedTitle({ uid, title }: Handoff, gates: Inbox['gates'] = []): string {
  const asked = gates.find((gate) => gate.uid === uid)
  if (!asked) return title
  const own = ownOptions(asked.options).map(([key]) => key)
  const more = [
    asked.items.length > 0 ? `${count(asked.items.length, 'point')} to validate` : '',
    own.length > 0 ? `choose ${own.join(', ')}` : '',
  ].filter((text) => text !== '')
  const head = asked.type === 'gate' ? `Gate: ${asked.name ?? title}` : `Decision: ${title}`
  return [head, ...more].join(' · ')
}

/** The inbox of one agent: the verb first, because that is what to type. */
export function inboxView(shell: Shell, name: string, inbox: Inbox): string {
  const { screen } = shell
  const { notices } = inbox
  const items = inbox.items.map((handoff) => ({ ...handoff, title: titleOf(handoff, inbox.gates) }))
  if (items.length + notices.length === 0) return shell.nothing(`Nothing waits for ${name}.`)
  if (inbox.next !== undefined) shell.more(inbox.next)
  if (!screen.isTerminal) return plainInbox(screen, { items, notices })
  const waiting = items.length > 0 ? `${items.length}${inbox.next === undefined ? '' : '+'} waiting` : ''
  const unread = notices.length > 0 ? count(notices.length, 'notice') : ''
  const parts = [screen.bold(`${name}: ${[waiting, unread].filter((text) => text !== '').join(', ')}`)]
  if (items.length > 0) parts.push(screen.table(items.map((handoff) => inboxRow(screen, handoff, name))))
  if (notices.length > 0) parts.push(screen.table(notices.map((notice) => noticeRow(screen, notice))))
  const [first] = items
  const command = first && moveCommand(first, items.length === 1 ? '@' : first.id)
  if (command) shell.next(command)
  else {
    const ended = notices.find(({ kind }) => kind === 'expired' || kind === 'rejected')
    if (ended) shell.next(`baton resend ${ended.about_id}`)
    if (notices.length > 0) shell.next(`baton notice ack ${notices.length === 1 ? '@' : '--all'}`)
  }
  return parts.join('\n\n')
}

function plainInbox(screen: Screen, { items, notices }: Inbox): string {
  const rows: Cell[][] = [
    ...items.map((h) => [nextMove(h) ?? '', h.id, h.title, h.from, h.to, h.state, deadlineOf(h) ?? '']),
    ...notices.map((n) => ['notice', n.about_id, n.text, n.kind, n.to, n.uid, n.created_at]),
  ]
  return screen.table(rows)
}

const URGENT: Readonly<Partial<Record<Handoff['priority'], string>>> = { critical: '!! ', high: '! ' }

function inboxRow(screen: Screen, handoff: Handoff, name: string): Cell[] {
  const other = handoff.from === name ? `to ${handoff.to}` : `from ${handoff.from}`
  return [
    { text: nextMove(handoff) ?? '', style: STATE_STYLES[handoff.state] },
    { text: handoff.id, style: 'bold' },
    {
      text: `${URGENT[handoff.priority] ?? ''}${handoff.title}`,
      fill: handoff.title.includes(GIVEN_BACK) ? 'whole' : true,
    },
    other,
    { text: timing(screen, handoff), style: 'dim' },
  ]
}

/** The deadline where there is one, else since when it stands so. */
function timing(screen: Screen, handoff: Handoff): string {
  const deadline = deadlineOf(handoff)
  if (deadline === undefined) return screen.when(handoff.updated_at)
  return `${handoff.state === 'offered' ? 'accept' : 'due'} ${screen.when(deadline)}`
}

const deadlineOf = (handoff: Handoff): string | undefined =>
  handoff.state === 'offered' || handoff.state === 'draft' ? handoff.ack_deadline : handoff.lease_until

const noticeRow = (screen: Screen, notice: Notice): Cell[] => [
  { text: '!', style: 'yellow' },
  { text: notice.kind, style: 'yellow' },
  { text: notice.about_id, style: 'bold' },
  { text: notice.text, fill: 'whole' },
  { text: notice.uid.slice(-6), style: 'dim' },
  { text: screen.when(notice.created_at), style: 'dim' },
]

export function listView(shell: Shell, page: OperationOutput<'handoff_list'>): string {
  for (const scope of page.unread ?? []) shell.warn(`this token has no scope ${scope}, so more may match`)
  return page.found ? foundView(shell, page.found, page.next) : handoffsView(shell, page)
}

const foundView = (shell: Shell, items: Hits, next: string | undefined): string =>
  shell.list(
    { items, next },
    'Nothing matches.',
    ['KIND', 'ID', 'STATE', 'WHERE', 'TEXT', 'CHANGED'],
    ({ kind, id, state = '', place = '', title, text = '', at }) => [
      kind,
      { text: id, style: 'bold' },
      inWords(state),
      place,
      { text: ['', 'id', 'title'].includes(place) ? title : `${title}: ${text}`, fill: true },
      { text: shell.screen.when(at), style: 'dim' },
    ],
  )

type Hits = NonNullable<OperationOutput<'handoff_list'>['found']>

const handoffsView = (shell: Shell, page: OperationOutput<'handoff_list'>): string =>
  shell.list(page, 'No handoff matches.', ['ID', 'STATE', 'FROM', 'TO', 'TITLE', 'CHANGED'], (h) => [
    { text: h.id, style: 'bold' },
    { text: inWords(h.state), style: STATE_STYLES[h.state] },
    h.from,
    h.to,
    { text: h.title, fill: true },
    { text: shell.screen.when(h.updated_at), style: 'dim' },
  ])

export function runningView(shell: Shell, page: OperationOutput<'handoff_running'>): string {
  const list = shell.list(page, 'No program runs.', ['ID', 'AGENT', 'TITLE', 'SINCE'], (h) => [
    { text: h.id, style: 'bold' },
    h.to,
    { text: h.title, fill: true },
    { text: shell.screen.when(h.since), style: 'dim' },
  ])
  const lines = page.items.flatMap(({ log = '' }) => log.trimEnd().split('\n').map(plainText))
  return [list, ...lines.filter((line) => line !== '')].join('\n')
}
