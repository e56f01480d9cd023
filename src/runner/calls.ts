import type * as z from 'zod'
import { BatonError } from '../domain/errors.ts'
import type { CLOSING_OPERATIONS } from '../operations/handoff-closing.ts'
import type { LOOKING_OPERATIONS } from '../operations/handoff-looking.ts'
import type { RECEIVING_OPERATIONS } from '../operations/handoff-receiving.ts'
import type { SENDING_OPERATIONS } from '../operations/handoff-sending.ts'
import { isOperationName, loadOperation } from '../operations/index.ts'
import { invoke } from '../operations/operation.ts'
import type { OTHER_OPERATIONS } from '../operations/other.ts'
import type { TASK_OPERATIONS } from '../operations/task.ts'
import type { Call } from '../service/deps.ts'
import type { Service } from '../service/service.ts'

type AnyOperation =
  | (typeof SENDING_OPERATIONS)[number]
  | (typeof RECEIVING_OPERATIONS)[number]
  | (typeof CLOSING_OPERATIONS)[number]
  | (typeof LOOKING_OPERATIONS)[number]
  | (typeof TASK_OPERATIONS)[number]
  | (typeof OTHER_OPERATIONS)[number]

/** The name of everything that can be asked of Baton. */
export type OperationName = AnyOperation['name']

type Named<Name extends OperationName> = Extract<AnyOperation, { readonly name: Name }>

/** What an operation is asked with. */
export type OperationInput<Name extends OperationName> = z.output<Named<Name>['input']>
/** What an operation answers. */
export type OperationOutput<Name extends OperationName> = z.output<Named<Name>['output']>

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
      `${name} is for people: a program cannot show that one is there; use the baton command at a terminal, or a person's token over HTTP`,
      { operation: name },
    )
  // The list of operations is looked up by name, which is what ties this answer to this type.
  return (await invoke(operation, service, call, input)) as OperationOutput<Name>
}
