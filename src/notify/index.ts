import { BatonError } from '../domain/errors.ts'
import { present } from '../domain/present.ts'
import { inWords, visible } from '../domain/texts/visible.ts'
import type { Message, Notifying } from '../service/deps.ts'
import { toMessage } from './mail.ts'

/** A channel as `baton.yaml` has it, after it was trusted. */
export interface ChannelConfig {
  readonly name: string
  readonly events?: readonly string[] | undefined
  readonly for?: readonly string[] | undefined
  readonly link?: string | undefined
  readonly webhook?: string | undefined
  readonly secret_env?: string | undefined
  readonly allow_private?: boolean | undefined
  readonly mail?: MailConfig | undefined
}

interface MailConfig {
  readonly smtp?: string | undefined
  readonly smtp_env?: string | undefined
  readonly from: string
  readonly to: readonly string[]
}

/** Makes the senders from the settings. Secrets are looked up when they are needed and kept nowhere. */
export function createNotifying(
  channels: readonly ChannelConfig[],
  secretOf: (variable: string) => string | undefined,
): Notifying {
  return {
    channels: channels.map(({ name, events, for: whom, mail }) => {
      return { name, kind: mail ? 'mail' : 'webhook', events, for: whom }
    }),
    send: async (name, message) => {
      const channel = channels.find((each) => each.name === name)
      if (!channel) throw new BatonError('not_found', `baton.yaml has no channel ${name} any more`)
      await (channel.mail ? mailTo(channel.mail, channel.link, message) : postTo(channel, message))
    },
  }

  async function postTo(channel: ChannelConfig, message: Message): Promise<void> {
    const { uid: id, handoff } = message
    const { webhook: url = '', allow_private: allowPrivate = false } = channel
    const secret = needed(channel.secret_env)
    const { postWebhook } = await import('./webhook.ts')
    const at = Math.floor(Date.parse(message.at) / 1_000)
    const body = toJson(message, linkTo(channel.link, handoff))
    await postWebhook({ url, secret, allowPrivate }, { id, at, body, trace: handoff.trace })
  }

  async function mailTo(mail: MailConfig, link: string | undefined, message: Message): Promise<void> {
    const { sendMail, toSmtpServer } = await import('./smtp.ts')
    const { from, to } = mail
    const subject = `[Baton] ${headline(message)}`
    const text = toText(message, linkTo(link, message.handoff))
    const written = toMessage({ from, to, subject, text, id: message.uid, date: new Date(message.at) })
    await sendMail(toSmtpServer(mail.smtp ?? needed(mail.smtp_env)), { from, to, message: written })
  }

  function needed(variable: string | undefined): string {
    const secret = variable === undefined ? undefined : secretOf(variable)
    const unset = `the environment variable ${variable} is not set where messages are sent`
    if (!secret) throw new BatonError('unavailable', unset, { variable })
    return secret
  }
}

const TITLE_LENGTH = 200

/** A person's or agent's text on one line, without hidden characters. */
const quoted = (text: string): string => {
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

const headline = ({ event, handoff }: Message): string =>
  `${WORDS[event] ?? `Handoff ${event}`}: ${handoff.id}`

/** The body of a webhook. Field names are the product's; texts of agents stand only in `title`. */
function toJson(message: Message, link: string | undefined): string {
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
function toText(message: Message, link: string | undefined): string {
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
const linkTo = (base: string | undefined, { uid }: Message['handoff']): string | undefined =>
  base === undefined ? undefined : `${base.replace(/\/+$/, '')}/handoffs/${uid}`
