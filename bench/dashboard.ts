// Does the dashboard stay usable over a long history and while much happens? 100,000 handoffs, the real server, a real
// Chromium. Loading the board and what people do on it, against a page of the same libraries that asks its server one
// question and shows the answer; every page against that, too. Then a minute with 1,000 changes a minute made by
// another process: the longest task of the page, its heap after collecting garbage, how soon the last change is shown.
// Not measured: a network, PostgreSQL, a phone's processor.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { build } from 'vite'
import { type Dashboard, openDashboard } from '../test/browser/dashboard.ts'
import { ask } from '../test/support/program/command.ts'
import { type Finding, inFolder, median } from './support/measure.ts'
import {
  afterEvent,
  heapOf,
  longestWork,
  longTasks,
  NOTE_EVENTS,
  slopeOf,
  when,
} from './support/page-times.ts'
import { fillWorkspace } from './support/seeded-workspace.ts'

const HANDOFFS = Number(process.env.BATON_BENCH_HANDOFFS ?? 100_000)
const LIVE_S = Number(process.env.BATON_BENCH_SECONDS ?? 60)
const CHANGES_A_MINUTE = 1_000
const ROUNDS = Number(process.env.BATON_BENCH_ROUNDS ?? 7)
const LONGEST_TASK_MS = 200
/** That of web/src/ui/input/pause.ts. */
const PAUSE_MS = 150
const HEAP_EVERY_MS = 5_000
const FIRST_PAGE_BYTES = 150 * 1_024
const FIRST: ReadonlySet<string> = new Set(['Board', 'Inbox'])
const ROOT = join(import.meta.dirname, '..')

const TILES = "document.querySelectorAll('.tile').length"
const IDLE = "!document.querySelector('.spinner')"
const BOARD = `${TILES} > 100 && ${IDLE}`
const ANSWER = "document.querySelector('.answer')"

export const dashboard = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    spawnSync(process.execPath, [join(ROOT, 'scripts', 'build-web.mjs')], { stdio: 'inherit' })
    const empty = await startEmpty(folder)
    const board = await openDashboard(async (where) => {
      await ask(where, 'init')
      // The first write makes the store, so it is this user's own.
      await ask(where, 'agent', 'add', 'codex')
      await fillWorkspace(databaseOf(where.cwd), HANDOFFS)
    })
    try {
      const { context } = await board.open('/')
      const seat: Seat = { ...empty, board, browser: board.browser, cookies: await context.cookies() }
      await context.close()
      const size = firstPageBytes()
      return [
        {
          question: 'dashboard, code of the first page against 150 KB',
          ratio: size / FIRST_PAGE_BYTES,
          detail: `${Math.round(size / 1_024)} KB gzip`,
          bound: { sign: '<=', value: 1 },
        },
        ...(await loading(seat)),
        ...(await acting(seat)),
        ...(await living(seat)),
      ]
    } finally {
      await board.close()
      empty.child.kill()
    }
  })

interface Seat {
  readonly url: string
  readonly board: Dashboard
  readonly browser: Browser
  readonly cookies: Awaited<ReturnType<BrowserContext['cookies']>>
}

const databaseOf = (cwd: string): string => join(cwd, '.baton', 'baton.db')

