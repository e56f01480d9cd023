// The inputs and outputs of the operations, and names for those that the methods of an agent take and answer.
import type * as z from 'zod'
import type { AnyOperation, OperationName } from '../operations/index.ts'

export type { OperationName } from '../operations/index.ts'

type OperationNamed<Name extends OperationName> = Extract<AnyOperation, { readonly name: Name }>

/** The input of an operation. */
export type OperationInput<Name extends OperationName> = z.output<OperationNamed<Name>['input']>
/** The output of an operation. */
export type OperationOutput<Name extends OperationName> = z.output<OperationNamed<Name>['output']>

/** A new handoff as its sender gives it. */
export type SendInput = OperationInput<'handoff_create'>
export type InboxInput = OperationInput<'handoff_inbox'>
export type AcceptInput = Omit<OperationInput<'handoff_accept'>, 'id'>
export type RejectInput = Omit<OperationInput<'handoff_reject'>, 'id'>
export type SubmitInput = Omit<OperationInput<'handoff_submit'>, 'id'>
export type VerifyInput = Omit<OperationInput<'handoff_verify'>, 'id'>
export type FailInput = Omit<OperationInput<'handoff_fail'>, 'id'>
export type CancelInput = Omit<OperationInput<'handoff_cancel'>, 'id'>

export type InboxOutput = OperationOutput<'handoff_inbox'>
export type GetOutput = OperationOutput<'handoff_get'>
export type AcceptOutput = OperationOutput<'handoff_accept'>
export type RejectOutput = OperationOutput<'handoff_reject'>
export type ClaimOutput = OperationOutput<'handoff_claim'>
export type AskOutput = OperationOutput<'handoff_ask'>
export type AnswerOutput = OperationOutput<'handoff_answer'>
export type SubmitOutput = OperationOutput<'handoff_submit'>
export type VerifyOutput = OperationOutput<'handoff_verify'>
export type FailOutput = OperationOutput<'handoff_fail'>
export type RetryOutput = OperationOutput<'handoff_retry'>
export type CancelOutput = OperationOutput<'handoff_cancel'>
export type DecideOutput = OperationOutput<'gate_decide'>
