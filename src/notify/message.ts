import { present } from '../domain/present.ts'
import { inWords, visible } from '../domain/texts/visible.ts'
import type { Message } from '../service/deps.ts'

const TITLE_LENGTH = 200

/** A person's or agent's text on one line, without hidden characters. */
export const quoted = (text: string): string => {
  const line = visible(text).replace(/\s+/g, ' ').trim()
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…`.toWellFormed() : line
}

/** The event in our own words: nothing in them comes from the author of the handoff. */
const WORDS: Readonly<Record<string, string>> = {
  gate: 'A gate waits for your decision',
  decision: 'A decision is asked of you',
  question: 'A question waits for your answer',
  reminder: 'This still waits for you',
  escalated: 'Nobody answered, so you are asked',
}

export const headline = ({ event, handoff }: Message): string =>
  `${WORDS[event] ?? `Handoff ${event}`}: ${handoff.id}`

/** The body of a webhook. Field names are the product's; texts of agents stand only in `title`. */
export function toJson(message: Message, link: string | undefined): string {
  const { uid, event, at, to, workspace, handoff, command } = message
  return JSON.stringify({
    id: uid,
    event,
    at,
    to,
    workspace,
    text: headline(message),
    handoff: { ...handoff, title: quoted(handoff.title) },
    ...present({ command, link }),
  })
}

/** The text of a mail. */
export function toText(message: Message, link: string | undefined): string {
  const { to, workspace, handoff, command } = message
  return [
    headline(message),
    '',
    `  What:  "${quoted(handoff.title)}" (${handoff.type})`,
    `  From:  ${handoff.from}`,
    `  For:   ${to}`,
    `  State: ${inWords(handoff.state)}`,
    '',
    ...(command === undefined ? [] : ['Look at it and answer at a terminal:', '', `  ${command}`, '']),
    ...(link === undefined ? [] : ['Or in the browser:', '', `  ${link}`, '']),
    'The sender wrote the words in quotes. This message decides nothing, and nobody decides by',
    'answering it.',
    '',
    `-- \nBaton, workspace ${workspace}`,
  ].join('\n')
}

/** The URL of the handoff in the dashboard. */
export const linkTo = (base: string | undefined, { uid }: Message['handoff']): string | undefined =>
  base === undefined ? undefined : `${base.replace(/\/+$/, '')}/handoffs/${uid}`
