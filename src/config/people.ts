import * as z from 'zod'
import { SILENCE_POLICIES } from '../domain/people/silence.ts'
import { isMailAddress } from '../notify/mail.ts'
import { isDuration } from './policy.ts'

const TIME = 'write a duration such as 90s, 15m, 4h or 2d (at most 365d)'
const YEAR_MS = 365 * 86_400_000

const Duration = z
  .string({ error: TIME })
  .regex(/^\d{1,9}[smhd]$/, { error: TIME, abort: true })
  .refine((text) => isDuration(text, YEAR_MS), { error: TIME })

/** Without a schema for names of its own: the file that holds it imports this one. */
const Person = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: 'write the name of a person in small letters' })

export const PeopleSchema = z
  .strictObject({
    remind: Duration.optional().describe('A person who does not answer is reminded after this time: 1d'),
    silence: z
      .strictObject({
        policy: z
          .enum(SILENCE_POLICIES)
          .describe(
            'wait: no limit. expire: it ends. escalate: another person is asked too. reassign: another person instead',
          ),
        after: Duration.optional().describe('How long nobody answered: 2d'),
        to: Person.optional().describe('The person who is asked next'),
      })
      .refine(({ policy, after }) => policy === 'wait' || after !== undefined, {
        error: 'write after how long, for example after: 2d',
      })
      .refine(({ policy, to }) => policy === 'wait' || policy === 'expire' || to !== undefined, {
        error: 'name the person who is asked next, for example to: maria',
      })
      .optional()
      .describe('The rule for a person who does not answer (wait). Needs: baton trust'),
  })
  .describe('Defaults for each gate, decision and question without rules of its own')

const Variable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, { error: 'write the name of an environment variable: BATON_HOOK_SECRET' })

const Mail = z
  .string()
  .max(320)
  .refine(isMailAddress, { error: 'write a plain mail address, for example maria@example.com' })

export const NotifySchema = z
  .array(
    z
      .strictObject({
        name: z
          .string()
          .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: 'write a short name in small letters: ops' })
          .describe('By which messages remember their channel'),
        events: z
          .array(z.string().regex(/^[a-z_]{1,40}$/))
          .min(1)
          .max(20)
          .optional()
          .describe('Events to send (gate, decision, question, reminder, escalated), and kinds of notices'),
        for: z.array(Person).min(1).max(200).optional().describe('Only what is for these people'),
        link: z
          .string()
          .regex(/^https?:\/\/[^\s@]{1,500}$/, {
            error: 'write the address of your server: https://baton.example.com',
          })
          .optional()
          .describe('Address of your Baton server, for a link in the message'),
        webhook: z
          .string()
          .max(2_000)
          .regex(/^https?:\/\/[^\s@]+$/, { error: 'write an https address without a password in it' })
          .optional()
          .describe('The URL that gets messages as JSON. Needs: baton trust'),
        secret_env: Variable.optional().describe('Environment variable with the secret that signs the posts'),
        allow_private: z
          .boolean()
          .optional()
          .describe('The address may be on this machine or in a private network'),
        mail: z
          .strictObject({
            smtp: z
              .string()
              .max(500)
              .regex(/^smtps?:\/\/[^\s@]+$/, {
                error: 'write smtps://mail.example.com:465; with a password use smtp_env',
              })
              .optional()
              .describe('The mail server. Needs: baton trust'),
            smtp_env: Variable.optional().describe(
              'Environment variable with the server and its password: smtps://name:password@host:465',
            ),
            from: Mail.describe('The sender of the mails'),
            to: z.array(Mail).min(1).max(50).describe('Addresses that get the messages'),
          })
          .refine(({ smtp, smtp_env }) => (smtp === undefined) !== (smtp_env === undefined), {
            error: 'write either smtp or smtp_env',
          })
          .optional()
          .describe('Messages as mails. Needs: baton trust'),
      })
      .refine(({ webhook, mail }) => (webhook === undefined) !== (mail === undefined), {
        error: 'write either webhook or mail',
      })
      .refine(({ webhook, secret_env }) => webhook === undefined || secret_env !== undefined, {
        error: 'a webhook needs secret_env, so that its receiver can check who posted',
      })
      .describe('One way out'),
  )
  .max(20)
  .refine((channels) => new Set(channels.map(({ name }) => name)).size === channels.length, {
    error: 'two channels have the same name',
  })
  .describe('Webhooks and mail addresses that get messages')
