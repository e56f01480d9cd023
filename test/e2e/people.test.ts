import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import {
  ask,
  BATON,
  baton,
  cleanEnv,
  onTerminal,
  quick,
  refusal,
  trusted as trustedHere,
  type Where,
} from '../support/program/command.ts'
import { openSmtp } from '../support/servers/smtp-server.ts'

interface Shown {
  readonly handoff: { readonly state: string; readonly choice?: string; readonly id: string }
  readonly gate_response?: { readonly decision: string; readonly by: string; readonly comment?: string }
  readonly thread: readonly { readonly kind: string; readonly text: string; readonly choice?: string }[]
  readonly timeline: readonly { readonly act: string; readonly auth: string }[]
  readonly result?: { readonly decisions?: readonly { readonly decision: string }[] }
}

const here = (t: TestContext): Where => ({ cwd: folders(t).repository('shop') })

const POINTS = ['The scope', 'The limits', 'The exceptions'].flatMap((point) => ['--validate', point])
POINTS.push('--gate', 'specification')

const gate = (where: Where, ...more: readonly string[]) =>
  ask<{ handoff: { id: string } }>(
    where,
    ...['send', '--as', 'planner', '--to', 'human', '--type', 'gate', '--title', 'Check the specification'],
    ...['--summary', 'Limits are specified for every endpoint', ...POINTS],
    ...more,
  )

const show = (where: Where, id: string) => ask<Shown>(where, 'show', id)

