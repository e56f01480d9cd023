import { BatonError } from '../../src/domain/errors.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { offer } from '../support/store/store-units.ts'

/** Opens a store and writes to it as a user for whom file permissions count; prints what came of it. */
const [path = '', mode] = process.argv.slice(2)
// Permissions do not stop root. Everything is imported by now, so the sources need not be readable any more.
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(65534)
  process.setuid?.(65534)
}
const told = (error: unknown) =>
  error instanceof BatonError
    ? { code: error.code, message: error.message }
    : { code: 'raw', message: String(error) }
try {
  const store = await openSqliteStore({ path, readOnly: mode === 'read', lockWaitMs: 200 })
  const written = await offer(store).then(() => 'written', told)
  const { handoffs } = await store.counts()
  await store.close()
  console.log(JSON.stringify({ opened: true, written, handoffs }))
} catch (error) {
  console.log(JSON.stringify({ opened: told(error) }))
}
