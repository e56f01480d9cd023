import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

export const PATIENCE_MS = 60_000

/** Looks until it is so; fails with what there is to tell when that takes too long. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  told: () => string = () => '',
): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await isSo()); await pause(20))
    assert.ok(Date.now() < deadline, `it never became so; ${told()}`)
}
