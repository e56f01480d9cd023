import * as z from 'zod'
import { DIALECTS } from '../dialects/dialect.ts'
import { CheckedDocument, ImportItem } from '../domain/document-answers.ts'
import { optional } from '../domain/once.ts'
import { PlacedProblem } from '../domain/problem.ts'
import { text } from '../domain/schema-parts.ts'
import { mutable } from './handoff/fields.ts'
import { defineOperation } from './operation.ts'

/** More than any handoff has; what is larger is refused before it is read. */
const MAX_TEXT = 4_000_000

const document = () => ({
  text: z
    .string()
    .max(MAX_TEXT)
    .describe('The document itself: markdown, JSON, YAML, or any text with blocks in it'),
  path: optional(z.string().max(1_000), 'Its path; the folder tells some dialects apart'),
})

const Loss = () => z.object({ field: z.string(), reason: z.string() })

const target = () =>
  z
    .string()
    .max(40)
    .describe(`${DIALECTS.join(', ')}, or a format that baton.yaml names`)

const writing = () => ({
  slot: optional(z.boolean(), 'Carry what the dialect has no place for under x_baton'),
  supply: optional(
    z.record(z.string().max(100), z.unknown()),
    'Fields that the dialect requires and the document lacks, for example {"record.branch": "main"}',
  ),
})

const check = defineOperation({
  name: 'document_check',
  summary: 'Read a handoff document of any dialect, and list its problems with their places.',
  scope: 'document:read',
  input: () => ({
    ...document(),
    changed: optional(
      z.array(text(1_000)).max(10_000),
      'Files that the work changed; each must be an artifact of a package',
    ),
  }),
  output: () => z.object({ documents: z.array(CheckedDocument()) }),
  errors: ['invalid_input', 'too_large'],
  examples: ['baton check _handoffs/active', 'baton check report.md --json'],
  run: async ({ deps: { formats } }, call, input) => {
    const { workOn } = await import('../service/documents/text-work.ts')
    return { documents: mutable(await workOn(call, 'check', { ...input, formats }, input.text)) }
  },
})

const documentConvert = defineOperation({
  name: 'document_convert',
  summary: 'Write a document in another dialect. Says what is lost, or what is missing.',
  scope: 'document:read',
  input: () => ({
    ...document(),
    to: target(),
    document: optional(z.int().min(1).max(100_000), 'Which one, where the text holds several'),
    ...writing(),
  }),
  output: () =>
    z.object({ text: z.string(), losses: z.array(Loss()), diagnostics: z.array(PlacedProblem()) }),
  exact: true,
  errors: ['invalid_input', 'not_found', 'unmet', 'too_large'],
  examples: [
    'baton convert handoff.md --to package',
    'baton convert handoff.yaml --to markdown --set task=BPRD-2026-0042 --set state=Active --set title="Limit the API"',
  ],
  run: async ({ deps: { formats } }, call, input) => {
    const { workOn } = await import('../service/documents/text-work.ts')
    return mutable(await workOn(call, 'convert', { ...input, formats }, input.text))
  },
})

const importing = defineOperation({
  name: 'document_import',
  summary: 'Import the handoffs and records of a document, each once. Limits do not apply.',
  scope: 'document:write',
  input: document,
  output: () => z.object({ items: z.array(ImportItem()) }),
  errors: ['invalid_input', 'unavailable', 'too_large'],
  examples: ['baton import _handoffs/active/*.md'],
  run: async (service, call, input) => {
    const { importText } = await import('../service/documents/import.ts')
    return { items: mutable(await importText(service.deps, call, input)) }
  },
})

const exporting = defineOperation({
  name: 'document_export',
  summary: 'Write a handoff or a task as a document of a dialect. Says what is lost.',
  scope: 'document:read',
  positional: ['id'],
  input: () => ({
    id: text(200).describe('Handoff or task id, for example HO-2026-001 or P0.1.1'),
    to: target().optional(),
    ...writing(),
  }),
  output: () =>
    z.object({ dialect: z.enum(DIALECTS), id: z.string(), text: z.string(), losses: z.array(Loss()) }),
  exact: true,
  errors: ['invalid_input', 'not_found', 'unmet', 'unavailable', 'too_large'],
  untrusted: ['text'],
  examples: ['baton export HO-2026-001 --to package', 'baton export P0.1.1 --to writeback'],
  run: async (service, call, input) => {
    const { exportDocument } = await import('../service/documents/export-document.ts')
    return mutable(await exportDocument(service.deps, call, input))
  },
})

export const DOCUMENT_OPERATIONS = [check, documentConvert, importing, exporting] as const