/** First loads with nothing in the cache, one of each page in every round. */
async function loading(seat: Seat): Promise<readonly Finding[]> {
  const { board, url } = seat
  const [someone] = await idsOf(board)
  const pages: Readonly<Record<string, readonly [address: string, shown: string]>> = {
    empty: [`${url}/`, ANSWER],
    Board: [`${board.url}/`, BOARD],
    Inbox: [`${board.url}/inbox`, shows('points to validate')],
    Handoff: [`${board.url}/handoffs/${someone}`, shows('Verified in this browser')],
    List: [`${board.url}/list`, `document.querySelector('tbody tr') && ${IDLE}`],
    Tasks: [`${board.url}/tasks`, `document.querySelector('.node') && ${IDLE}`],
    Agents: [`${board.url}/agents`, shows('Handoff flow')],
    Workflows: [`${board.url}/workflows`, `document.querySelector('tbody tr') && ${IDLE}`],
    Metrics: [`${board.url}/metrics`, shows('tests passed')],
    Audit: [
      `${board.url}/audit`,
      `document.querySelector('tbody tr') && ${shows('Verified in this browser')}`,
    ],
  }
  const times = new Map<string, number[]>()
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, [address, shown]] of Object.entries(pages)) {
      const context = await newContext(seat)
      const page = await context.newPage()
      await page.goto(address, { waitUntil: 'commit' })
      times.set(name, [...(times.get(name) ?? []), await when(page, shown)])
      await context.close()
    }
  return against('dashboard, first load of', times, { sign: '<=', value: 8 }, { sign: '<=', value: 5 })
}

/** What people do, each from the event in the page until it shows; again and again on one page of each side. */
async function acting(seat: Seat): Promise<readonly Finding[]> {
  const context = await newContext(seat)
  const [empty, page] = [await context.newPage(), await context.newPage()]
  for (const each of [empty, page]) await each.addInitScript({ content: NOTE_EVENTS })
  await empty.goto(`${seat.url}/`)
  await page.goto(`${seat.board.url}/`)
  await when(page, BOARD)
  const times = new Map<string, number[]>()
  const measure = async (
    name: string,
    on: Page,
    act: () => Promise<unknown>,
    shown: string,
    // A page waits for a pause in typing on purpose.
    paused = 0,
  ) => {
    await act()
    times.set(name, [...(times.get(name) ?? []), (await afterEvent(on, shown)) - paused])
  }
  for (let round = 0; round < ROUNDS; round++) {
    const [text, to] = [String(Math.floor(HANDOFFS * 0.4) + round), `receiver-${round}`]
    await empty.bringToFront()
    await measure('empty', empty, () => empty.locator('input').fill(text), shows(`answer ${text}`))
    await page.bringToFront()
    const field = queryBoxOf(page)
    await measure('filter', page, () => field.fill(`to:${to}`), onlyTiles(`to ${to}`), PAUSE_MS)
    await field.fill('')
    await when(page, BOARD)
    await measure('search', page, () => field.fill(text), `${onlyTiles(text)} && ${TILES} < 20`, PAUSE_MS)
    await field.fill('')
    await when(page, BOARD)
    await measure('open', page, () => page.locator('.tile').first().click(), shows('npm test passes'))
    await measure('back', page, () => page.goBack(), BOARD)
    await measure(
      'palette',
      page,
      () => page.keyboard.press('Control+k'),
      "document.querySelector('dialog[open]')",
    )
    await measure(
      'find',
      page,
      () => page.keyboard.type(`work ${text}`),
      shows(`Piece of work ${text}`, 'dialog'),
      PAUSE_MS,
    )
    await page.keyboard.press('Escape')
  }
  await context.close()
  return against('dashboard, on the board:', times, { sign: '<=', value: 12 })
}

