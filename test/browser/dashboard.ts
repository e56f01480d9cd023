import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Browser, BrowserContext, Locator, Page, Request, Route } from 'playwright-core'
import { type Client, createClient } from '../../src/client.ts'
import { readEnvironment } from '../../src/config/config.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, cleanEnv, type Where } from '../support/program/command.ts'
import { launch } from './browser.ts'

export const ME = readEnvironment().user

/** Far more than anything takes, also on a busy machine. */
export const PATIENCE_MS = 20_000
/** Runs in the page: what its policy forbids is written where tests can read it. */
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('Content Security Policy: ' + event.violatedDirective + ' ' + event.blockedURI))`
const BUILT = resolve(import.meta.dirname, '../../web/dist/index.html')

export interface Dashboard {
  readonly url: string
  /** What the server printed for whoever started it, and what it wrote to its log. */
  readonly greeting: string
  readonly log: () => string
  readonly where: Where
  /** Of the server. */
  readonly pid: number
  readonly browser: Browser
  /** An agent that works over HTTP. */
  as(agent: string, kind?: string): Promise<Client>
  /** A new link that lets a person in. */
  link(person?: string): Promise<string>
  /** A browser of its own, logged in, that notes everything it must not do. */
  open(path: string, look?: Look): Promise<Seat>
  /** A browser of its own where nobody is logged in. */
  visit(path: string): Promise<Seat>
  close(): Promise<void>
}

export interface Look {
  readonly dark?: boolean
  readonly phone?: boolean
  readonly person?: string
}

/** A person at a browser. */
export interface Seat {
  readonly page: Page
  readonly context: BrowserContext
  /** Requests to others, dialogs, errors and violations of the policy: all of them are faults. */
  readonly faults: readonly string[]
}

/** A workspace in a repository of its own, the real server over it, and a browser. `fill` runs before the server. */
export async function openDashboard(fill?: (where: Where) => Promise<void>): Promise<Dashboard> {
  assert.ok(existsSync(BUILT), 'the dashboard is not built: run node scripts/build-web.mjs')
  const cleaning: (() => unknown)[] = []
  const close = async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean()
  }
  const later = { after: (clean: () => unknown) => cleaning.push(clean) }
  const where = { cwd: folders(later).repository('shop') }
  await fill?.(where)
  const { greeting, log, pid } = await serving(later, where)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0] ?? ''
  // A server that is left behind keeps its test file from ending.
  const browser = await launch().catch(async (error: unknown) => {
    await close()
    throw error
  })
  later.after(() => browser.close())
  const link = async (person = ME) =>
    (await ask<{ url: string }>(where, 'login', '--url', url, '--as', person)).url
  return {
    url,
    greeting,
    log,
    where,
    pid,
    browser,
    link,
    async as(agent, kind = 'agent') {
      await ask(where, 'agent', 'add', agent, '--kind', kind)
      const { secret } = await ask<{ secret: string }>(
        where,
        ...['token', 'create', '--agent', agent, '--scope', '*'],
      )
      return createClient({ url, token: secret })
    },
    close,
    visit: async (path) => {
      const seat = await takeSeat(browser, url)
      await seat.page.goto(url + path)
      return seat
    },
    open: async (path, look = {}) => {
      const seat = await takeSeat(browser, url, look)
      await seat.page.goto(await link(look.person))
      await seat.page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
      if (path !== '/') await seat.page.goto(url + path)
      await seat.page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
      return seat
    },
  }
}

async function takeSeat(browser: Browser, url: string, look: Look = {}): Promise<Seat> {
  const context = await browser.newContext({
    colorScheme: look.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    viewport: look.phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) faults.push(`asked for ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    faults.push(`opened a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => faults.push(`failed: ${error.message}`))
  page.on('console', (message) => {
    if (/content security policy|trusted ?type/i.test(message.text())) faults.push(message.text())
  })
  await page.addInitScript({ content: TELL_VIOLATIONS })
  return { page, context, faults }
}

async function serving(
  t: { after(clean: () => unknown): void },
  where: Where,
): Promise<{ readonly greeting: string; readonly log: () => string; readonly pid: number }> {
  const server = spawn(process.execPath, [BATON, 'serve', '--port', '0'], {
    cwd: where.cwd,
    env: cleanEnv(where),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  t.after(async () => {
    server.kill('SIGTERM')
    if (server.exitCode === null) await once(server, 'close')
  })
  let greeting = ''
  for await (const text of server.stdout.setEncoding('utf8')) {
    greeting += text
    if (greeting.includes('Ctrl-C')) break
  }
  assert.match(greeting, /running at/, log)
  return { greeting, log: () => log, pid: server.pid! }
}

/** A condition that somebody else brings about, waited for with a limit. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    assert.ok(performance.now() < deadline, `${what} did not happen within ${PATIENCE_MS / 1_000} seconds`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** A little less than the pause between two looks at the programs that run. */
const RHYTHM_MS = 2_500

/**
 * What a page asks the server when it opens. A page whose stream of events is not open within a second reads without
 * it and once more after it, which a busy machine brings about: then the page is opened again, at most twice.
 */
export async function requestsOf(page: Page, openPage: () => Promise<void>): Promise<readonly string[]> {
  let asked: string[] = []
  let runningAt = 0
  const note = (request: Request) => {
    const { pathname, search } = new URL(request.url())
    if (!pathname.startsWith('/v1/')) return
    // The programs that run are read every three seconds, and a busy machine may take longer to open a page.
    const before = runningAt
    if (pathname === '/v1/running') runningAt = performance.now()
    if (pathname !== '/v1/running' || runningAt - before < RHYTHM_MS || !asked.includes(pathname))
      asked.push(pathname + search)
  }
  page.on('request', note)
  for (let tries = 1; ; tries++) {
    await page.goto('about:blank')
    asked = []
    await openPage()
    await page.getByText('live', { exact: true }).waitFor()
    // Requests that should not come would come now.
    await new Promise((resolve) => setTimeout(resolve, 600))
    if (new Set(asked).size === asked.length || tries === 3) break
  }
  page.off('request', note)
  return asked
}

/**
 * Answers requests of a page in the test's way. The page may be gone, or the test over, before an answer is given: such
 * a failure would make the whole file red with every test in it green. A page that gets no answer fails its own test.
 */
export async function intercept(
  page: Page,
  url: string | RegExp,
  answer: (route: Route) => Promise<unknown>,
) {
  await page.route(url, (route) => answer(route).catch(() => undefined))
}

/** Between two letters of somebody who types, by the clock of the page. */
const LETTER_MS = 100

/** Types without a pause, however slow the machine is: the clock of the page goes on with each letter alone. */
export async function typeAtOnce(field: Locator, text: string): Promise<void> {
  const { clock } = field.page()
  await clock.install()
  await clock.pauseAt((await field.page().evaluate(() => Date.now())) + 1_000)
  for (const letter of text) {
    await field.pressSequentially(letter)
    await clock.runFor(LETTER_MS)
  }
  await clock.resume()
}

/** Goes to an address, and waits until nothing is on its way any more. */
export async function arrive({ url }: Dashboard, page: Page, path: string): Promise<void> {
  await page.goto(url + path)
  await settle(page).catch(async (error: unknown) => {
    throw new Error(`${path} shows ${await page.locator('body').innerText()}`, { cause: error })
  })
}

export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await until('all of the page', async () => (await page.locator('.spinner').count()) === 0)
}
