// A worker in a process of its own: says the id of each piece of work when its handler begins.
import { openBaton } from '../../src/index.ts'

const baton = await openBaton(process.argv[2]!)
await baton.work('worker', {}, async (work) => {
  console.log(`worker\t${work.handoff.id}\tstarted`)
  return {}
})
console.error('waiting for work')
