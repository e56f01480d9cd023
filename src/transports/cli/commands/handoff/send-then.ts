import { invalidInput } from '../../../../domain/errors.ts'
import { slugOf } from '../../../../git/names.ts'
import type { Shell } from '../../shell.ts'

/** Options of a first step that a step of a workflow has too. */
const TO_PROVE = ['deliverables', 'criteria', 'checks'] as const
const OF_STEP = ['title', 'summary', 'constraints', ...TO_PROVE] as const

/**
 * A send with agents that follow is a workflow of one step for each: it goes on by itself when a step is handed in. The
 * word that is a draft's id elsewhere is a task here.
 */
export async function sendThen(
  shell: Shell,
  agents: readonly string[],
  { then: _then, id: _id, to, timeout_s, ...given }: Readonly<Record<string, unknown>>,
) {
  const { words } = shell.args
  if (words.length !== agents.length)
    throw invalidInput(
      `each --then takes an agent and its task in quotes: --then ${agents.at(-1)} "Review it"`,
    )
  const other = Object.keys(given).filter((name) => !OF_STEP.includes(name as (typeof OF_STEP)[number]))
  if (other.length > 0)
    throw invalidInput(
      `--then does not go with ${other.join(', ')}; write a workflow instead: baton workflow init`,
      { fields: other },
    )
  const title = String(given.title)
  const first = { id: 'step-1', agent: to, ...given, ...(timeout_s !== undefined && { timeout: timeout_s }) }
  const steps = agents.map((agent, i) => ({ id: `step-${i + 2}`, agent, title: words[i] }))
  // A step with something to prove waits for the sender's look; the others go on as soon as they are handed in.
  const home = TO_PROVE.some((name) => name in given) ? 'native' : 'block'
  const definition = JSON.stringify({ name: slugOf(title), home, steps: [first, ...steps] })
  const session = await shell.open({ write: true })
  const run = await session.call('workflow_start', { definition })
  const { handoff } = await session.call('handoff_get', { id: run.steps[0]?.handoff ?? '' })
  shell.next(`baton workflow status ${run.id}`)
  return { handoff, warnings: [], run: run.id }
}
