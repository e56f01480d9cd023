import { BatonError } from '../domain/errors.ts'
import type { Message, Notifying } from '../service/deps.ts'
import { toMessage } from './mail.ts'
import { headline, linkTo, toJson, toText } from './message.ts'

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
    channels: channels.map(({ name, events, for: whom, mail }) => ({
      name,
      kind: mail ? 'mail' : 'webhook',
      events,
      for: whom,
    })),
    send: async (name, message) => {
      const channel = channels.find((each) => each.name === name)
      if (!channel) throw new BatonError('not_found', `baton.yaml has no channel ${name} any more`)
      await (channel.mail ? mailTo(channel.mail, channel.link, message) : postTo(channel, message))
    },
  }

  async function postTo(channel: ChannelConfig, message: Message): Promise<void> {
    const secret = needed(channel.secret_env)
    const { postWebhook } = await import('./webhook.ts')
    await postWebhook(
      { url: channel.webhook ?? '', secret, allowPrivate: channel.allow_private ?? false },
      {
        id: message.uid,
        at: Math.floor(Date.parse(message.at) / 1_000),
        body: toJson(message, linkTo(channel.link, message.handoff)),
        trace: message.handoff.trace,
      },
    )
  }

  async function mailTo(mail: MailConfig, link: string | undefined, message: Message): Promise<void> {
    const { sendMail, toSmtpServer } = await import('./smtp.ts')
    const { from, to } = mail
    await sendMail(toSmtpServer(mail.smtp ?? needed(mail.smtp_env)), {
      from,
      to,
      message: toMessage({
        from,
        to,
        subject: `[Baton] ${headline(message)}`,
        text: toText(message, linkTo(link, message.handoff)),
        id: message.uid,
        date: new Date(message.at),
      }),
    })
  }

  function needed(variable: string | undefined): string {
    const secret = variable === undefined ? undefined : secretOf(variable)
    if (secret) return secret
    throw new BatonError(
      'unavailable',
      `the environment variable ${variable} is not set where messages are sent`,
      { variable },
    )
  }
}