describe('people', () => {
  it('[S4-67] find a gate for anybody in their inbox, with how much there is to validate', async (t) => {
    const where = here(t)
    await gate(where)

    const { stdout } = await quick(where, 'inbox')
    const shown = onTerminal(where, ['inbox'], { columns: 120 }).shown
    const opened = await quick(where, 'show', '@')

    assert.match(
      stdout,
      /^decide\tHO-\d{4}-001\tGate: specification · 3 points to validate\tplanner\thuman\t/,
    )
    assert.match(shown, /Gate: specification · 3 points to validate/)
    assert.match(opened.stdout, /^HO-\d{4}-001 {2}Check the specification\n/, opened.stderr)
  })

  it('see a gate whole at the width that they have, with its id and what to do', async (t) => {
    const where = here(t)
    const name = `a-${'long-'.repeat(5)}name`
    await ask(where, 'send', '--as', name, '--to', 'human', '--type', 'gate', '--title', 'T', ...POINTS)

    for (const columns of [60, 80, 200]) {
      const { shown } = onTerminal(where, ['inbox'], { columns })
      assert.match(shown, /^ {2}decide {2}HO-\d{4}-001 /m, shown)
      assert.match(shown, /Gate: specification · 3 points to validate/, shown)
    }
  })

  it('say at the terminal that what looks like a secret is none; agents and scripts cannot', async (t) => {
    const where = here(t)
    const keyId = ['AK', 'IA', 'Z7Q4M2K9P3X8W6T1'].join('')
    const send = ['send', '--to', 'codex', '--title', 'Look', '--summary', `The id ${keyId} is public`]
    const asks = 'Is it not a secret, and should it be written?'

    const script = await refusal(where, ...send)
    const agent = onTerminal(where, [...send, '--as', 'planner'])
    const no = onTerminal(where, send, { steps: [[asks, 'n\n']] })
    const yes = onTerminal(where, send, { steps: [[asks, 'y\n']] })

    assert.deepEqual([script.code, agent.code, no.code, yes.code], ['invalid_input', 2, 2, 0], yes.shown)
    assert.ok(!agent.shown.includes(asks))
    const { items } = await ask<{ items: { act: string; by: string }[] }>(where, 'audit', 'log')
    assert.equal(items.filter(({ act }) => act === 'secret.pass').length, 1)
  })

  it('leave the same record whether they decide at a terminal or over HTTP', async (t) => {
    const where = here(t)
    const [first, second] = [await gate(where), await gate(where)]
    const { url } = await serving(t, where)
    await ask(where, 'agent', 'add', 'maria', '--kind', 'human')
    const { secret } = await ask<{ secret: string }>(
      where,
      ...['token', 'create', '--agent', 'maria', '--scope', 'gate:write', '--scope', 'handoff:read'],
    )
    const comment = ['--comment', 'ship it']

    onTerminal(where, ['decide', first.handoff.id, 'Approve', ...comment], { steps: [['[y/N]', 'y\n']] })
    const response = await fetch(`${url}/v1/gates/${second.handoff.id}/decide`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ choice: 'Approve', comment: 'ship it' }),
    })

    assert.equal(response.status, 200, await response.text())
    const records = [await show(where, first.handoff.id), await show(where, second.handoff.id)]
    const [here1, there] = records.map(({ handoff, gate_response, thread, timeline }) => ({
      state: [handoff.state, handoff.choice],
      response: { ...gate_response, by: '', at: '' },
      thread: thread.map(({ kind, text, choice }) => [kind, text, choice]),
      acts: timeline.map(({ act }) => act),
    }))
    assert.deepEqual(here1, there)
    assert.deepEqual(here1?.response, { decision: 'approve', by: '', at: '', comment: 'ship it' })
    assert.deepEqual(
      records.map(({ timeline }) => timeline.at(-1)?.auth),
      ['tty', 'token'],
    )
  })

  it('[S4-63] [S4-64] see what was asked and answered before they decide, and are asked what has to change', async (t) => {
    const where = here(t)
    const { handoff } = await gate(where)
    const asking = ['decide', handoff.id, 'question', '--comment', 'Is login in it?']
    onTerminal(where, asking, { steps: [['[y/N]', 'y\n']] })
    await ask(where, 'answer', handoff.id, 'It comes in May', '--as', 'planner')

    const { code, shown } = onTerminal(where, ['decide', handoff.id, 'reject'], {
      steps: [
        ['What has to change?', 'Put login in\n'],
        ['[y/N]', 'y\n'],
      ],
    })

    assert.equal(code, 0, shown)
    assert.match(shown, /question +Is login in it\?[\s\S]*It comes in May[\s\S]*What has to change\?/)
    assert.equal((await show(where, handoff.id)).gate_response?.comment, 'Put login in')
  })

  it('[S4-27] choose among the options of an escalation by its key', async (t) => {
    const where = here(t)
    const { handoff } = await ask<{ handoff: { id: string } }>(
      where,
      ...[
        'send',
        '--as',
        'estimation',
        '--to',
        'human',
        '--type',
        'escalation',
        '--title',
        'Which approach?',
      ],
      ...['--option', 'A=fast, debt', '--option', 'B=robust, long', '--deliverable', 'Choice'],
      ...['--summary', 'Two possible approaches with significant trade-offs'],
    )

    const { stdout } = await quick(where, 'inbox')
    const wrong = onTerminal(where, ['decide', '@', 'C'], { columns: 120 })
    const { code, shown } = onTerminal(where, ['decide', '@', '--comment', 'We can wait'], {
      steps: [
        ['A, B, reject or question?', 'b\n'],
        ['[y/N]', 'y\n'],
      ],
    })

    assert.match(stdout, /\tDecision: Which approach\? · choose A, B\t/)
    assert.equal(wrong.code, 2)
    assert.match(
      wrong.shown,
      /"C" is not an answer to \S+; answer with A, B, reject or question; nothing was decided/,
    )
    assert.equal(code, 0, shown)
    assert.match(shown, /is answered: B; estimation goes on/)
    const { result, gate_response } = await show(where, handoff.id)
    assert.deepEqual(result?.decisions, [
      { id: `D-${handoff.id}`, decision: 'robust, long', rationale: 'We can wait' },
    ])
    assert.equal(gate_response?.decision, 'B')
  })

  it('[S4-61] hold up work at the command line until they have decided', async (t) => {
    const where = here(t)
    const { handoff } = await ask<{ handoff: { id: string } }>(
      where,
      ...['send', '--to', 'planner', '--title', 'Write the specification'],
    )
    await ask(where, 'accept', '@', '--as', 'planner')
    await gate(where, '--parent', handoff.id, '--silence', 'expire:2d', '--remind', '4h')

    const refused = await refusal(where, 'submit', handoff.id, '--as', 'planner', '--note', 'done')

    assert.equal(refused.exit, 8)
    assert.match(refused.message, /the gate specification \(HO-\d{4}-002\) waits for human/)
  })
})

