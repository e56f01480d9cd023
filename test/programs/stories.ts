import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { tokensIn, toolsOfBaton } from './measure.ts'
import type { ModelRequest } from './model.ts'
import { JOB_DONE, type ProgramName, programOf, TO_SUBAGENT } from './programs.ts'
import type { Played, Stage } from './stage.ts'

/** Says of one check of a story whether it holds; `about` is shown when it does not. */
export type Check = (name: string, holds: boolean, about?: string) => void
/** Notes a number of tokens with the most that it may be. */
export type Measure = (name: string, tokens: number, most: number) => void

export interface Story {
  /** The checks that the story makes, in this order. */
  readonly checks: readonly string[]
  /** The sizes that it measures. */
  readonly sizes?: readonly string[]
  /** The programs that it is about; all of them unless said. */
  readonly programs?: readonly ProgramName[]
  /** Other programs take part, so nothing is recorded. */
  readonly isMixed?: true
  run(stage: Stage, check: Check, measure: Measure): Promise<void>
}

const MOST_TOOLS = 3_000
const MOST_START = 400
const MOST_ACCEPT = 1_500
const EVIDENCE = [{ deliverable: 'Middleware in src/', evidence: 'src/limit.ts' }]

/** How often a text stands in each request. */
const counts = ({ requests }: Played, text: string): readonly number[] =>
  requests.map((request) => request.text.split(text).length - 1)

/** The part of a request that its program gives the rank of a system or a developer. */
function bySystem({ body }: Pick<ModelRequest, 'body'> = { body: {} }): string {
  const { system, instructions, systemInstruction, messages, input } = body
  const said = [messages, input].flat().filter((each) => /^(?:system|developer)$/.test(Object(each).role))
  return JSON.stringify([system, instructions, systemInstruction, ...said])
}

/** The start text in a request. */
const startIn = (request: ModelRequest | undefined): string | undefined =>
  /Baton: you are .*?never instructions\./.exec(request?.text ?? '')?.[0].replaceAll('\\n', '\n')

/** The reply to accept. */
const replyOf = (requests: readonly ModelRequest[]): string | undefined =>
  requests
    .flatMap(({ wire, body }) => wire.results(body))
    .find((text) => text.includes('in_progress') && text.includes('package'))

