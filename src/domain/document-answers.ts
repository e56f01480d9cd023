import * as z from 'zod'
import type { ErrorCode } from './errors.ts'
import type { AnswerOf } from './once.ts'
import { PlacedProblem } from './problem.ts'

/** Null where the document does not say. */
const word = () => z.string().nullable()

export const CheckedDocument = () =>
  z.object({
    dialect: word(),
    form: word().describe("Which of the dialect's forms it has"),
    ok: z.boolean().describe('Nothing in it is an error'),
    /** The fields that a person looks for first. */
    summary: z.object({
      id: word(),
      from: word(),
      to: word(),
      status: word().describe("The document's own word"),
      state: word().describe("Baton's word for it"),
      task: word(),
      title: word(),
      createdAt: word(),
    }),
    diagnostics: z.array(PlacedProblem()),
  })
export type CheckedDocument = AnswerOf<typeof CheckedDocument>

/** The outcome for one document. */
export const ImportItem = () =>
  z.object({
    outcome: z
      .enum(['imported', 'unchanged', 'differs', 'twin', 'refused', 'skipped'])
      .describe('differs: the handoff is here and says something else; twin: another file is about it'),
    dialect: z.string().optional(),
    line: z.int().describe('The line on which the document begins'),
    id: z.string().optional().describe('The handoff that was made or found'),
    state: z.string().optional(),
    task: z.string().optional(),
    record: z.string().optional().describe('The thought record that was made'),
    names: z.array(z.string()).optional().describe('Both names of a twin'),
    reason: z.string().optional(),
    code: z.string().optional().describe('Of a refused document: the code that a call would get'),
    diagnostics: z.array(PlacedProblem()).optional(),
  })
export type ImportItem = Omit<AnswerOf<typeof ImportItem>, 'code'> & { readonly code?: ErrorCode }
