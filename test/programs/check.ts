// Runs the stories with the real agent programs and a scripted model: npm run check:agents [program …] [--story <check>]… [--record].
// With --run: 20 handoffs over three of them, which baton run starts; with --kills 50 while it and they are killed. With --team: examples/run-team with the programs that it names.
// The programs are installed once (1.6 GB); then everything runs without a network.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CACHE, installBaton, installPrograms } from './install.ts'
import { PROGRAM_NAMES, PROGRAMS, type ProgramName, programOf } from './programs.ts'
import { record } from './record.ts'
import { killOnTheWay, runHandoffs } from './run.ts'
import { type Recorded, Stage, type Tools } from './stage.ts'
import { STORIES, type Story } from './stories.ts'
import { runTeam } from './team.ts'
import { verdictOf } from './verdict.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cache: { type: 'string', default: CACHE },
    record: { type: 'boolean', default: false },
    story: { type: 'string', multiple: true },
    run: { type: 'boolean', default: false },
    kills: { type: 'string' },
    team: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    'without-network': { type: 'string' },
  },
})
const unknown = positionals.find((name) => !Object.hasOwn(PROGRAMS, name))
if (unknown !== undefined) stop(`${unknown} is not one of ${PROGRAM_NAMES.join(', ')}`)
const wanted = (positionals.length > 0 ? positionals : PROGRAM_NAMES) as readonly ProgramName[]
const known = STORIES.flatMap(({ checks }) => checks)
const strange = values.story?.find((check) => !known.includes(check))
if (strange !== undefined) stop(`${strange} is not a check of a story: ${known.join(', ')}`)
for (const program of wanted)
  if (positionals.length > 0 && !STORIES.some((story) => isWanted(story, program)))
    stop(`no story makes these checks with ${program}`)

if (values['without-network'] === undefined) await prepare()
else if (values.team) await runTeam(JSON.parse(values['without-network']))
else if (values.kills) await killOnTheWay(JSON.parse(values['without-network']), Number(values.kills))
else if (values.run) await runHandoffs(JSON.parse(values['without-network']))
else await tell(JSON.parse(values['without-network']))

/** With the network: installs everything. Then the same file runs again without it. */
async function prepare(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    stop('the pinned programs are those of Linux on x64')
  if (!existsSync(resolve(import.meta.dirname, '../../dist/.built')))
    stop('Baton is not built: npm run build')
  const alone = ['unshare', '--net', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]
  const isAlone = spawnSync(alone[0]!, [...alone.slice(1), 'ip', 'link', 'set', 'lo', 'up'])
  if (isAlone.status !== 0)
    stop(
      `the network cannot be taken away (${alone.join(' ')}): ${isAlone.stderr ?? isAlone.error}; nothing was run`,
    )
  const cache = resolve(values.cache)
  const tools: Tools = { bin: await installPrograms(cache), baton: await installBaton(cache) }
  const again = [process.execPath, import.meta.filename, ...process.argv.slice(2)]
  const command = `ip link set lo up && exec "$@"`
  const args = [
    ...alone.slice(1),
    'sh',
    '-c',
    command,
    'sh',
    ...again,
    '--without-network',
    JSON.stringify(tools),
  ]
  process.exit(spawnSync(alone[0]!, args, { stdio: 'inherit' }).status ?? 1)
}

/** Without the network: every story with every program, and a table. */
async function tell(tools: Tools): Promise<void> {
  const rows: Record<string, Record<string, string>> = {}
  const sizes: Record<string, Record<string, string>> = {}
  const notes = new Set<string>()
  let failed = 0
  for (const program of wanted) {
    const { cannot, version } = programOf(program)
    const row: Record<string, string> = {}
    const size: Record<string, string> = {}
    rows[`${program} ${version}`] = row
    sizes[program] = size
    const recorded: Recorded[] = []
    for (const story of STORIES.filter((each) => isWanted(each, program))) {
      using stage = new Stage(program, tools)
      const verdict = verdictOf(story, cannot)
      const { failures } = verdict
      await story
        .run(stage, verdict.check, verdict.measure)
        .catch((error: Error) => failures.push(error.message))
      for (const note of verdict.end()) notes.add(`${program}, ${note}`)
      Object.assign(row, verdict.row)
      Object.assign(size, verdict.size)
      for (const failure of failures) console.error(`✖ ${program}, ${failure}`)
      if (failures.length > 0 && values.verbose) console.error(stage.log())
      if (values.record && !story.isMixed) recorded.push(stage.recorded())
      failed += failures.length
    }
    if (values.record) record(program, recorded)
  }
  console.table(rows)
  console.log('Tokens in the requests that the programs sent, by o200k_base:')
  console.table(sizes)
  for (const note of notes) console.log(note)
  process.exit(failed === 0 ? 0 : 1)
}

/** With `--story` only the stories that make these checks. */
function isWanted({ programs, checks }: Story, program: ProgramName): boolean {
  return (
    (programs?.includes(program) ?? true) && (values.story?.some((check) => checks.includes(check)) ?? true)
  )
}

function stop(why: string): never {
  console.error(why)
  process.exit(2)
}
