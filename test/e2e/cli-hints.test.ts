import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isOtherCommand, NOUNS, secondWords, shortForm } from '../../src/transports/cli/catalog.ts'
import { type Answer, baton, quick, type Where } from '../support/program/command.ts'
import { office, otherPlaces, shellWords } from '../support/program/office.ts'

/** Each is typed for every handoff of the office: `#` stands for its id. */
// biome-ignore format: read as a table
const VERBS = [
  'send #', 'accept #', 'reject # --reason no', 'ask # why', 'answer # yes', 'submit #', 'submit # --evidence Docs=a.md', 'verify # --pass',
  'verify # --fail bad', 'decide # approve', 'wait # --timeout 0', 'show #', 'handoff amend # --title New', 'handoff cancel #', 'handoff fail # --message no',
  'handoff retry #', 'handoff reassign # gemini', 'handoff heartbeat #', 'handoff complete #', 'export # --to package',
]
const IDS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '99', '@']
const CALLERS = ['', ' --as codex', ' --as gemini']

/** The right and the wrong caller, in turn. */
const LIFECYCLE = VERBS.flatMap((verb, i) =>
  IDS.map((id, j) => verb.replace('#', id) + CALLERS[(i + j) % CALLERS.length]),
)

const IN_THE_OFFICE = `
inbox
inbox --as gemini
next
next --as gemini
doctor
gc
agent add gone
agent remove nobody
send --to gone --title x
send --to codex
send --title x
send --to codex --type gate --title x
send --to codex --title x --as full
send --to codex --title x --parent 99
send --to codex --title x --supersedes 99
create --to codex --title x
create --to codex --title x --as gemini
find
handoff claim --as gemini
notice ack zz
notice ack @ --as gemini
artifact get zz
task get T99
task start T99 --no-worktree
task start T3 --no-worktree
task start T2 --no-worktree --as gemini
task start T4 --no-worktree --as codex
task update T2 --status done --as codex
task update T99 --progress 3
task complete T2 --as codex
task complete @ --as gemini
task finish T4 --as codex
task create T1 --title again
task create T9 --title new --as gemini
task escalate T2 --reason slow --as codex
task reopen T2
task log T99
task brief T99
task import
thought record T99 --notes x
thought record @ --as gemini
thought list --unchained
thought attest zz
audit verify-chain
audit proof T1
audit proof nothing
audit trust
audit sessions --as gemini
audit session-start --as gemini
audit anchor --check
audit export --out log
audit verify nolog
audit verify
merkle root --as codex
merkle finalize --as codex
workflow start nofeature --as lead
workflow status zzz
workflow status
workflow resume zzz
workflow picture feature-12
workflow picture
workflow check nope
workflow init "Not A Name"
token list
token revoke zzz
token create --agent codex
store backup
store restore
store move
store upgrade
export 99
export nothing
import
check
convert
collect
block
report progress
report metrics
report history
merge-check nobranch
migrate
folders sync
folders --json
notify send
login
login --as codex
trust
setup
setup emacs
sned
frobnicate
cancel 2
handoff lst
inbox --bogus
accept
show --id 2
handoff reassign 2 --to gemini
show a b
`
  .trim()
  .split('\n')

// biome-ignore format: read as a table
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  nowhere:  ['inbox', 'send --to codex --title x', 'show 1', 'doctor', 'whoami', 'trust', 'task start T1', 'workflow start feature', 'login', 'import .', 'collect .', 'inbox --store missing.db', 'init'],
  bare:     ['inbox', 'accept 1 --as codex', 'workflow start feature', 'task start T1', 'workflow status', 'next', 'init', 'init --dialect markdown', 'init --dialect queue', 'init --dialect package'],
  nested:   ['inbox', 'show 1', 'whoami', 'doctor'],
  markdown: ['send --to codex --title x', 'send --to claude --title x', 'create --to claude --title x', 'accept @ --as claude', 'folders sync', 'folders doctor'],
  queue:    ['inbox --as codex', 'accept @ --as codex', 'accept @ --as gemini', 'create --to codex --title x', 'folders doctor'],
  package:  ['send --to codex --title x', 'inbox --as codex', 'accept @ --as codex', 'create --to codex --title x', 'accept @ --as gemini'],
  waiting:  ['inbox', 'inbox --as codex', 'accept @ --as codex', 'notify send', 'trust', 'trust --check', 'doctor', 'whoami'],
  typo:     ['inbox', 'doctor'],
  broken:   ['inbox', 'doctor'],
  damaged:  ['inbox', 'inbox --as codex', 'doctor', 'store info'],
}

