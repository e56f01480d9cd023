// A specialist with JSON Schemas: as objects here, as paths of files just as well.
import { HandoffFailedException, openBaton } from 'batonpass'

const baton = await openBaton({ store: ':memory:' })
const orchestrator = baton.as('frontend-specialist')

await baton.specialist(
  'react-specialist',
  {
    input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    output: { type: 'object', required: ['files'] },
  },
  async (work) => {
    await work.progress(50)
    return { output: { files: [`${(work.input as { name: string }).name}.tsx`] } }
  },
)

for (const input of [{ name: 'UserProfile' }, { title: 'UserProfile' }]) {
  const sent = await orchestrator.send({ to: 'react-specialist', title: 'Build', home: 'queue', input })
  try {
    const { output } = await sent.wait()
    console.log(output)
  } catch (error) {
    if (error instanceof HandoffFailedException) console.log(error.message)
  }
}

await baton.close()

// Prints:
// { files: [ 'UserProfile.tsx' ] }
// Input validation failed: input is missing required field 'name'
