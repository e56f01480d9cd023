import * as z from 'zod'
import { ChainReport, Proof, Redacted, redactFields, Sealed, ShownEntry } from '../domain/audit-answers.ts'
import { AuditSession } from '../domain/audit-session.ts'
import { optional } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { text } from '../domain/schema-parts.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation, PAGE, pageOf } from './operation.ts'

const BASIC = ['invalid_input', 'not_found', 'wrong_state', 'unmet', 'store_refused', 'unavailable'] as const

/** The fields of an operation on one session. */
const OF_SESSION = {
  tools: 'proof',
  positional: ['session'],
  input: () => ({
    session: optional(text(100), 'Audit session; without it your open one, else the newest'),
  }),
  errors: BASIC,
} as const

/** The lease that a sealing call holds is its own business. */
const ShownSession = () => AuditSession().omit({ lease: true })

const sessionStart = defineOperation({
  name: 'audit_session_start',
  summary: 'Start an auditable session. Your work up to merkle_finalize belongs to it.',
  scope: 'audit:write',
  tools: 'proof',
  input: () => ({}),
  output: ShownSession,
  errors: [...BASIC],
  examples: ['baton audit session-start --as codex'],
  run: async (service, call) => (await service.audit()).start(call),
})

const sessions = defineOperation({
  name: 'audit_sessions',
  summary: 'Audit sessions of the workspace, newest first.',
  scope: 'audit:read',
  input: () => ({ by: z.string().max(64).optional(), ...PAGE() }),
  output: () => z.object({ items: z.array(ShownSession()), next: z.string().optional() }),
  errors: ['invalid_input', 'unavailable'],
  examples: ['baton audit sessions'],
  run: async (service, _, { by, ...page }) => {
    const { items, next } = await (await service.audit()).sessions(
      by === undefined ? {} : { by },
      pageOf(page),
    )
    return { items: items.map(({ lease: _lease, ...session }) => session), ...present({ next }) }
  },
})

const verifyChain = defineOperation({
  name: 'audit_verify_chain',
  summary: 'Verify the chains, the tree and the checkpoint that a session rests on.',
  scope: 'audit:read',
  ...OF_SESSION,
  output: () =>
    ChainReport().extend({
      unchained: optional(
        z.array(z.string()),
        'Records that were put into the store past the log; a pm answers for them with thought_attest',
      ),
    }),
  examples: ['baton audit verify-chain --as codex'],
  run: async (service, call, { session }) => {
    const report = await (await service.audit()).verifyChain(call, session)
    const { unchainedRecords } = await import('../service/tasks/unchained.ts')
    const unchained = (await unchainedRecords(service.deps)).map(({ uid }) => uid)
    return { ...report, levels: [...report.levels], ...(unchained.length > 0 && { unchained }) }
  },
})

const finalize = defineOperation({
  name: 'merkle_finalize',
  summary: 'Seal a session into a Merkle tree, after its final thought_record.',
  scope: 'audit:write',
  ...OF_SESSION,
  output: Sealed,
  examples: ['baton merkle finalize --as codex'],
  run: async (service, call, { session }) => (await service.audit()).finalize(call, session),
})

const root = defineOperation({
  name: 'merkle_root',
  summary: 'The Merkle root of a sealed session, with its seal in a signed checkpoint.',
  scope: 'audit:read',
  ...OF_SESSION,
  output: Sealed,
  examples: ['baton merkle root'],
  run: async (service, call, { session }) => (await service.audit()).root(call, session),
})

const proof = defineOperation({
  name: 'audit_proof',
  summary: 'The log entries of a handoff, task, record or session, with their proofs.',
  scope: 'audit:read',
  positional: ['id'],
  input: () => ({
    id: text(200).describe('Id of a handoff, task, record or audit session'),
    limit: optional(z.coerce.number().int().min(1).max(200), 'How many entries at most (20)'),
  }),
  output: Proof,
  exact: true,
  errors: [...BASIC],
  examples: ['baton audit proof HO-2026-001 --json'],
  run: async (service, _, { id, limit = 20 }) => mutable(await (await service.audit()).proof(id, limit)),
})

const Checkpoint = () =>
  z.object({
    origin: z.string(),
    size: z.int(),
    root: z.string(),
    at: z.string(),
    note: z.string().describe('Signed head of the log, a C2SP note'),
    vkey: z.string(),
  })

const checkpoint = defineOperation({
  name: 'audit_checkpoint',
  summary: 'Sign the current head of the log, where its key is; with --show the newest signed one.',
  scope: 'audit:write',
  input: () => ({ show: optional(z.boolean(), 'Sign nothing, only show the newest') }),
  output: Checkpoint,
  exact: true,
  errors: [...BASIC],
  examples: ['baton audit checkpoint', 'baton audit checkpoint --show'],
  run: async (service, _, { show }) => {
    const audit = await service.audit()
    if (show) return audit.newestCheckpoint()
    await audit.demandEntries()
    return audit.checkpoint()
  },
})

const log = defineOperation({
  name: 'audit_log',
  summary: 'The log of the workspace, or of one handoff, task or run, oldest first.',
  scope: 'audit:read',
  input: () => ({
    about: z.string().min(1).max(200).optional().describe('Only entries about this handoff, task or run'),
    ...PAGE(),
  }),
  output: () => z.object({ items: z.array(ShownEntry()), next: z.string().optional() }),
  exact: true,
  errors: ['invalid_input', 'not_found', 'unavailable'],
  examples: ['baton audit log --limit 50', 'baton audit log --about HO-2026-001'],
  run: async (service, _, { about, ...page }) =>
    mutable(await (await service.audit()).log(pageOf(page), about)),
})

const key = defineOperation({
  name: 'audit_key',
  summary: 'The public key with which anyone can verify this log, and where its secret is.',
  scope: 'audit:read',
  input: () => ({}),
  output: () =>
    z.object({
      origin: z.string().describe('Name of the log'),
      vkey: z.string().describe('C2SP verifier key'),
      host: z.string().describe('Machine on which it was made'),
      file: z.string(),
      here: z.boolean().describe('Whether this process can sign'),
      head: optional(z.object({ size: z.int(), at: z.string(), note: z.string() }), 'Newest signed head'),
    }),
  exact: true,
  errors: [...BASIC],
  examples: ['baton audit key'],
  run: async (service) => (await service.audit()).key(),
})

const redact = defineOperation({
  name: 'audit_redact',
  summary: 'Remove one field of a handoff, task or record for good. The log still proves it was there.',
  scope: 'audit:write',
  peopleOnly: true,
  positional: ['id'],
  input: redactFields,
  output: Redacted,
  errors: ['invalid_input', 'not_found', 'not_allowed', 'conflict', 'unavailable'],
  examples: ['baton audit redact HO-2026-001 --field summary -m leaked-key'],
  run: async (service, call, input) => {
    const { redact } = await import('../service/redaction/redact.ts')
    return mutable(await redact(service.deps, call, input))
  },
})

export const AUDIT_OPERATIONS = [
  sessionStart,
  sessions,
  verifyChain,
  finalize,
  root,
  proof,
  checkpoint,
  log,
  key,
  redact,
] as const
