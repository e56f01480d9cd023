import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask } from '../support/program/command.ts'
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
}

// biome-ignore format: read as a table
const PROGRAMS: readonly Hostile[] = [
  { how: 'prints nothing',               script: '', state: 'in_review', reason: /exit code 0 and printed nothing/ },
  { how: 'prints a gigabyte',            script: "const all = 'x'.repeat(1e6); const more = () => process.stdout.write(all, more); more()", settings: { output_kb: 100 }, state: 'failed', reason: /printed more than 100 KB/ },
  { how: 'ignores signals for ever',     script: "process.on('SIGTERM', () => {}); await sleep(1e6)", settings: { timeout: '1s' }, state: 'failed', reason: /ended after 1 s, its time limit/ },
  { how: 'leaves a process behind',      script: "spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e3)'], { detached: true, stdio: 'ignore' }).unref(); console.log('done')", state: 'in_review' },
  { how: 'ends with 3',                  script: "console.error('no disk'); process.exit(3)", state: 'failed', reason: /exit code 3; it said last: no disk/ },
  { how: 'is killed',                    script: "process.kill(process.pid, 'SIGKILL'); await sleep(1e6)", state: 'failed', reason: /the signal SIGKILL/ },
  { how: 'ends well with a failed block', script: BLOCK('failed'), settings: { answer: 'block' }, state: 'failed', reason: /says failed/ },
  { how: 'ends well without a block',    script: "console.log('done')", settings: { answer: 'block' }, state: 'failed', reason: /without a handoff block/ },
  { how: 'ends with a complete block',   script: BLOCK('complete'), settings: { answer: 'block' }, state: 'in_review' },
  { how: 'prints a secret',              script: `console.log('${TOKEN}')`, state: 'in_review', reason: /^\[a GitHub token\]$/ },
  { how: 'writes outside its worktree',  script: "writeFileSync('../../../baton.md', 'mine'); commit('own.ts', '1')", settings: { worktree: true }, state: 'in_review', reason: /^Baton: files outside its worktree changed while it ran: baton\.md; look at them/ },
  { how: 'reads its brief from a file',  script: "console.log(readFileSync(process.argv.at(-1), 'utf8').split('\\n')[0])", settings: { brief: 'file' }, state: 'in_review', reason: /^You are p\d+\. Baton started you/ },
]

describe('programs that are not what one hopes for', () => {
  it('end in the right state with a clear reason, and leave no process and no secret', async (t) => {
    const agent = (at: number) => `p${at}`
    const w = runnersIn(
      t,
      Object.fromEntries(PROGRAMS.map(({ script, settings }, i) => [agent(i), { script, ...settings }])),
    )
    const sent = await Promise.all(PROGRAMS.map((_, i) => w.send(agent(i))))

    await w.once()

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
