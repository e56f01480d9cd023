// A specialist with schemas on both ends: of zod, or JSON Schemas.
// node specialist.ts [address] [part]: without a part, this process plays all of them.
import { HandoffFailedException, openBaton } from 'batonpass'
import * as z from 'zod'

const Requirement = z.object({ name: z.string(), props: z.record(z.string(), z.string()).default({}) })
const Components = z.object({ files: z.array(z.string()) })

const [address = ':memory:', part = 'all'] = process.argv.slice(2)
const baton = await openBaton(address)
let leave = () => baton.close()

if (part !== 'orchestrator') {
  const specialist = await baton.work(
    'form-specialist',
    { input: Requirement, output: Components, concurrency: 2 },
    async (work) => {
      const file = await work.artifact('react-components', { files: [`${work.input.name}.tsx`] })
      return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 } }
    },
  )
  leave = async () => {
    await specialist.close({ timeout_s: 5 })
    await baton.close()
  }
  process.once('SIGTERM', leave)

  // JSON Schemas as objects here, as paths of files just as well.
  await baton.specialist(
    'style-specialist',
    { input: { type: 'object', required: ['name'] }, output: { type: 'object', required: ['files'] } },
    async (work) => {
      await work.progress(50)
      return { output: { files: [`${(work.input as { name: string }).name}.css`] } }
    },
  )
}

if (part !== 'worker') {
  const orchestrator = baton.as('orchestrator')
  for (const [to, input] of [
    ['form-specialist', { name: 'UserProfile' }],
    ['style-specialist', { name: 'UserProfile' }],
    ['style-specialist', { title: 'UserProfile' }],
  ] as const) {
    // Work of the home `queue` is completed by its receiver; in `native`, the sender verifies it.
    const sent = await orchestrator.send({ to, title: 'Build', home: 'queue', input })
    try {
      const { output } = await sent.wait({ timeout_s: 60 })
      console.log(Object.keys(output as object).join(', '))
    } catch (error) {
      if (error instanceof HandoffFailedException) console.log(error.message)
    }
  }
  await leave()
}

// Prints:
// artifact_id, artifact_path, artifact_type
// files
// Input validation failed: input is missing required field 'name'
