import { openStore } from '../../src/compose/main.ts'

/** Says `called` for each call back of a subscription in another process, and `after` what it sees then. */
const store = await openStore(JSON.parse(process.argv[2] ?? ''))
store.subscribe(() => {
  void store.counts().then(({ entries }) => process.send?.({ entries }))
})
process.send?.('ready')
process.once('disconnect', () => void store.close())