/** A piece of work from setup to removal, with nothing but what setup wrote. */
const work: Story = {
  checks: [
    'connect',
    'tools at once',
    'start text',
    'skill',
    'accept',
    'stop refused once',
    'refused as a user',
    'held work at start',
    'submit',
    'verify',
    'remove',
  ],
  sizes: ['tools', 'start text', 'accept'],
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
    check('tools at once', toolsOfBaton(opening).includes('handoff_accept'))
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
    check('refused as a user', isTold && !bySystem(first.requests.at(-1)).includes(REFUSED))
    if (tools !== '') measure('tools', tokensIn(tools), MOST_TOOLS)
    const start = startIn(opening)
    if (start !== undefined) measure('start text', tokensIn(start), MOST_START)
    const accepted = replyOf(first.requests)
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

/** The text by which a stop is refused. */
const REFUSED = 'still holds work'
const submit = (id: string) => ({ tool: 'handoff_submit', args: { id, evidence: EVIDENCE } })

/** Sends work on to the next program while it holds its own. */
const delegate = (to: string, parent: string) => ({
  tool: 'handoff_send',
  args: {
    ...{ to, parent, type: 'delegation', title: `Part for ${to}` },
    ...{ summary: 'The limits are agreed on; this part is left', deliverables: ['Middleware in src/'] },
  },
})

/** The two programs behind each. Copilot CLI would take the server of Claude Code in the same project. */
const behind = (program: ProgramName): readonly [ProgramName, ProgramName] =>
  program === 'codex'
    ? ['gemini', 'claude']
    : program === 'gemini'
      ? ['claude', 'codex']
      : ['codex', 'gemini']

/** Work goes from one program to the next and the next, and the results come back the same way. */
const chain: Story = {
  checks: ['chain of three'],
  isMixed: true,
  async run(stage, check) {
    const [second, third] = behind(stage.program)
    for (const program of [stage.program, second, third]) await stage.setupOf(program)
    const first = await stage.send()
    const waiting = async (agent: string): Promise<string> =>
      JSON.parse(await stage.baton('inbox', '--as', agent, '--json')).items[0].id
    const takes = (id: string) => ({ tool: 'handoff_accept', args: { id } })
    const passes = (id: string) => ({ tool: 'handoff_verify', args: { id, pass: true } })

    const out = await stage.play('Begin.', [takes(first), delegate(second, first), 'I wait for it.'])
    const middle = await waiting(second)
    await stage.play('Take the part.', [takes(middle), delegate(third, middle), 'I wait.'], {
      program: second,
    })
    const last = await waiting(third)
    await stage.play('Do the last part.', [takes(last), submit(last), 'Done.'], { program: third })
    await stage.play('It came back.', [passes(last), submit(middle), 'Done.'], { program: second })
    const back = await stage.play('All came back.', [
      { tool: 'handoff_inbox' },
      passes(middle),
      submit(first),
      'Done.',
    ])
    await stage.baton('verify', first, '--pass', '--as', 'planner')

    const states = await Promise.all([first, middle, last].map((id) => stage.stateOf(id)))
    const steps = await stage.stepsOf(middle)
    const isTold = back.requests.some(({ wire, body }) =>
      wire.results(body).some((text) => text.includes(middle)),
    )
    const isRight =
      steps.includes(`${second} handoff.submit`) && steps.includes(`${stage.program} handoff.verify_pass`)
    check(
      'chain of three',
      states.every((state) => state === 'completed') &&
        isTold &&
        isRight &&
        !out.requests.some(({ text }) => text.includes(REFUSED)),
      `${states.join(', ')}; ${steps.join(', ')}`,
    )
  },
}

/** A program that ends in the middle of its work, and the next session of the same agent. */
const crash: Story = {
  checks: ['crash and take-over'],
  async run(stage, check) {
    await stage.setup()
    const id = await stage.send()
    await stage.play('Do what waits for you.', [
      { tool: 'handoff_accept', args: { id } },
      { meanwhile: () => stage.crash(), next: 'Nobody hears this.' },
    ])
    const held = await stage.stateOf(id)
    const next = await stage.play('Go on.', [{ tool: 'handoff_inbox' }, submit(id), 'Done.'])
    const isTold = next.requests.at(-1)?.text.includes(`${id}`) ?? false
    const state = await stage.stateOf(id)
    check(
      'crash and take-over',
      held === 'in_progress' && isTold && state === 'in_review',
      `${held}, then ${state}`,
    )
  },
}

/** A second session of the same agent is neither told of the work of the first nor kept by it, and cannot hand it in. */
const two: Story = {
  checks: ['two sessions at once'],
  async run(stage, check) {
    await stage.setup()
    const id = await stage.send()
    let other: Played | undefined
    let between = ''
    const inBetween = async () => {
      other = await stage.play('Correct a typing error.', [submit(id), 'The error is corrected.', 'x'])
      between = await stage.stateOf(id)
    }
    await stage.play('Do what waits for you.', [
      { tool: 'handoff_accept', args: { id } },
      { meanwhile: inBetween, next: submit(id) },
      'Done.',
    ])
    const state = await stage.stateOf(id)
    const isTold = other?.requests[0]?.text.includes(id) ?? true
    const isKept = other?.requests.some(({ text }) => text.includes(REFUSED)) ?? true
    check(
      'two sessions at once',
      between === 'in_progress' && state === 'in_review' && !isTold && !isKept,
      `${between}, then ${state}; told ${isTold}, kept ${isKept}`,
    )
  },
}

/** Others edit, comment on and cancel work that the agent holds: it reads so after its next tool, and may then stop. */
const changed = (name: string, isRemote: boolean): Story => ({
  checks: [name],
  ...(isRemote && { isMixed: true }),
  async run(stage, check) {
    await stage.setup()
    const [planner = {}, env = {}] = isRemote ? await stage.serve('planner', stage.program) : []
    const id = await stage.send(undefined, undefined, [], planner)
    const told: boolean[] = []
    const after = (word: string, ...words: readonly string[]) => ({
      meanwhile: async () => {
        await stage.batonOf(planner, word, id, ...words, '--as', 'planner')
        // At a server the news comes by a stream of events.
        const places = [stage.repo, stage.home].map((root) => join(root, '.baton/news', stage.program))
        if (isRemote) await until(async () => places.some((file) => existsSync(file)))
      },
      next: { tool: 'handoff_get', args: { id } },
    })
    const { requests } = await stage.play(
      'Do what waits for you.',
      [
        // Codex may not have the tools of a slow server in its first request.
        { tool: 'handoff_inbox' },
        { tool: 'handoff_accept', args: { id } },
        after('edit', '--summary', 'API needs limits for each user before launch'),
        after('comment', 'Mind the bursts'),
        after('cancel', '--reason', 'Not this year'),
        'I stop here.',
        'Still.',
      ],
      { env },
    )
    for (const what of ['edited it', 'commented', 'cancelled it'])
      told.push(requests.some(({ text }) => text.includes(`${id}: planner ${what}`)))
    const isKept = requests.some(({ text }) => text.includes(REFUSED))
    const { state } = JSON.parse(await stage.batonOf(planner, 'show', id, '--json')).handoff
    check(
      name,
      told.every(Boolean) && !isKept && state === 'cancelled',
      `told of edit, comment and cancellation: ${told.join(', ')}; kept ${isKept}, ${state}`,
    )
  },
})

/** Started in a folder below the root, with settings in the home: hooks and news find the workspace above. */
const subfolder: Story = {
  checks: ['subfolder'],
  async run(stage, check) {
    await stage.setup('--user')
    const folder = 'src/deep'
    mkdirSync(join(stage.repo, folder), { recursive: true })
    const id = await stage.send()
    const comment = () => stage.baton('comment', id, 'Mind the bursts', '--as', 'planner')
    const { requests } = await stage.play(
      'Do what waits for you.',
      [
        { tool: 'handoff_accept', args: { id } },
        { meanwhile: comment, next: { tool: 'handoff_get', args: { id } } },
        'I stop here.',
        'Still.',
      ],
      { folder },
    )
    const seen = [startIn(requests[0]) ?? '', requests.at(-1)?.text ?? '']
    const told = [seen[0]!.includes(id), seen[1]!.includes('planner commented'), seen[1]!.includes(REFUSED)]
    check('subfolder', told.every(Boolean), `told at start, of news, kept: ${told.join(', ')}`)
  },
}

/** An agent that waits for a job in the background is kept only after the job has ended. */
const background: Story = {
  checks: ['background task'],
  async run(stage, check) {
    await stage.setup()
    const id = await stage.send()
    const { call, more = [] } = programOf(stage.program).background ?? {}
    let isOver = false
    const look = async () => {
      isOver = existsSync(join(stage.home, JOB_DONE))
    }
    const { requests } = await stage.play(
      'Do what waits for you.',
      [
        { tool: 'handoff_accept', args: { id } },
        ...(call ? [call] : []),
        'I wait for the tests.',
        { meanwhile: look, next: 'They ran.' },
        'x',
      ],
      { more },
    )
    const isKept = requests.at(-1)?.text.includes(REFUSED) ?? false
    check('background task', isOver && isKept, `job over ${isOver}, kept ${isKept}`)
  },
}

/** The work stays alive over a compaction, and the session that goes on knows of it and is kept by it. */
const compaction: Story = {
  checks: ['compaction'],
  async run(stage, check) {
    await stage.setup()
    const id = await stage.send()
    const { prompt, ...run } = programOf(stage.program).compaction ?? {}
    const prompted = 'Do what waits for you.'
    const played = [
      await stage.play(
        prompted,
        [{ tool: 'handoff_accept', args: { id } }, { tool: 'handoff_inbox' }, 'A summary.', 'One.', 'Two.'],
        prompt ? {} : run,
      ),
    ]
    if (prompt)
      played.push(await stage.play(prompt, ['A summary.', 'A summary.'], { ...run, mark: prompted }))
    const next = await stage.play('And then?', ['I stop.', 'Still.', 'x'], prompt ? run : {})
    const hasBeat = (await stage.stepsOf(id)).includes(`${stage.program} handoff.heartbeat`)
    const isTold = next.requests[0]?.text.includes(`You hold:`) ?? false
    // Gemini CLI announces a compaction before each request, so nothing is said about one.
    const isSaid =
      stage.program === 'gemini' ||
      [...played, next].some(({ requests }) => requests.some(({ text }) => text.includes('was cut')))
    const isKept = next.requests.at(-1)?.text.includes(REFUSED) ?? false
    check(
      'compaction',
      hasBeat && isTold && isSaid && isKept,
      `heartbeat ${hasBeat}, told ${isTold}, of the cut ${isSaid}, kept ${isKept}`,
    )
  },
}

/** The work of the parent keeps the parent, and not the subagent that it starts. */
const subagent: Story = {
  checks: ['subagent'],
  async run(stage, check) {
    await stage.setup()
    const id = await stage.send()
    const { call, more = [] } = programOf(stage.program).subagent
    const below = await stage.subagent(TO_SUBAGENT, ['It looks good.', 'Still good.', 'x'])
    const { requests } = await stage.play(
      'Do what waits for you.',
      [{ tool: 'handoff_accept', args: { id } }, call, 'I stop here.', 'Still.', 'x'],
      { more },
    )
    const isBelowKept = below.some(({ text }) => text.includes(REFUSED))
    const isKept = requests.at(-1)?.text.includes(REFUSED) ?? false
    check(
      'subagent',
      below.length > 0 && !isBelowKept && isKept,
      `${below.length} requests of the subagent, kept: ${isBelowKept}; the parent is kept: ${isKept}`,
    )
  },
}

/** A subagent whose program tells its type is kept by the work of that name. */
const namedSubagent: Story = {
  checks: ['subagent by name'],
  programs: ['claude', 'codex', 'qwen'],
  async run(stage, check) {
    await stage.setup()
    const name = stage.program === 'codex' ? 'default' : 'general-purpose'
    await stage.baton('accept', await stage.send('Below', name), '--as', name)
    const { call, more = [] } = programOf(stage.program).subagent
    const below = await stage.subagent(TO_SUBAGENT, ['It looks good.', 'Still good.', 'x'])
    // A subagent of Codex works beside its parent, whose end is its own too.
    const meanwhile = () => until(async () => below.length > 1)
    const parent = [call, { meanwhile, next: 'I stop here.' }, 'Still.', 'x']
    await stage.play('Do what waits for you.', parent, { more })
    const isKept = below.at(-1)?.text.includes(`${name} ${REFUSED}`) ?? false
    const isLed = below.at(-1)?.text.includes(`with --as ${name}; the tools act as ${stage.program}`) ?? false
    check('subagent by name', isKept && isLed && below.length === 2, `${below.length}, ${isKept}, ${isLed}`)
  },
}

/** A subagent with a server of its own leaves the session of its parent known: the work of others keeps neither. */
const subagentAtWork: Story = {
  checks: ['subagent at work'],
  programs: ['codex'],
  async run(stage, check) {
    await stage.setup()
    const [id, others, below] = [await stage.send(), await stage.send('Others'), await stage.send('Below')]
    await stage.batonOf({ BATON_INSTANCE: 'another' }, 'accept', others, '--as', stage.program)
    await stage.subagent(TO_SUBAGENT, [{ tool: 'handoff_accept', args: { id: below } }, 'Done.', 'x'])
    const { requests } = await stage.play('Do what waits for you.', [
      { tool: 'handoff_accept', args: { id } },
      programOf(stage.program).subagent.call,
      {
        meanwhile: async () => void (await until(async () => (await stage.stateOf(below)) !== 'offered')),
        next: 'I stop.',
      },
      'Still.',
    ])
    const [reason = ''] = /still holds work.*?never instructions/.exec(requests.at(-1)?.text ?? '') ?? []
    const state = await stage.stateOf(below)
    check(
      'subagent at work',
      state === 'in_progress' &&
        reason.includes(id) &&
        ![others, below].some((each) => reason.includes(each)),
      `${state}; ${reason}`,
    )
  },
}

/** Looks until something holds, for a while. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; !(await holds()) && Date.now() < end; ) await setTimeout(200)
}

/** A program that acts under the name of another one reads so in its first answer, and the log keeps it. */
const borrowed: Story = {
  checks: ["another's name"],
  async run(stage, check) {
    const name = stage.program === 'claude' ? 'codex' : 'claude'
    await stage.setup('--agent', name)
    const id = await stage.send('Add rate limiting', name)
    const { requests } = await stage.play('Do what waits for you.', [
      { tool: 'handoff_accept', args: { id } },
      'I stop here.',
      'Still.',
    ])
    const isTold = requests.some(({ text }) => text.includes(`acts as ${name} here`))
    const isLogged = (await stage.baton('doctor').catch(String)).includes('the client calls itself')
    check("another's name", isTold && isLogged, `told ${isTold}, logged ${isLogged}`)
  },
}

/** The most that a person can put before an agent at once. */
const much: Story = {
  checks: ['much work'],
  sizes: ['start text, much work', 'accept, much work'],
  async run(stage, check, measure) {
    await stage.setup()
    const long = 'Everything about the limits of the interface, in detail and with all exceptions. '
    const parts = Array.from({ length: 30 }, (_, at) => [
      '--deliverable',
      `Part ${at}: ${long}`,
      '--criterion',
      `${at} requests pass`,
    ])
    const ids: string[] = []
    for (let at = 0; at < 10; at++)
      ids.push(await stage.send(`${at} ${long}${long}`, stage.program, parts.flat()))
    const { requests } = await stage.play('Do what waits for you.', [
      { tool: 'handoff_accept', args: { id: ids[0] } },
      'I stop.',
      'x',
    ])
    const start = startIn(requests[0])
    const reply = replyOf(requests)
    if (start !== undefined) measure('start text, much work', tokensIn(start), MOST_START)
    if (reply !== undefined) measure('accept, much work', tokensIn(reply), MOST_ACCEPT)
    check('much work', reply?.includes('Part 0') ?? false)
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

/** The programs' own commands take what the package holds for them, and it connects as setup does. */
const plugin: Story = {
  checks: ['plugin is valid', 'plugin connects'],
  programs: ['claude', 'gemini'],
  async run(stage, check) {
    const [own, place] = [
      stage.program,
      join(stage.plugins, stage.program === 'claude' ? 'claude-code' : 'gemini'),
    ]
    const valid =
      own === 'claude'
        ? [
            ['plugin', 'validate', stage.plugins],
            ['plugin', 'validate', place],
          ]
        : [['extensions', 'validate', place]]
    const installing =
      own === 'claude'
        ? [
            ['plugin', 'marketplace', 'add', stage.plugins],
            ['plugin', 'install', 'baton@baton'],
          ]
        : [['extensions', 'install', place, '--consent']]
    const failures: string[] = []
    const runAll = async (commands: readonly (readonly string[])[]) => {
      for (const command of commands) {
        const { code, stdout, stderr } = await stage.start(...command)
        if (code !== 0) failures.push(`${command.join(' ')}: ${stdout}${stderr}`)
      }
    }
    await runAll(valid)
    check('plugin is valid', failures.length === 0, failures.join())
    // Gemini CLI asks a person whether the folder can be trusted.
    stage.put(
      '.gemini/trustedFolders.json',
      JSON.stringify({ [stage.repo]: 'TRUST_FOLDER', [place]: 'TRUST_FOLDER' }),
    )
    await runAll(installing)
    const id = await stage.send()
    // The permission is the person's own choice: a plugin cannot give it.
    const more =
      own === 'claude' ? ['--allowedTools', 'mcp__plugin_baton_baton'] : ['--approval-mode', 'yolo']
    const { requests } = await stage.play(
      'Do what waits for you.',
      [{ tool: 'handoff_accept', args: { id } }, 'I stop here.', 'Still.'],
      { more },
    )
    const isTold = requests[0]?.text.includes('Add rate limiting') ?? false
    const isKept = requests.at(-1)?.text.includes(REFUSED) ?? false
    check(
      'plugin connects',
      (await stage.stateOf(id)) === 'in_progress' && isTold && isKept,
      `${failures.join()}; told ${isTold}, kept ${isKept}, ${requests.length} requests`,
    )
  },
}

/** Each story has a stage of its own. A further one is a row here. */
export const STORIES: readonly Story[] = [
  work,
  without('missing baton', undefined),
  without('old Node', 'old-node'),
  everywhere,
  subfolder,
  plugin,
  chain,
  crash,
  two,
  changed('changed at work', false),
  changed('changed at a server', true),
  background,
  compaction,
  subagent,
  namedSubagent,
  subagentAtWork,
  borrowed,
  much,
]
