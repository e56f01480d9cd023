import type { Actor } from '../domain/agent.ts'
import type { Home } from '../domain/home.ts'
import type { Check, CheckResult, Result } from '../domain/package.ts'
import type { Policy } from '../domain/policy.ts'
import type { Store } from '../storage/store.ts'

/** The service's world. Nothing here has a default that reads the real clock or chance: the composition root passes it. */
export interface ServiceDeps {
  readonly store: Store
  readonly now: () => Date
  readonly newUid: () => string
  readonly policy: Policy
  /** The home of handoffs that do not name one. */
  readonly home: Home
  /** Runs declared acceptance checks where the project is; absent where there is none. */
  readonly runChecks?: (checks: readonly Check[], result: Result) => Promise<readonly CheckResult[]>
}

/** One call of one operation. */
export interface Call {
  readonly actor: Actor
  /** Makes a repeated call harmless: the same key with the same input answers what the first one did. */
  readonly key?: string
}
