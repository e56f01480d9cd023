import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { type Answer, baton, quick } from '../support/program/command.ts'
import { office, otherPlaces, shellWords } from '../support/program/office.ts'

type Mistake = readonly [typed: string, exit: number, says: string]

/** Typed in a workspace where everything has happened once. `says` is in the answer, word for word. */
// biome-ignore format: read as a table
const MISTAKES: readonly Mistake[] = [
  // A word that is not there
  ['sned --to codex --title x',          2, 'baton has no command sned; did you mean send?'],
  ['accpet 2',                           2, 'baton has no command accpet; did you mean accept?'],
  ['frobnicate',                         2, 'baton has no command frobnicate; see: baton help'],
  ['version',                            2, 'did you mean baton --version?'],
  ['complete 2', 2, 'did you mean baton task complete 2 or baton handoff complete 2?'],
  ['handoff lst',                        2, 'handoff has no verb lst; did you mean list?'],
  ['task done T2',                       2, 'task has no verb done; it has audit, brief,'],
  ['help sned',                          2, 'baton has no command sned; did you mean send?'],
  ['completion tcsh',                    2, 'completion has no verb tcsh; it has bash, fish, zsh'],
  ['setup emacs',                        2, 'setup does not know emacs: claude-code, codex,'],
  // An option that is not there, or has no value
  ['send --too codex --title x',         2, 'send has no option --too; did you mean --to?'],
  ['send --to codex --titel x',          2, 'send has no option --titel; did you mean --title?'],
  ['--jsno inbox',                       2, 'baton has no option --jsno; did you mean --json?'],
  ['send --to codex --title x --due 2026-13-45', 2, 'send has no option --due; see: baton send --help'],
  ['send --to --title x',                2, '--to needs a value; see: baton send --help'],
  ['inbox --as',                         2, '--as needs a value; see: baton inbox --help'],
  ['show --id 2',                        2, 'show has no option --id; write it without: baton show 2'],
  ['workflow status --id feature-12',    2, 'write it without: baton workflow status feature-12'],
  ['reject 2 --reson late',              2, 'reject has no option --reson; did you mean -m?'],
  // Too little or too much
  ['send --to codex',                    2, 'send needs --title; for example: baton send --to codex'],
  ['send --title x',                     2, 'send needs --to; for example: baton send --to codex'],
  ['send codex "Fix login"',             2, 'send does not take "Fix login"; see: baton send --help'],
  ['accept',                             2, 'accept needs <id>; for example: baton accept @'],
  ['accept 2 extra',                     2, 'accept does not take "extra"; put text with spaces in quotes'],
  ['reject 2 --as codex',                2, 'reject needs -m; for example: baton reject @ -m'],
  ['verify 5',                           2, 'say what you judge: --pass, or --fail -m "why"'],
  ['verify 5 --fail',                    2, '--fail needs the reason: -m "why"'],
  ['reassign 2',                         2, 'reassign needs --to; for example: baton reassign HO-2026-001 --to gemini'],
  ['find',                               2, 'find needs <text>; for example: baton list'],
  ['store backup',                       2, 'store backup needs <file>; for example: baton store backup'],
  ['token create --agent codex',         2, 'say what it may do, for example --scope handoff:write'],
  ['task complete T2 --as codex',        2, '--branch is missing; write the branch'],
  // A value that is not one
  ['send --to codex --title x --priority urgent', 2, '--priority is one of critical, high, normal, low'],
  ['wait 2 --timeout banana',            2, '--timeout "banana" is not a length of time such as 90s, 15m, 2h or 1d'],
  ['send --to "a b" --title x',          2, '--to: an agent name is letters, digits,'],
  ['agent add "Maria K"',                2, '<name>: an agent name is letters, digits,'],
  ['inbox --as "a b/../c"',              2, '--as is "a b/../c": an agent name is letters,'],
  ['task update T1 --progress 150',      2, '--progress is at most 100'],
  ['handoff list --state offred',        2, '--state is one of draft, offered,'],
  ['convert a.md --to packge',           2, 'packge is not a format; use markdown, queue, block, writeback or package'],
  ['serve --port banana',                2, '--port banana is not a number from 0 to 65535'],
  ['login --url nowhere',                2, '--url is the address of a server, for example http://127.0.0.1:4180'],
  ['token create --agent codex --scope handof:write', 2, 'there is no scope handof:write; did you mean handoff:write?'],
  ['gc --older-than 3d',                 2, '--older-than 3d is not a length of time of at least 7d'],
  ['migrate --from v9',                  2, 'there is no way from v9; write: baton migrate --from v1 .'],
  ['inbox --store mysql://localhost/x',  2, 'unknown kind of store mysql; use a file path or postgres://'],
  ['inbox --store .',                    2, 'is a folder, and a store is a file; name the file, for example .baton/baton.db'],
  // Something that is not there
  ['show 99',                            3, 'no handoff has 99 in its id; look for it with: baton list 99'],
  ['show HO-2026-999',                   3, 'there is no handoff HO-2026-999; see what is there with: baton list'],
  ['accept @ --as codx',                 3, 'codx has nothing to accept; see: baton inbox --as codx'],
  ['handoff cancel @ --as gemini',       3, 'gemini has no handoff to cancel; see: baton list --as gemini'],
  ['task start T99',                     3, 'there is no task T99; create it with: baton task create T99'],
  ['agent remove nobody',                3, 'there is no agent nobody; see: baton agent list'],
  ['send --to gone --title x',           3, 'agent gone was removed; add it again with: baton agent add gone'],
  ['workflow start foo',                 3, 'there is no workflow foo: no workflows/foo.yaml; make one with: baton workflow init foo'],
  ['workflow status foo-1',              3, 'there is no run foo-1; see what is there with: baton workflow list'],
  ['workflow picture feature-12',        3, 'for the picture of a run: baton workflow picture --run feature-12'],
  ['import nofile.md',                   3, 'there is no file or folder nofile.md; check the path'],
  ['store restore none.gz',              3, 'none.gz; check the path'],
  ['inbox --store missing.db',           3, 'which --store names; correct the path, or send a first handoff to make it'],
  ['audit verify . --seen gone.checkpoint', 3, '--seen takes a copy that you kept of the file checkpoint'],
  ['merge-check nobranch',               3, 'there is no branch nobranch here; see: git branch --all'],
  ['folders sync',                       3, 'this workspace has no live folder; list one in baton.yaml'],
  // The wrong caller
  ['accept 2',                           4, ' may not accept HO-2026-002; that is for its receiver codex'],
  ['accept 2 --as gemini',               4, 'gemini may not accept HO-2026-002; that is for its receiver codex'],
  ['verify 5 --pass --as codex',         4, 'codex may not verify HO-2026-005'],
  ['decide 10 approve',                  4, 'is at the keyboard; run it at a terminal'],
  ['login --as codex',                   4, 'let a person type: baton login'],
  // The wrong moment
  ['accept 3 --as codex',                5, 'you have accepted HO-2026-003 already; see: baton show HO-2026-003'],
  ['submit 2 --as codex',                5, 'HO-2026-002 has not been accepted yet'],
  ['verify 2 --pass',                    5, 'HO-2026-002 has not been accepted yet, so there is nothing to verify'],
  ['answer 3 yes',                       5, 'HO-2026-003 has no open question to answer'],
  ['audit trust',                        5, 'no checkpoint has been signed yet; make one with: baton audit checkpoint\n'],
  ['task start T4 --as codex',           5, 'T4 is done; see its record with: baton task get T4 --as codex'],
  ['task start T2 --as gemini',          6, 'T2 already belongs to codex; pick another with: baton next --as gemini'],
  // Something is missing
  ['submit 3 --as codex',                8, 'no evidence for "Docs"; add --evidence "Docs=…"'],
  ['submit 3 --as codex --evidence nope=1', 2, '"nope" is not one of the deliverables: "Docs"'],
  ['import a.md',                        8, 'a.md  refused: line 1:'],
  ['notify send',                        8, 'make a baton.yaml with: baton init, and add notify to it'],
  ['login',                             13, 'no server of this workspace runs on this machine; start one with: baton serve'],
  ['inbox --store postgres://127.0.0.1:1/x', 13, 'PostgreSQL at 127.0.0.1:1/x cannot be reached'],
  // Nothing is refused, and a word is said
  ['inbox --as codx',                    0, 'nobody of that name is known here; did you mean codex?'],
  ['send --to codx --title x',           0, 'codx is new here; did you mean codex?'],
  ['workflow status',                    0, 'feature-12  running'],
]

