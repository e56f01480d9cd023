import { useMutation } from '@tanstack/react-query'
import type { OperationInput, OperationName } from '../../../../src/runner/calls.ts'
import { call } from '../../api/call.ts'
import { queries } from '../../api/queries.ts'

/** Does something to a handoff or a run; what it changes is read again. */
export function useAct<Name extends OperationName>(name: Name, done?: () => void) {
  return useMutation({
    mutationFn: (input: OperationInput<Name>) => call(name, input),
    onSuccess: async () => {
      done?.()
      await queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => /^(?:handoff|workflow)_/.test(String(key)),
      })
    },
  })
}
