import * as z from 'zod'
import { once } from './once.ts'

export const SESSION_STATES = ['open', 'sealing', 'sealed'] as const
export type SessionState = (typeof SESSION_STATES)[number]

/** Document 003's sentence, word for word, for whoever finalizes while another does. */
export const FINALIZING = 'Merkle finalization in progress. Retry in 5s.'
/** The error for a session that is sealed before its work was recorded. */
export const FINAL_RECORD_MISSING = 'FINAL_THOUGHT_RECORD_MISSING'

/** An audit session (document 003): the entries of one actor from its start to its seal. */
export const AuditSession = once(() =>
  z.object({
    uid: z.string(),
    id: z.string(),
    rev: z.int(),
    by: z.string().describe('The actor whose entries it holds'),
    state: z.enum(SESSION_STATES),
    started_at: z.string(),
    /** The call that seals it, with an end: a sealer that died must not hold the session for ever. */
    lease: z.object({ id: z.string(), until: z.string() }).optional(),
    seal: z
      .object({
        at: z.string(),
        by: z.string(),
        /** How many entries it holds, and the root of the tree of their leaf hashes. */
        n: z.int(),
        root: z.string(),
        /** Entries were looked for below this index of the workspace's log. */
        size: z.int(),
      })
      .optional(),
    /** Index of the seal in the log, and the size of the checkpoint that every caller gets. */
    receipt: z.object({ index: z.int(), checkpoint: z.int() }).optional(),
  }),
)
export type AuditSession = z.infer<ReturnType<typeof AuditSession>>
