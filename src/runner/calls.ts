import { BatonError } from '../domain/errors.ts'
import { jsonProblem } from '../domain/texts/json-problem.ts'
import { isOperationName, loadOperation } from '../operations/index.ts'
import { invoke } from '../operations/operation.ts'
import type { Call } from '../service/deps.ts'
import type { Service } from '../service/service.ts'
import type { OperationInput, OperationName, OperationOutput } from './operation-types.ts'

export type * from './operation-types.ts'

/** Calls one operation by its name, as every transport does. */
export async function callOperation<Name extends OperationName>(
  service: Service,
  call: Call,
  name: Name,
  input: OperationInput<Name>,
): Promise<OperationOutput<Name>> {
  if (!isOperationName(name))
    throw new BatonError('not_found', `${name} is not an operation`, { operation: name })
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
