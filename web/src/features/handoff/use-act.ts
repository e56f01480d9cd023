import { useMutation } from '@tanstack/react-query'
import type {
  OperationInput,
  OperationName,
  OperationOutput,
} from '../../../../src/runner/operation-types.ts'
import { call } from '../../api/call.ts'
import { queries } from '../../api/queries.ts'

/** Does something to a handoff or a run; the data that it changes is read again. */
export function useAct<Name extends OperationName>(
  name: Name,
  done?: () => void,
  answered?: (answer: OperationOutput<Name>) => void,
  /** Revision of the handoff that is on the screen. */
  rev?: number,
) {
  return useMutation({
    mutationFn: (input: OperationInput<Name>) => call(name, input, { rev }),
    // A handoff that has moved on is shown as it is now.
    onError: () => queries.invalidateQueries({ predicate: ({ queryKey: [key] }) => key === 'handoff_get' }),
    onSuccess: async (answer) => {
      done?.()
      answered?.(answer)
      await queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => /^(?:handoff|workflow|task)_/.test(String(key)),
      })
    },
  })
}
