import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ask, onTerminal } from '../support/program/command.ts'
import { programsAt, runnersIn } from '../support/program/runners.ts'

const BLOCK = (status: string) =>
  `console.log('\`\`\`yaml\\nhandoff:\\n  phase: "Testing"\\n  from: "@coder"\\n  to: "None"\\n  status: "${status}"\\n  metrics:\\n    passed: 3\\n\`\`\`')`
const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`

interface Hostile {
  readonly how: string
  readonly script: string
  readonly settings?: object
  readonly state: 'in_review' | 'failed'
  readonly reason?: RegExp
  /** How its work is sent. */
  readonly sent?: readonly string[]
}

// biome-ignore format: read as a table
const PROGRAMS: readonly Hostile[] = [
  { how: 'prints nothing',               script: '', state: 'in_review', reason: /exit code 0 and printed nothing/ },
  { how: 'prints a gigabyte',            script: "for (let i = 0; i < 1000; i++) await new Promise((done) => process.stdout.write('x'.repeat(1e6), done))", settings: { output_kb: 100 }, state: 'failed', reason: /printed more than 100 KB/ },
  { how: 'ignores signals for ever',     script: "process.on('SIGTERM', () => {}); await sleep(1e6)", settings: { timeout: '1s' }, state: 'failed', reason: /ended after 1 s, its time limit/ },
  { how: 'leaves a process behind',      script: "spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'], { detached: true, stdio: 'ignore' }).unref(); console.log('done')", state: 'in_review' },
  { how: 'ends with 3',                  script: "console.error('no disk'); process.exit(3)", state: 'failed', reason: /exit code 3; it said last: no disk/ },
  { how: 'is killed',                    script: "process.kill(process.pid, 'SIGKILL'); await sleep(1e6)", state: 'failed', reason: /the signal SIGKILL/ },
  { how: 'ends well with a failed block', script: BLOCK('failed'), settings: { answer: 'block' }, state: 'failed', reason: /says failed/ },
  { how: 'ends well without a block',    script: "console.log('done')", settings: { answer: 'block' }, state: 'failed', reason: /without a handoff block/ },
  { how: 'ends with a complete block',   script: BLOCK('complete'), settings: { answer: 'block' }, state: 'in_review' },
  { how: 'prints a secret',              script: `console.log('${TOKEN}')`, state: 'in_review', reason: /^\[a GitHub token\]$/ },
  { how: 'writes outside its worktree',  script: "writeFileSync('../../../baton.md', 'mine'); commit('own.ts', '1')", settings: { worktree: true }, state: 'in_review', reason: /^Baton: .*files outside its worktree changed while it ran: baton\.md; look there/ },
  { how: 'commits in the project itself', script: "commit('own.ts', '2'); execFileSync('git', ['-C', '../../..', '-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-q', '--allow-empty', '-m', 'mine'])", settings: { worktree: true }, state: 'in_review', reason: /^Baton: the project itself went to commit \w{10} while it ran/ },
  { how: 'asks for a terminal',          script: "const { status, stderr } = spawnSync('sh', ['-c', 'read answer </dev/tty'], { encoding: 'utf8' }); console.error(stderr); process.exit(status)", state: 'failed', reason: /exit code [12]; it said last: .*\/dev\/tty/ },
  { how: 'has no interpreter',           script: '', settings: { command: ['./no-interpreter'] }, state: 'failed', reason: /^\.\/no-interpreter could not be started: .*ENOENT/ },
  { how: 'cannot be executed any more',  script: '', settings: { command: ['./only-once'] }, sent: ['--retry', '{"max":1,"delay_s":0,"multiplier":1}'], state: 'failed', reason: /^\.\/only-once could not be started: .*EACCES/ },
  { how: 'reads its brief from a file',  script: "console.log(readFileSync(process.argv.at(-1), 'utf8').split('\\n')[0])", settings: { brief: 'file' }, state: 'in_review', reason: /^You are p\d+\. Baton started you/ },
]

describe('programs that are not what one hopes for', () => {
  it('end in the right state with a clear reason, and leave no process and no secret', async (t) => {
    const agent = (at: number) => `p${at}`
    const w = runnersIn(
      t,
      Object.fromEntries(PROGRAMS.map(({ script, settings }, i) => [agent(i), { script, ...settings }])),
    )
    chmodSync(w.place.file('shop/no-interpreter', '#!/no/such/shell\n'), 0o755)
    chmodSync(w.place.file('shop/only-once', '#!/bin/sh\nchmod a-x "$0"\nexit 1\n'), 0o755)
    const sent = await Promise.all(PROGRAMS.map(({ sent = [] }, i) => w.send(agent(i), ...sent)))

    // On a terminal, which they must not get.
    onTerminal(w.where, ['run', '--once'])

    for (const [i, { how, state, reason = /./ }] of PROGRAMS.entries()) {
      const { handoff, result } = await w.show(sent[i]!.id)
      assert.equal(handoff.state, state, how)
      assert.match(handoff.error?.message ?? result?.note ?? '', reason, how)
    }
    assert.deepEqual(programsAt(w.root), [])
    const all = await ask(w.where, 'audit', 'log', '--limit', '200')
    assert.ok(!JSON.stringify(all).includes(TOKEN))
  })
})
