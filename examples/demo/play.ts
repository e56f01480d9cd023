import { openBaton } from '../../src/index.ts'
import { playTestRunner } from './block-agent.ts'
import { playGrok } from './markdown-agent.ts'
import { playReleaseManager } from './package-agent.ts'
import { playReactSpecialist } from './queue-agent.ts'
import { Stage } from './stage.ts'
import type { Player } from './team.ts'
import { playClaude } from './writeback-agent.ts'

const PLAYS: Readonly<Record<Player, (stage: Stage) => Promise<void>>> = {
  grok: playGrok,
  claude: playClaude,
  'react-specialist': playReactSpecialist,
  'test-runner': playTestRunner,
  'release-manager': playReleaseManager,
}

/** One agent of the demo, in a process of its own. What it says, line by line, is what it does. */
export async function play(
  name: Player,
  options: {
    readonly folder: string
    readonly pace: number
    readonly signal: AbortSignal
    readonly say: (text: string) => void
  },
): Promise<void> {
  const baton = await openBaton({ cwd: options.folder })
  try {
    await PLAYS[name](new Stage({ baton, name, ...options }))
  } finally {
    await baton.close()
  }
}
