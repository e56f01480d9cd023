import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CALLS } from '../test/trust/calls.ts'
import { TAMPERING } from '../test/trust/tampering.ts'

const ROOT = join(import.meta.dirname, '..')
const TITLE = /\b(?:it|test)\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>).)*)\k<quote>/gs

/** Every threat: the attack, and what holds. The tests that prove it cite its id in their titles. */
// biome-ignore format: read as a table
export const THREATS: Readonly<Record<string, readonly [threat: string, holds: string]>> = {
  T1: ['A writer of the database rewrites, cuts or rolls back the log', 'Hash chains, a tree and signed checkpoints; the user’s home and git remember checkpoints'],
  T2: ['A thief of the log’s key signs another history', 'Every reader remembers the newest checkpoint and refuses one that does not extend it'],
  T3: ['An export or a proof is malformed, huge or forged', 'Strict readers with limits; a changed byte is never accepted'],
  T4: ['An agent acts or signs under the name of another', 'The token names the actor, arguments cannot; records are signed with the key of the agent'],
  T5: ['An agent guesses the id of another’s work and changes it', 'Every call asks who is sender, receiver, verifier or person'],
  T6: ['Two callers race for one step', 'Every write is one transaction on the rows it read; one of them is refused'],
  T7: ['A text of a handoff tries to instruct the next agent', 'Foreign text stands in marked fields and quotes, without hidden characters; nothing runs it'],
  T8: ['A name of a branch, path or commit carries a command or an option', 'Programs get arguments, never a shell line; names are checked and stand behind the end of options'],
  T9: ['A path or a link leads out of the folder', 'Links are not followed, and every path is resolved before a byte is written'],
  T10: ['A web page in the user’s browser calls the server', 'Host, Origin and Sec-Fetch-Site are checked before any operation; no answer may be framed'],
  T11: ['A token is stolen, guessed, expired or revoked, or its agent was removed', 'A token has 256 random bits, and only its hash is kept; every call checks that it is still good'],
  T12: ['An agent widens its rights or decides what is for people', 'Tokens have scopes; gates, trust and redaction need a person at a terminal or a person’s token; settings wait for trust'],
  T13: ['A caller wears the server out by size, depth, number or slowness', 'Limits of body, depth, keys, streams, calls, threads and time'],
  T14: ['A document changes a prototype', 'Keys are data: readers copy them into objects without a prototype'],
  T15: ['A foreign schema loads files, loops or backtracks', 'No remote reference, a time limit, and patterns in linear time'],
  T16: ['A text runs a script in the dashboard', 'Text is rendered as text, under a policy that lets nothing in or out'],
  T17: ['A text controls the terminal', 'Control characters are removed from everything that is printed'],
  T18: ['A webhook is led into the internal network', 'Every address is checked, the connection goes to the checked one, and redirects are not followed'],
  T19: ['A text is taken for SQL', 'Parameters only; columns come from lists in the code'],
  T20: ['A key or password gets into the log', 'Text that looks like a secret is refused; redaction removes it, and proofs still hold'],
  T21: ['A hostile repository runs something or brings a store', 'Git runs without hooks, filters and monitors of the repository; nothing that a clone brings is believed'],
  T22: ['A dependency is compromised', 'Few packages, none with an install script; the verifiers have none'],
  T23: ['A text or a row looks as if a person had verified', 'A badge comes only from the verifier; rows are compared with the log'],
  T24: ['Agents pass work round in a ring', 'Chains have a limit of depth, and no step goes to and fro without progress'],
  T25: ['An older copy of the store is put in its place', 'The user’s home and git remember a newer checkpoint, and an open file is compared with its path'],
}

export interface Proof {
  readonly file: string
  readonly title: string
  readonly ids: readonly string[]
}

/** The titles of tests that cite a threat, and the ways of an agent that belong to one. */
export function proofs(): readonly Proof[] {
  const cited = ['src', 'test', 'web/src'].flatMap(testsIn).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(TITLE)].flatMap(({ groups }) => {
      const title = groups?.title ?? ''
      const ids = [...title.matchAll(/\[(T\d+)\]/g)].map(([, id]) => id!)
      const words = title.replaceAll(/\[[A-Z]\d+(?:-\d+)?\] ?/g, '').replaceAll(/\$\{[^}]*\}/g, '…')
      return ids.length > 0 ? [{ file, title: words, ids }] : []
    }),
  )
  const ways = [...CALLS, ...TAMPERING].map(({ goal, door, how, threat }) => ({
    file: 'test/trust/ways.test.ts',
    title: `${goal} (${door}): ${how}`,
    ids: [threat],
  }))
  return [...cited, ...ways]
}

/** The threats with the tests that prove what holds. */
export function threatTable(): readonly string[] {
  const all = proofs()
  const rows = Object.entries(THREATS).map(([id, [threat, holds]]) => {
    const tests = all.filter(({ ids, file }) => ids.includes(id) && file !== 'test/trust/ways.test.ts')
    const ways = all.filter(({ ids, file }) => ids.includes(id) && file === 'test/trust/ways.test.ts').length
    const cells = [
      ...tests.map(({ file, title }) => `\`${file}\`: ${title.replaceAll('|', '\\|')}`),
      ...(ways > 0 ? [`${ways} of the ways below`] : []),
    ]
    return `| ${id} | ${threat} | ${holds} | ${cells.join('<br>')} |`
  })
  const ways = [...CALLS, ...TAMPERING].map(
    ({ goal, door, how, threat, found }) =>
      `| ${goal} | ${door} | ${how} | ${found ? 'found by `baton doctor`' : 'refused'} | ${threat} |`,
  )
  return [
    'Each row names the tests that cite its id. Out of scope: the administrator of the machine, a program that starts `baton mcp` under',
    'a false name, and whether agents write the truth. A process of the same system user can do whatever that user can. Baton takes it for',
    'a person when it keeps a terminal open outside the process tree of the agent, and for another agent when it uses that name from the start.',
    '',
    '| # | threat | what holds | proven by |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Ways of an agent',
    '',
    'A process with the environment of an agent tries each of these in `test/trust/`. It is refused and changes nothing, or `baton doctor` names it.',
    '',
    '| goal | door | how | outcome | threat |',
    '|---|---|---|---|---|',
    ...ways,
  ]
}

const testsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .filter((file) => /\.(?:test|contract)\.tsx?$/.test(file))
    .sort()