/** The same in folders that are not as they should be. */
// biome-ignore format: read as a table
const ELSEWHERE: readonly (readonly [place: string, ...mistake: Mistake])[] = [
  ['nowhere',  'inbox',                         3, 'or above it; make one with: baton init'],
  ['nowhere',  'send --to codex --title x',     4, 'is not in a git repository; if the workspace belongs here, run: baton init'],
  ['bare',     'accept 1 --as codex',           3, 'or above it; make one with: baton init'],
  ['bare',     'workflow start feature',        3, 'make one with: baton workflow init feature'],
  ['bare',     'trust',                         3, 'there is nothing to trust; make one with: baton init'],
  ['bare',     'init --dialect markdwn',        2, 'there is no dialect markdwn; write native, markdown,'],
  ['nested',   'inbox',                         3, 'or make one with: baton init'],
  ['nested',   'send --to codex --title x',     0, 'has a workspace too; to use that one, set BATON_WORKSPACE='],
  ['markdown', 'inbox --as codx',               0, 'nobody of that name is known here'],
  ['markdown', 'send --to claude --title x',    2, '--task BPRD-YYYY-NNNN, --purpose,'],
  ['package',  'send --to codex --title x',     2, 'write two or three sentences (--summary,'],
  ['package',  'accept @ --as codex',           8, 'baton accept HO-2026-001 --understood "…" --as codex'],
  ['typo',     'inbox',                         2, 'baton.yaml:2:12 agents.codex.limts: there is no such field; did you mean limits?'],
  ['broken',   'inbox',                         2, 'baton.yaml:2:1 '],
  ['damaged',  'inbox',                        17, 'restore a backup with: baton store restore <file>'],
]

