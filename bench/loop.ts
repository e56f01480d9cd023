// Does one call keep the server from all others? Somebody else asks for `/healthz` every few milliseconds while texts
// that take seconds to read are checked and large packages are sent. The longest wait is set against five times that
// beside an empty call, plus 50 ms. Not measured: PostgreSQL, live folders beside the server.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { createService, openStore } from '../src/compose/main.ts'
import { SLOW_TEXTS } from '../test/support/documents/slow-texts.ts'
import { type Finding, inFolder, median } from './support/measure.ts'

const ROUNDS = 3
const EVERY_MS = 3
const SLACK_MS = 50

type Ask = (path: string, body: object) => Promise<Response>

const sent = (data: unknown) => ['/v1/handoffs', { to: 'codex', title: 'Piece', summary: 'x', data }] as const

const WORKFLOW = `name: a\nsteps:\n${'  - { id: a, agent: codex }\n'.repeat(15_000)}`

const CALLS: Readonly<Record<string, readonly [path: string, body: object]>> = {
  ...Object.fromEntries(
    Object.entries(SLOW_TEXTS).map(([name, text]) => [`check ${name}`, ['/v1/documents/check', { text }]]),
  ),
  convert: ['/v1/documents/convert', { text: SLOW_TEXTS.maps, to: 'package' }],
  import: ['/v1/documents/import', { text: SLOW_TEXTS.maps }],
  'send numbers': sent({ items: Array(480_000).fill(1) }),
  'send words': sent({ text: 'word '.repeat(180_000) }),
  'send starts of keys': sent({ text: '-eyJ'.repeat(225_000) }),
  'send many short texts': sent({ items: Array(48_000).fill('-eyJabcdefgh') }),
  'check a workflow': ['/v1/workflows/check', { definition: WORKFLOW }],
}

export const loop = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    const path = join(folder, 'loop.db')
    const token = await makeToken(path)
    const { child, url } = await started(path)
    const ask: Ask = (to, body) =>
      fetch(url + to, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    try {
      const work = { empty: ['/v1/documents/check', { text: '' }] as const, ...CALLS }
      const waits = new Map<string, number[]>(Object.keys(work).map((name) => [name, []]))
      // The first round loads what is needed.
      for (let round = 0; round <= ROUNDS; round++)
        for (const [name, [to, body]] of Object.entries(work)) {
          const longest = await longestBeside(url, () => ask(to, body))
          if (round > 0) waits.get(name)!.push(longest)
        }
      const seen = [...waits].map(([name, all]) => ({ name, ms: median(all) }))
      const empty = seen.find(({ name }) => name === 'empty')!.ms
      const worst = seen.reduce((a, b) => (b.ms > a.ms ? b : a))
      return [
        {
          question: `longest wait of others beside a hostile call, against 5 × beside an empty one + ${SLACK_MS} ms`,
          ratio: worst.ms / (5 * empty + SLACK_MS),
          detail: `${worst.ms.toFixed(0)} ms (${worst.name}), empty ${empty.toFixed(0)} ms (medians of ${ROUNDS})`,
          bound: { sign: '<=', value: 1 },
        },
      ]
    } finally {
      child.kill()
    }
  })

/** The longest wait for `/healthz` while a call is under way, and for as long again where it is short. */
async function longestBeside(url: string, call: () => Promise<Response>): Promise<number> {
  let longest = 0
  let isOver = false
  const over = Promise.all([call().then((response) => response.text()), pause(300)]).then(() => {
    isOver = true
  })
  while (!isOver) {
    const asked = performance.now()
    await (await fetch(`${url}/healthz`)).text()
    longest = Math.max(longest, performance.now() - asked)
    await pause(EVERY_MS)
  }
  await over
  return longest
}

async function makeToken(path: string): Promise<string> {
  const store = await openStore({ engine: 'sqlite', path })
  const ops = { actor: { name: 'ops', kind: 'human', auth: 'os-user' } } as const
  const tokens = await createService(store).tokens()
  const { secret } = await tokens.create(ops, { agent: 'sender', scopes: ['*'] })
  await store.close()
  return secret
}

async function started(path: string): Promise<{ child: ChildProcess; url: string }> {
  const server = join(import.meta.dirname, 'support/http-server.ts')
  const child = spawn(process.execPath, [server, 'baton', path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, url: `http://127.0.0.1:${port}` }
}
