import { loadOperation, type OperationName } from '../../../src/operations/index.ts'
import { invoke } from '../../../src/operations/operation.ts'
import type { Call } from '../../../src/service/deps.ts'
import type { Service } from '../../../src/service/service.ts'

/** Calls an operation as every transport does: by name, with raw input. */
export async function run<T = Record<string, unknown>>(
  service: Service,
  call: Call,
  name: OperationName,
  input: unknown = {},
): Promise<T> {
  return (await invoke(await loadOperation(name), service, call, input)) as T
}

/** Document 003's complete example, unchanged. */
export const EXAMPLE = {
  task_id: 'P0.1.1',
  branch: 'feature/p0-1-1-package-setup',
  commit_sha: 'abc123def456789abcdef456789abcdef456789a',
  tests_run: ['smoke.test.ts', 'eslint', 'tsc --noEmit'],
  summary:
    'Initialized package.json with ESM-first setup (type: module), added TypeScript 5.3+ with strict mode, configured ESLint + Prettier, created .env.example with 85 documented vars. All dev tools included: tsx for development, tsc for build. npm install succeeds with zero warnings.',
  blockers: [],
  files_changed: [
    'package.json',
    'tsconfig.json',
    '.eslintrc.json',
    '.prettierrc',
    '.env.example',
    '.gitignore',
    'src/__tests__/smoke.test.ts',
  ],
  related_thought_records: [],
} as const

/** The same for another task. */
export const recordOf = (task_id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...EXAMPLE,
  task_id,
  branch: `feature/${task_id.toLowerCase().replaceAll('.', '-')}-work`,
  ...more,
})
