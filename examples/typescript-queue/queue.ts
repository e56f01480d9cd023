// The functions of the queue format, in a workspace with its folders: baton init --dialect queue
// node queue.ts [folder]
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  completeHandoffFailure,
  completeHandoffSuccess,
  createHandoffRequest,
  HandoffFailedException,
  processHandoffRequest,
  waitForHandoffCompletion,
} from 'batonpass/queue'

const [cwd = '.'] = process.argv.slice(2)
const here = { cwd, print: () => undefined }
const request = (input: object) =>
  createHandoffRequest('@frontend-specialist', '@react-specialist', input, { ...here, timeout_seconds: 60 })

// The specialist picks the request up, writes its artifact and hands it in.
const card = await request({ name: 'UserCard' })
await processHandoffRequest(card, undefined, here)
writeFileSync(join(cwd, 'artifacts/card.json'), '{ "files": ["UserCard.tsx"] }')
await completeHandoffSuccess(card, { id: 'card', path: 'artifacts/card.json' }, here)
const { status } = await waitForHandoffCompletion(card, 60, here)
console.log(status)

// Or it says why it cannot.
const list = await request({ name: 'UserList' })
await processHandoffRequest(list, undefined, here)
await completeHandoffFailure(list, 'The design is not there yet', { ...here, code: 'DEPENDENCY_MISSING' })
try {
  await waitForHandoffCompletion(list, 60, here)
} catch (error) {
  if (error instanceof HandoffFailedException) console.log(error.message)
}

// Prints:
// completed
// The design is not there yet
