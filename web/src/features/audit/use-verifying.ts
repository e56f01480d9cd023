import { useMutation } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/** Lets the server verify its own chains, tree and checkpoint, for one session or the newest. */
export const useVerifying = () =>
  useMutation({
    mutationFn: (session: string | undefined) =>
      call('audit_verify_chain', session === undefined ? {} : { session }),
  })
