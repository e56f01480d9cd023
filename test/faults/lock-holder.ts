import { DatabaseSync } from 'node:sqlite'

/** Holds the write lock on a store file from the outside until it is told to let go. */
const db = new DatabaseSync(process.argv[2] ?? '')
db.exec('BEGIN EXCLUSIVE')
process.send?.('locked')
process.once('message', () => {
  db.exec('COMMIT')
  process.send?.('released')
  process.disconnect?.()
})
