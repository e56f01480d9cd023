import type * as z from 'zod'
import { BatonError } from '../domain/errors.ts'
import { jsonProblem } from '../domain/texts/json-problem.ts'
import { type AnyOperation, isOperationName, loadOperation, type OperationName } from '../operations/index.ts'
import { invoke } from '../operations/operation.ts'
import type { Call } from '../service/deps.ts'
import type { Service } from '../service/service.ts'

export type { OperationName } from '../operations/index.ts'

type OperationNamed<Name extends OperationName> = Extract<AnyOperation, { readonly name: Name }>

/** The input of an operation. */
export type OperationInput<Name extends OperationName> = z.output<OperationNamed<Name>['input']>
/** The output of an operation. */
export type OperationOutput<Name extends OperationName> = z.output<OperationNamed<Name>['output']>

/** A new handoff as its sender gives it. */
export type SendInput = OperationInput<'handoff_create'>
export type AcceptInput = Omit<OperationInput<'handoff_accept'>, 'id'>
export type SubmitInput = Omit<OperationInput<'handoff_submit'>, 'id'>

/** Calls one operation by its name, as every transport does. */
export async function callOperation<Name extends OperationName>(
  service: Service,
  call: Call,
  name: Name,
  input: OperationInput<Name>,
): Promise<OperationOutput<Name>> {
  if (!isOperationName(name))
    throw new BatonError('not_found', `there is no operation ${name}`, { operation: name })
  const operation = await loadOperation(name)
  if (operation.peopleOnly)
    throw new BatonError(
      'not_allowed',
      `${name} is for people only; a person must run it at a terminal or in the dashboard`,
      { operation: name },
    )
  // Over the other surfaces input comes as JSON; a program may give anything.
  const fault = jsonProblem(input)
  if (fault)
    throw new BatonError('invalid_input', `${fault.field || 'the input'} ${fault.what}`, {
      operation: name,
      field: fault.field,
    })
  // The list of operations is looked up by name, which is what ties this answer to this type.
  return (await invoke(operation, service, call, input)) as OperationOutput<Name>
}