/** A command as a person picks it out of a text, up to the end of its last argument. */
const SHOWN =
  /\bbaton ((?:"[^"]*"|'[^']*'|[,;:?.](?=\S)|(?<= )\.|[^\s"'`(),;:?.|]| (?!or |and |in |is |[ (]))+)(?! is )/g
/** Commands that stay until they are ended. */
const LASTING = /^(?:serve|mcp|demo)\b/
/** A blank to be filled in. */
const BLANK = /…|<|\bNAME\b/
/** Commands that do not ask who calls and which store is meant. */
const WITHOUT_CONTEXT =
  /^(?:audit verify |check|completion|convert|help|init|migrate|setup|trust|workflow init|.* --help)/
/** Commands that do not act for an agent. */
const WITHOUT_CALLER = /^(?:folders|login|serve)\b/

interface Shown {
  readonly line: string
  /** It names files and ids that need not be there. */
  readonly isExample: boolean
  /** It is for a person, and whoever called need not be one. */
  readonly isForPerson: boolean
}

const commandsIn = (text: string): readonly Shown[] =>
  [...text.matchAll(SHOWN)]
    .map(({ 1: line, index }) => ({
      line: line!.trim(),
      isExample: text.slice(0, index).endsWith('for example: '),
      isForPerson: /\bperson\b[^;]*$/.test(text.slice(0, index)),
    }))
    .filter(({ line }) => isCommand(line))

function isCommand(line: string): boolean {
  const [first = '', second = ''] = line.split(' ')
  if (shortForm(first)) return true
  if (!isOtherCommand(first) && !Object.hasOwn(NOUNS, first)) return false
  const verbs = secondWords(first)
  return verbs.length === 0 || verbs.includes(second)
}

/** The options of the situation that the shown command left out. */
function leftOut(situation: string, { line, isForPerson }: Shown): readonly string[] {
  if (WITHOUT_CONTEXT.test(line)) return []
  const isCallers = !isForPerson && !WITHOUT_CALLER.test(line)
  return [...(isCallers ? [' --as '] : []), ' --store '].filter(
    (option) => situation.includes(option) && !line.includes(option),
  )
}

/** Why a shown command does not work as it stands, or undefined. */
async function wrongWith(shown: Shown, first: Answer, type: Type): Promise<string | undefined> {
  if (LASTING.test(shown.line)) return undefined
  const again = await type(shown.line)
  const isWrong = again.code === 2 || again.code === 70 || (again.code === 3 && !shown.isExample)
  const isSame = again.code !== 0 && again.stderr === first.stderr
  return isWrong || isSame ? `exit ${again.code}, ${again.stderr}` : undefined
}

type Type = (line: string) => Promise<Answer>

describe('a command that an answer shows', () => {
  const seen = { situations: 0, typed: 0, blank: 0 }

  async function judge(type: Type, situation: string): Promise<void> {
    const answer = await type(situation)
    seen.situations += 1
    for (const shown of commandsIn(answer.stdout + answer.stderr)) {
      const told = `baton ${situation}\n${answer.stderr}shows: baton ${shown.line}`
      assert.deepEqual(leftOut(situation, shown), [], told)
      if (BLANK.test(shown.line)) seen.blank += 1
      else {
        seen.typed += 1
        assert.equal(await wrongWith(shown, answer, type), undefined, told)
      }
    }
  }

  const typing =
    (where: Where): Type =>
    (line) =>
      quick(where, ...shellWords(line))

  it('works when it is typed exactly as shown, in every state and by every caller', async (t) => {
    const { where, elsewhere, store, restore } = await office(t)
    for (const [i, line] of [...LIFECYCLE, ...IN_THE_OFFICE].entries()) {
      if (i % 3 < 2) await judge(typing(where), line)
      else await judge(typing(elsewhere), `${line} --store ${store}`)
      restore()
    }
  })

  it('works in every kind of folder', async (t) => {
    const places = await otherPlaces(t)
    for (const [name, lines] of Object.entries(ELSEWHERE))
      for (const [i, line] of lines.entries()) await judge(typing(places(name, `try-${i}`)), line)
  })

  it('works with the program as with its function', async (t) => {
    const { where, elsewhere, store } = await office(t)
    const spawning =
      (place: Where): Type =>
      (line) =>
        baton(place, ...shellWords(line))
    await judge(spawning(where), 'accept @ --as gemini')
    await judge(spawning(elsewhere), `task create T9 --title new --as gemini --store ${store}`)
  })

  it('was typed in more than 200 situations, and seldom has a blank to fill in', () => {
    assert.ok(seen.situations > 400, `${seen.situations} situations`)
    assert.ok(seen.typed > 120, `${seen.typed} commands were typed`)
    assert.ok(seen.blank <= 12, `${seen.blank} commands have a blank`)
  })
})
