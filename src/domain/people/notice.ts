import * as z from 'zod'
import { once } from '../once.ts'

export const NOTICE_KINDS = [
  'expired',
  'rejected',
  'failed',
  'completed',
  'cancelled',
  'escalated',
  'returned',
  'reassigned',
  'answered',
  'asked',
  'commented',
  'edited',
  'reminder',
  'undelivered',
  'refused',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** A message in an inbox that needs no answer. */
export const Notice = once(() =>
  z.object({
    uid: z.string(),
    to: z.string(),
    kind: z.enum(NOTICE_KINDS),
    about: z.string().describe('uid of the handoff or task'),
    about_id: z.string(),
    text: z.string(),
    created_at: z.string(),
    seen_at: z.string().optional(),
  }),
)
export type Notice = z.infer<ReturnType<typeof Notice>>
