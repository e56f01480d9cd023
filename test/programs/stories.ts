import { join } from 'node:path'
import { tokensIn, toolsOfBaton } from './measure.ts'
import type { ProgramName } from './programs.ts'
import type { Played, Stage } from './stage.ts'

/** Says of one check of a story whether it holds; `about` is shown when it does not. */
export type Check = (name: string, holds: boolean, about?: string) => void
/** Notes a number of tokens with the most that it may be. */
export type Measure = (name: string, tokens: number, most: number) => void

export interface Story {
  /** The checks that the story makes, in this order. */
  readonly checks: readonly string[]
  /** The programs that it is about; all of them unless said. */
  readonly programs?: readonly ProgramName[]
  run(stage: Stage, check: Check, measure: Measure): Promise<void>
}

const MOST_TOOLS = 3_000
const MOST_START = 400
const MOST_ACCEPT = 1_500
const EVIDENCE = [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }]

/** How often a text stands in each request. */
const counts = ({ requests }: Played, text: string): readonly number[] =>
  requests.map((request) => request.text.split(text).length - 1)

/** A piece of work from setup to removal, with nothing but what setup wrote. */
const work: Story = {
  checks: [
    'connect',
    'start text',
    'skill',
    'accept',
    'stop refused once',
    'held work at start',
    'submit',
    'verify',
    'remove',
  ],
  async run(stage, check, measure) {
    const before = stage.git('status', '--porcelain')
    await stage.setup()
    const id = await stage.send()
    const first = await stage.play('Do what waits for you.', [
      { tool: 'handoff_inbox' },
      { tool: 'handoff_accept', args: { id } },
      'I stop here.',
      'Still stopping.',
      'A third time.',
    ])
    const named = counts(first, id)
    const [opening] = first.requests
    const tools = toolsOfBaton(first.requests.at(-1))
    const inbox = first.requests
      .flatMap(({ wire, body }) => wire.results(body))
      .find((text) => text.includes(id))
    check('connect', inbox !== undefined, `${first.requests.length} requests, none with the inbox`)
    check('start text', opening?.text.includes('Add rate limiting') ?? false)
    check('skill', opening?.text.includes('baton-handoff') ?? false)
    check('accept', (await stage.stateOf(id)) === 'in_progress')
    // Refused once: one request more than the steps up to the first stop, and the reason names the work.
    const stops = first.requests.findIndex(({ text }) => text.includes('I stop here.'))
    const isTold = stops > 0 && (named[stops] ?? 0) > (named[stops - 1] ?? 0)
    check(
      'stop refused once',
      isTold && first.requests.length === stops + 1,
      `${first.requests.length} requests`,
    )
    if (tools !== '') measure('tools', tokensIn(tools), MOST_TOOLS)
    const start = /Baton: you are .*?never instructions\./.exec(opening?.text ?? '')?.[0]
    if (start !== undefined) measure('start text', tokensIn(start.replaceAll('\\n', '\n')), MOST_START)
    const accepted = first.requests
      .flatMap(({ wire, body }) => wire.results(body))
      .find((text) => text.includes('in_progress'))
    if (accepted !== undefined) measure('accept', tokensIn(accepted), MOST_ACCEPT)

    const second = await stage.play('Go on.', [
      { tool: 'handoff_submit', args: { id, evidence: EVIDENCE } },
      'Done.',
      'x',
    ])
    check('held work at start', second.requests[0]?.text.includes(id) ?? false)
    check('submit', (await stage.stateOf(id)) === 'in_review')
    await stage.baton('verify', id, '--pass', '--as', 'planner')
    check('verify', (await stage.stateOf(id)) === 'completed')
    await stage.setup('--remove')
    check('remove', stage.git('status', '--porcelain') === before, stage.git('status', '--porcelain'))
  },
}

/** A program whose hooks and server cannot run goes on as if there were none. */
const without = (name: string, node: 'old-node' | undefined): Story => ({
  checks: [name],
  async run(stage, check) {
    await stage.setup()
    stage.putBaton(node)
    const played = await stage.play('Say something.', ['Something.', 'More.', 'Even more.'])
    const count = played.requests.length
    check(name, played.code === 0 && count === 1, `exit ${played.code}, ${count} requests\n${played.stderr}`)
  },
})

/** Set up once in the home, without a file in the project. */
const everywhere: Story = {
  checks: ['all projects'],
  async run(stage, check) {
    await stage.setup('--user')
    const id = await stage.send()
    const played = await stage.play('Do what waits for you.', [
      { tool: 'handoff_accept', args: { id } },
      'I stop here.',
      'Still stopping.',
    ])
    const state = await stage.stateOf(id)
    check('all projects', state === 'in_progress', `${state}, ${played.requests.length} requests`)
  },
}

/** The programs' own commands find nothing wrong with what the package holds for them. */
const plugin: Story = {
  checks: ['plugin'],
  programs: ['claude', 'gemini'],
  async run(stage, check) {
    const validated =
      stage.program === 'claude'
        ? [
            await stage.start('plugin', 'validate', stage.plugins),
            await stage.start('plugin', 'validate', join(stage.plugins, 'claude-code')),
          ]
        : [await stage.start('extensions', 'validate', join(stage.plugins, 'gemini'))]
    const failed = validated.find(({ code }) => code !== 0)
    check('plugin', failed === undefined, `${failed?.stdout}${failed?.stderr}`)
  },
}

/** Each story has a stage of its own. A further one is a row here. */
export const STORIES: readonly Story[] = [
  work,
  without('missing baton', undefined),
  without('old Node', 'old-node'),
  everywhere,
  plugin,
]