const said = ({ stdout, stderr }: Answer): string => stdout + stderr

function judge(typed: string, answer: Answer, exit: number, says: string): void {
  assert.ok(said(answer).includes(says), `baton ${typed}\n${said(answer)}is to say: ${says}`)
  assert.equal(answer.code, exit, `baton ${typed}\n${said(answer)}`)
  if (exit > 0 && answer.stderr !== '') assert.match(answer.stderr, /^✗ /m, `baton ${typed}`)
  assert.doesNotMatch(said(answer), /\n +at |inside Baton|undefined|\[object /)
}

describe('a mistake that a new user makes', () => {
  it('is answered with the way out, in the words that were typed', async (t) => {
    const { where, restore } = await office(t)
    writeFileSync(join(where.cwd, 'a.md'), '# Notes\n\nNothing of Baton.\n')
    for (const [typed, exit, says] of MISTAKES) {
      judge(typed, await quick(where, ...shellWords(typed)), exit, says)
      restore()
    }
    assert.ok(MISTAKES.length + ELSEWHERE.length > 60)
  })

  it('is answered with the way out where there is no workspace, or a broken one', async (t) => {
    const places = await otherPlaces(t)
    for (const [i, [place, typed, exit, says]] of ELSEWHERE.entries()) {
      const where = places(place, `try-${i}`)
      judge(typed, await quick(where, ...shellWords(typed)), exit, says)
      // A mistake makes no workspace.
      if (/^(?:nowhere|bare)$/.test(place)) assert.equal(existsSync(join(where.cwd, '.baton')), false, typed)
    }
  })

  it('is answered with the way out where the surroundings are wrong', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const nobody = 'http://127.0.0.1:1'
    // biome-ignore format: read as a table
    const wrong: readonly (readonly [env: Record<string, string>, ...mistake: Mistake])[] = [
      [{ CLAUDECODE: '1' },                         'inbox', 4, 'it did not say which: add --as <name> or set BATON_AGENT'],
      [{ BATON_URL: nobody },                       'inbox', 15, 'BATON_TOKEN is not set; make a token there with: baton token create'],
      [{ BATON_URL: nobody, BATON_TOKEN: 'baton_x' }, 'inbox', 13, '127.0.0.1:1'],
      [{ BATON_STORE: '/nowhere/x.db' },            'inbox', 3, 'which BATON_STORE names; correct the path'],
      [{ BATON_WORKSPACE: '/nowhere' },             'inbox', 3, 'create the folder (mkdir -p /nowhere), or unset it'],
      [{},                          `serve --port ${port}`, 6, `port ${port} of 127.0.0.1 is in use`],
    ]
    for (const [env, typed, exit, says] of wrong)
      judge(typed, await quick({ ...where, env }, ...shellWords(typed)), exit, says)
  })

  it('is answered by the program as by its function', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    for (const [typed, exit, says] of MISTAKES.filter(([line]) =>
      /^(?:accpet|show --id|inbox --as$)/.test(line),
    ))
      judge(typed, await baton(where, ...shellWords(typed)), exit, says)
    assert.match((await baton(where, '--version')).stdout, /^\d+\.\d+\.\d+/)
  })
})
