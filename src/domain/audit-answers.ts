import * as z from 'zod'
import type { AnswerOf, InputOf } from './once.ts'

/** The answer about a sealed session, byte for byte the same for every caller. */
export const Sealed = () =>
  z.object({
    session: z.string(),
    /** In base64. */
    session_root: z.string().describe('Root of the Merkle tree over the entries of the session'),
    n: z.int().describe('How many entries it holds'),
    sealed_at: z.string(),
    sealed_by: z.string(),
    seal_index: z.int().describe('Position of the seal in the tree over the log of the workspace, from 0'),
    checkpoint: z.string().describe('Signed head of the log, a C2SP note'),
    proof: z.string().describe('That the seal is in the checkpoint, a C2SP tlog-proof'),
  })
export type Sealed = AnswerOf<typeof Sealed>

/** One thing that was checked, and what it does not prove. */
const Level = () =>
  z.object({ level: z.string(), holds: z.boolean(), says: z.string(), does_not_prove: z.string() })
type Level = AnswerOf<typeof Level> & { readonly level: 'chain' | 'tree' | 'checkpoint' }

export const ChainReport = () =>
  z.object({
    ok: z.literal(true),
    session: z.string(),
    entries: z.int().describe('How many entries the session holds by now'),
    head: z.string().describe('Hash of the last of them'),
    streams: z.int(),
    levels: z.array(Level()),
  })
export type ChainReport = Omit<AnswerOf<typeof ChainReport>, 'levels'> & { readonly levels: readonly Level[] }

const ProvenEntry = () =>
  z.object({
    index: z.int().describe('Place in the tree, from 0'),
    /** Numbers may have gaps, places have none. */
    number: z.int().describe('As audit_log numbers it'),
    stream: z.string(),
    seq: z.int(),
    act: z.string(),
    at: z.string(),
    entry: z.string().describe('The bytes that were hashed'),
    signed: z.boolean().optional().describe('Of a record whose author has a key: whether it was used'),
    /** Index, path and checkpoint: all that a stranger needs beside the key. */
    proof: z.string().describe('C2SP tlog-proof'),
  })
export type ProvenEntry = AnswerOf<typeof ProvenEntry>

export const Proof = () =>
  z.object({
    subject: z.object({ kind: z.enum(['handoff', 'task', 'record', 'session']), id: z.string() }),
    origin: z.string(),
    vkey: z.string().describe('The key of the log'),
    size: z.int(),
    root: z.string(),
    checkpoint: z.string(),
    entries: z.array(ProvenEntry()),
    pending: z.int().describe('Entries that no checkpoint covers yet'),
    more: z.boolean().describe('There are more than were asked for'),
  })
export type Proof = AnswerOf<typeof Proof>

export const ShownEntry = () =>
  z.object({
    number: z.int(),
    stream: z.string(),
    seq: z.int(),
    act: z.string(),
    by: z.string().optional(),
    subject: z.string(),
    id: z.string().optional().describe('Id of the handoff, task or run that people use'),
    at: z.string(),
    hash: z.string(),
  })
export type ShownEntry = AnswerOf<typeof ShownEntry>

export const redactFields = () => ({
  id: z.string().min(1).max(200).describe('Handoff, task or record'),
  field: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, { error: 'the name of a field, for example summary' })
    .describe('The field to remove, for example summary; the error for a wrong name lists the right ones'),
  reason: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, { error: 'a code without spaces, for example leaked-key' })
    .describe('Why, as a code that stays in the log, for example leaked-key'),
})
export type RedactInput = InputOf<typeof redactFields>

export const Redacted = () =>
  z.object({
    subject: z.object({ kind: z.enum(['handoff', 'task', 'record']), id: z.string() }),
    field: z.string(),
    reason: z.string(),
    already: z.boolean().describe('Nothing was left to take away'),
    disclosures: z.int().describe('Disclosures of the log that are gone'),
    documents: z.int().describe('Documents and notices that were changed'),
    files: z.array(z.string()).describe('Stored files whose bytes are gone'),
    scrubbed: z.boolean().describe('Whether no file of the store holds old bytes'),
    unreachable: z.array(z.string()).describe('Places where Baton cannot reach copies'),
  })
export type Redacted = AnswerOf<typeof Redacted>
