import { MutationCache, QueryCache, QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { OperationInput, OperationName, OperationOutput } from '../../../src/runner/operation-types.ts'
import { call, Refusal } from './call.ts'
import { whenListening } from './listening.ts'

const WHO = 'whoami'

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [name] }) => {
      if (name !== WHO) onRefusal(error)
    },
  }),
  mutationCache: new MutationCache({ onError: onRefusal }),
  defaultOptions: {
    // Without a network a decision must fail where it was made: by itself the library would send it much later.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      // What changes is told by events; until then what was read is good.
      staleTime: 30_000,
      // What nobody looks at any more is let go soon: each filter that was tried holds a board of its own.
      gcTime: 60_000,
      retryDelay: 400,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof Refusal && error.status >= 400 && error.status < 500),
    },
  },
})

/** A session ends at some time: then the page asks who is there, as it did at first. */
function onRefusal(error: Error): void {
  if (error instanceof Refusal && error.status === 401) void refreshKinds('session')
}

interface ReadOptions<Name extends OperationName> {
  readonly enabled?: boolean
  /** How soon to ask again, after this answer: for what no event tells of. */
  readonly againMs?: (data: OperationOutput<Name> | undefined) => number | false
}

/** A read of the server, kept under its name and input. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
  options: ReadOptions<Name> = {},
): UseQueryResult<OperationOutput<Name>> {
  const { enabled, againMs } = options
  return useQuery({
    queryKey: [name, input],
    queryFn: async ({ signal }) => {
      await whenListening()
      return call(name, input, { signal })
    },
    placeholderData: (before) => before,
    ...(enabled !== undefined && { enabled }),
    ...(againMs && {
      // What is kept under this key is what this operation answered.
      refetchInterval: ({ state }: { readonly state: { readonly data?: unknown } }) =>
        againMs(state.data as OperationOutput<Name> | undefined),
    }),
  })
}

/** What must be read again when something of this kind has happened. */
const AFFECTED: Readonly<Record<string, readonly string[]>> = {
  handoff: ['handoff_', 'report_', 'agent_', 'workflow_', 'task_', 'audit_'],
  task: ['task_', 'report_', 'thought_', 'audit_'],
  agent: ['agent_', 'report_flow'],
  run: ['workflow_', 'handoff_', 'audit_'],
  session: [WHO, 'audit_'],
}

/** Resolves when what is shown of it has been read again. */
export function refreshKinds(...kinds: readonly string[]): Promise<void> {
  const names = kinds.flatMap((kind) => AFFECTED[kind] ?? [''])
  return queries.invalidateQueries({
    predicate: ({ queryKey: [name] }) => names.some((start) => String(name).startsWith(start)),
  })
}
