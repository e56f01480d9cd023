import { DatabaseSync, StatementSync } from 'node:sqlite'
import type { TestContext } from 'node:test'

export type When = 'before' | 'after'

export interface Fault {
  /** The nth statement from now on fails, before it runs or after it has. */
  arm(nth: number, when: When): void
  /** Ends the danger; answers whether the fault was met. */
  disarm(): boolean
}

/**
 * SQLite that fails at a statement of our choice. The failure is one that the store does not try again by
 * itself, so that whatever was left half done would stay half done.
 */
export function faultySqlite(t: TestContext): Fault {
  let left = Number.POSITIVE_INFINITY
  let when: When = 'before'
  let isHit = false
  const around = <T>(run: () => T, never?: When): T => {
    left -= 1
    if (left !== 0) return run()
    isHit = true
    if (when === 'after' && never !== 'after') run()
    throw Object.assign(new Error('the fault that the test asked for'), { errcode: 1 })
  }
  for (const name of ['run', 'get', 'all'] as const) {
    // Whatever is passed goes through as it came.
    const original = StatementSync.prototype[name] as (...values: unknown[]) => unknown
    t.mock.method(StatementSync.prototype, name, function (this: StatementSync, ...values: unknown[]) {
      // A transaction has begun or the begin has failed.
      return around(
        () => original.apply(this, values),
        this.sourceSQL.startsWith('BEGIN') ? 'after' : undefined,
      )
    })
  }
  const exec = DatabaseSync.prototype.exec
  t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    // A rollback that fails ends with the connection.
    return sql === 'ROLLBACK' ? exec.call(this, sql) : around(() => exec.call(this, sql))
  })
  return {
    arm(nth, at) {
      left = nth
      when = at
      isHit = false
    },
    disarm() {
      left = Number.POSITIVE_INFINITY
      return isHit
    },
  }
}