/** A minute in which much happens, with a person who goes on filtering and looking. */
async function living(seat: Seat): Promise<readonly Finding[]> {
  const { board } = seat
  const context = await newContext(seat)
  const page = await context.newPage()
  await page.goto(`${board.url}/`)
  await when(page, BOARD)
  await longTasks(page)
  const changer = startChanger(databaseOf(board.where.cwd), LIVE_S + 20)
  const field = queryBoxOf(page)
  const look = async () => {
    await field.fill('from:sender-1')
    await when(page, onlyTiles('sender-1 to'))
    await pause(HEAP_EVERY_MS / 2)
    await field.fill('')
    await when(page, BOARD)
    await pause(HEAP_EVERY_MS / 2)
    return heapOf(page)
  }
  // What is loaded late and compiled late is there before the heap is first counted.
  for (let i = 0; i < 2; i++) await look()
  const [cpu, began, heap] = [cpuOf(board.pid), performance.now(), [await look()]]
  const work = await longestWork(page, async () => {
    while (performance.now() - began < LIVE_S * 1_000) heap.push(await look())
  })
  const tasks = await longTasks(page)
  const used = ((cpuOf(board.pid) - cpu) / (performance.now() - began)) * 1_000
  const { made, title, seconds } = await changer
  const ended = performance.now()
  await when(page, shows(title))
  const lag = performance.now() - ended
  await context.close()
  const growth = slopeOf(heap) / heap[0]!.bytes
  const worst = Math.max(0, ...tasks)
  const rate = `${made} changes in ${Math.round(seconds)} s`
  return [
    {
      question: `dashboard, ${CHANGES_A_MINUTE} changes a minute: longest task of the page against ${LONGEST_TASK_MS} ms`,
      ratio: worst / LONGEST_TASK_MS,
      detail: `${Math.round(worst)} ms, in processor time ${Math.round(work)} ms, ${tasks.length} over 50 ms; ${rate}, the server used ${Math.round(used * 100)} % of a core`,
      bound: { sign: '<=', value: 1 },
    },
    {
      question: 'dashboard, the same minute: growth of the heap a minute',
      ratio: growth,
      detail: `${heap.map(({ bytes }) => (bytes / 1e6).toFixed(1)).join(' ')} MB, nodes ${heap[0]!.nodes} to ${heap.at(-1)!.nodes}, the last change shown after ${Math.round(lag)} ms`,
      bound: { sign: '<=', value: 0.1 },
    },
  ]
}

type Bound = NonNullable<Finding['bound']>

/** Each name against `empty`, by the medians. `first` is the bound of the pages that people open first. */
function against(
  question: string,
  times: ReadonlyMap<string, readonly number[]>,
  bound: Bound,
  first?: Bound,
): readonly Finding[] {
  const base = median(times.get('empty') ?? [])
  return [...times].flatMap(([name, all]) =>
    name === 'empty'
      ? []
      : [
          {
            question: `${question} ${name}, against an empty page`,
            ratio: median(all) / base,
            detail: `${median(all).toFixed(0)} ms against ${base.toFixed(0)} ms (median of ${all.length})`,
            bound: first && FIRST.has(name) ? first : bound,
          },
        ],
  )
}

const shows = (text: string, within = 'body'): string =>
  `document.querySelector('${within}')?.textContent.includes(${JSON.stringify(text)})`

const onlyTiles = (text: string): string =>
  `${TILES} > 0 && [...document.querySelectorAll('.tile')].every((tile) => tile.textContent.includes(${JSON.stringify(text)}))`

const queryBoxOf = (page: Page) => page.getByPlaceholder('Words, or to:codex')

async function newContext({ browser, cookies }: Seat): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } })
  await context.addCookies(cookies)
  return context
}

async function idsOf({ where }: Dashboard): Promise<readonly string[]> {
  const { items } = await ask<{ items: { id: string }[] }>(
    where,
    ...['handoff', 'list', '--state', 'completed', '--limit', '1'],
  )
  return items.map(({ id }) => id)
}

function firstPageBytes(): number {
  const folder = join(ROOT, 'web', 'dist')
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const parts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = '']) => name)
  return ['index.html', ...parts].reduce(
    (sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length,
    0,
  )
}

async function startEmpty(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const outDir = join(folder, 'empty')
  await build({
    configFile: false,
    root: join(import.meta.dirname, 'empty-page'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false } },
  })
  const child = spawn(process.execPath, [join(import.meta.dirname, 'support/empty-server.ts'), outDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(createInterface({ input: child.stdout! }), 'line')
  return { url: `http://127.0.0.1:${port}`, child }
}

async function startChanger(path: string, seconds: number) {
  const child = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'support/dashboard-changer.ts'),
      path,
      String(CHANGES_A_MINUTE),
      String(seconds),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(createInterface({ input: child.stdout! }), 'line')
  return JSON.parse(line) as { made: number; seconds: number; title: string }
}

/** Processor time of another process, in seconds; nothing where there is no /proc. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}
