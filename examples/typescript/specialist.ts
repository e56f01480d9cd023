// A specialist that takes work in this process, with zod on both ends.
import { openBaton } from 'batonpass'
import * as z from 'zod'

const Requirement = z.object({ name: z.string(), props: z.record(z.string(), z.string()).default({}) })
const Components = z.object({ files: z.array(z.string()) })

const baton = await openBaton({ store: ':memory:' })

const specialist = await baton.work(
  'react-specialist',
  { input: Requirement, output: Components, concurrency: 2 },
  async (work) => {
    const file = await work.artifact('react-components', { files: [`${work.input.name}.tsx`] })
    return { artifact: file, validation: { tests_passing: true, coverage_percentage: 87 } }
  },
)

// Work of the home `queue` is completed by its receiver; in `native`, the sender verifies it.
const sent = await baton.as('frontend-specialist').send({
  to: 'react-specialist',
  title: 'Build UserProfile',
  home: 'queue',
  input: { name: 'UserProfile' },
})
const { output } = await sent.wait({ timeout_s: 60 })
console.log(Object.keys(output as object).join(', '))

await specialist.close({ timeout_s: 5 })
await baton.close()

// Prints:
// artifact_id, artifact_path, artifact_type