describe('messages', () => {
  it('reach a webhook signed, once the settings are trusted, and nothing before', async (t) => {
    const hook = await webhook(t)
    const yaml = `notify:
  - name: ops
    webhook: http://127.0.0.1:${hook.port}/in
    secret_env: HOOK_SECRET
    allow_private: true
    link: https://baton.example.com
`
    const where = configured(t, yaml)
    const trusting = trusted(where, yaml, { HOOK_SECRET: 'shh' })
    await gate(where)
    const before = await refusal(where, 'notify', 'send')

    await gate(trusting)
    const { stdout, code } = await baton(trusting, 'notify', 'send', '--json')

    assert.deepEqual([before.exit, before.code], [8, 'unmet'])
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout), { sent: 1, failed: 0, given_up: 0, dropped: 0 })
    const [{ headers, body }] = hook.got as [(typeof hook.got)[0]]
    const signed = `${headers['baton-delivery']}.${headers['baton-timestamp']}.${body}`
    assert.equal(headers['baton-signature'], `v1=${createHmac('sha256', 'shh').update(signed).digest('hex')}`)
    const told = JSON.parse(body)
    assert.match(told.command, /^baton decide HO-\d{4}-002$/)
    assert.deepEqual(
      [hook.got.length, told.event, told.handoff.from, told.link],
      [1, 'gate', 'planner', `https://baton.example.com/handoffs/${told.handoff.uid}`],
    )
  })

  it('are mailed by a server on its own', async (t) => {
    const { port, messages, said } = await openSmtp(t, { offers: ['AUTH PLAIN'] })
    const yaml = `notify:
  - name: people
    mail: { smtp_env: MAIL_SERVER, from: baton@example.com, to: [maria@example.com] }
`
    const where = configured(t, yaml)
    const trusting = trusted(where, yaml, { MAIL_SERVER: `smtp://maria:secret@127.0.0.1:${port}` })
    await gate(trusting)

    await serving(t, trusting)
    for (let i = 0; messages.length === 0 && i < 600; i++) await new Promise((next) => setTimeout(next, 50))

    assert.match(messages[0] ?? '', /^Subject: \[Baton\] A gate waits for your decision: HO-\d{4}-001\r$/m)
    assert.match(messages[0] ?? '', /What: {2}"Check the specification" \(gate\)/)
    assert.ok(said.includes('RCPT TO:<maria@example.com>'))
  })

  it('have settings that say what is wrong with them', async (t) => {
    const wrong = {
      'notify:\n  - name: ops\n    webhook: http://x.example/\n': /secret_env/,
      'notify:\n  - name: ops\n': /either webhook or mail/,
      'notify:\n  - name: ops\n    webhook: https://u:p@x.example/\n    secret_env: A\n':
        /without a password/,
      'notify:\n  - name: ops\n    mail: { smtp: "smtp://h", from: "a@b.c\\nX: y", to: [m@e.c] }\n':
        /plain mail address/,
      'people:\n  silence: { policy: escalate, after: 2d }\n':
        /name the person who is asked next, for example to: maria/,
      'people:\n  silence: { policy: expire }\n': /after how long/,
      'people:\n  remind: 400d\n': /at most 365d/,
    }
    for (const [yaml, message] of Object.entries(wrong)) {
      const { message: said } = await refusal(configured(t, yaml), 'inbox')
      assert.match(said, message, yaml)
    }
  })

  it('[S4-67] follow the rules of the workspace for silence, from baton.yaml', async (t) => {
    const where = configured(t, 'people:\n  remind: 4h\n  silence: { policy: expire, after: 2d }\n')
    trustedHere(where)

    await gate(where)

    const { handoff } = (await show(where, '1')) as unknown as { handoff: Record<string, string> }
    const hours = (key: string) => (Date.parse(handoff[key]!) - Date.parse(handoff.sent_at!)) / 3_600_000
    assert.deepEqual([hours('remind_at'), hours('silence_at')], [4, 48])
  })
})

function configured(t: TestContext, yaml: string): Where {
  const where = here(t)
  writeFileSync(join(where.cwd, 'baton.yaml'), yaml)
  return where
}

/** What `baton trust` keeps, given as CI gives it. */
function trusted(where: Where, yaml: string, env: Record<string, string>): Where {
  return { ...where, env: { ...env, BATON_TRUST: createHash('sha256').update(yaml).digest('hex') } }
}

async function webhook(t: TestContext) {
  const got: { headers: Record<string, unknown>; body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, got }
}

async function serving(t: TestContext, where: Where): Promise<{ readonly url: string }> {
  const server = spawn(process.execPath, [BATON, 'serve', '--port', '0', '--json'], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(async () => {
    server.kill('SIGTERM')
    await once(server, 'close')
  })
  const [line] = await once(createInterface(server.stdout), 'line')
  return JSON.parse(String(line))
}
