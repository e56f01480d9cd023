import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, baton } from '../support/program/command.ts'
import { type Dashboard, intercept, ME, openDashboard, type Seat, until } from './dashboard.ts'
import { type Story, tellStory } from './story.ts'

interface Shown {
  readonly handoff: { readonly state: string; readonly choice?: string }
  readonly gate_response?: { readonly decision: string; readonly by: string; readonly comment?: string }
  readonly thread: readonly { readonly kind: string; readonly by: string; readonly text: string }[]
}

let dashboard: Dashboard
let story: Story
let seat: Seat

const show = (id: string) => ask<Shown>(dashboard.where, 'show', id)
const newGate = async (title: string): Promise<string> =>
  (await story.planner.handoff_send({ to: 'human', type: 'gate', title, gate: { name: title } })).handoff.id
const go = async (path: string): Promise<void> => {
  await seat.page.goto(dashboard.url + path)
  await seat.page.getByRole('heading', { level: 1 }).waitFor()
}

before(async () => {
  dashboard = await openDashboard()
})
after(() => dashboard.close())

describe('the dashboard lets in', () => {
  it('whoever opens the link of the greeting, once, and keeps the code nowhere', async () => {
    const link = /http\S+#login=(\S+)/.exec(dashboard.greeting)
    assert.ok(link, dashboard.greeting)
    const [address, code = ''] = link
    const { page, context, faults } = await dashboard.visit('/healthz')

    await page.goto(address)
    await page.getByText('No handoffs yet').waitFor()

    assert.equal(page.url(), `${dashboard.url}/`)
    assert.equal(await page.evaluate(() => document.cookie), '')
    assert.equal(dashboard.log().includes(code), false)
    assert.deepEqual(faults, [])
    const [cookie] = await context.cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
    const second = await dashboard.visit(`/#login=${code}`)
    await second.page.getByText('this code is unknown, used or too old').waitFor()
    await page.goto(address)
    await page.getByText('No handoffs yet').waitFor()
    await page.getByRole('link', { name: 'Inbox' }).click()
    await page.getByText('Nothing waits for you').waitFor()
    await page.getByRole('button', { name: ME }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('baton login').waitFor()
    assert.equal((await page.request.get(`${dashboard.url}/v1/whoami`)).status(), 401)
  })
})

describe('a person at the dashboard', () => {
  before(async () => {
    story = await tellStory(dashboard)
    seat = await dashboard.open('/')
  })

  it('decides a gate with the mouse', async () => {
    const id = await newGate('By mouse')
    await go('/inbox')
    const card = seat.page.getByRole('region', { name: `Decision on ${id}` })

    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('textbox').fill('ship it')
    await card.getByRole('button', { name: 'Send' }).click()
    await card.waitFor({ state: 'detached' })

    const { handoff, gate_response } = await show(id)
    assert.equal(handoff.state, 'completed')
    assert.deepEqual(
      [gate_response?.decision, gate_response?.by, gate_response?.comment],
      ['approve', ME, 'ship it'],
    )
  })

  it('asks with one click about a gate that keys are not for', async () => {
    const id = await newGate('By one click')
    await go('/inbox')
    const card = seat.page.getByRole('region', { name: `Decision on ${id}` })
    await card.waitFor()
    assert.equal(await card.locator('kbd').count(), 0)

    await card.getByRole('button', { name: /^Ask/ }).click()

    await card.getByRole('textbox').waitFor()
    await story.planner.handoff_cancel({ id, reason: 'only a test' })
  })

  it('decides a gate with keys alone, and a letter in a text is no command', async () => {
    const id = await newGate('By keys')
    await go('/inbox')
    const card = seat.page.getByRole('region', { name: `Decision on ${id}` })
    await card.waitFor()

    await until('the card of the gate is the one for keys', async () => {
      if (await card.locator('kbd').count()) return true
      await seat.page.keyboard.press('j')
      return false
    })
    await seat.page.keyboard.press('r')
    await card.getByRole('textbox').waitFor()
    await seat.page.keyboard.type('a query jar: say which limits')
    assert.equal(await card.getByRole('button', { name: /^Reject/ }).getAttribute('aria-pressed'), 'true')
    await seat.page.keyboard.press('Enter')
    await card.waitFor({ state: 'detached' })

    const { gate_response } = await show(id)
    assert.deepEqual(
      [gate_response?.decision, gate_response?.comment],
      ['reject', 'a query jar: say which limits'],
    )
  })

  it('answers a question, and the work goes on', async () => {
    await go('/inbox')
    const card = seat.page.getByRole('region', { name: `Question about ${story.question}` })

    await card.getByText('Is 200 ms at p95 fast enough').waitFor()
    await card.getByRole('textbox').fill('100 it is')
    await card.getByRole('button', { name: 'Answer' }).click()
    await card.waitFor({ state: 'detached' })

    const { handoff, thread } = await show(story.question)
    assert.equal(handoff.state, 'in_progress')
    assert.deepEqual(thread.map(({ kind, by, text }) => [kind, by, text]).at(-1), ['answer', ME, '100 it is'])
  })

  it('verifies work from its page', async () => {
    await go(`/handoffs/${story.reviewed}`)

    await seat.page.getByRole('button', { name: 'Accept as done' }).click()
    await seat.page.getByRole('button', { name: 'Accept as done' }).last().click()
    await seat.page.locator('header .badge', { hasText: 'completed' }).waitFor()

    assert.equal((await show(story.reviewed)).handoff.state, 'completed')
  })

  it('sees what the command line does without loading the page anew', async (t) => {
    await go('/')
    await seat.page.getByText('live', { exact: true }).waitFor()
    const [title, later] = ['Sent by the command line', 'Now at work']

    const sent = await baton(
      dashboard.where,
      'send',
      '--as',
      'planner',
      '--to',
      'codex',
      '--title',
      title,
      '--json',
    )
    const { handoff } = JSON.parse(sent.stdout)
    const answered = performance.now()
    await seat.page.getByRole('region', { name: 'Open', exact: true }).getByText(title).waitFor()
    t.diagnostic(`shown ${Math.round(performance.now() - answered)} ms after the command had ended`)
    assert.equal((await baton(dashboard.where, 'accept', handoff.id, '--as', 'codex')).code, 0, later)
    await seat.page.getByRole('region', { name: 'In progress' }).getByText(title).waitFor()
  })

  it('finds a handoff and a page with the palette and with keys', async () => {
    await go('/')

    await seat.page.keyboard.press('Control+k')
    await seat.page.keyboard.type('Rotate the sig')
    await seat.page.getByRole('option', { name: 'Rotate the signing keys' }).waitFor()
    await seat.page.keyboard.press('Enter')
    await seat.page.getByRole('heading', { level: 1, name: 'Rotate the signing keys' }).waitFor()
    await seat.page.keyboard.press('g')
    await seat.page.keyboard.press('l')
    await seat.page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    await seat.page.keyboard.press('/')
    await seat.page.keyboard.type('theme: dark')
    await seat.page.keyboard.press('Enter')

    assert.equal(await seat.page.evaluate(() => document.documentElement.dataset.theme), 'dark')
    await seat.page.evaluate(() => localStorage.removeItem('baton theme'))
  })

  it('has the filters of the board in its address, where they survive loading it anew', async () => {
    await go('/')

    await seat.page.getByRole('searchbox').fill('from:claude cold')
    await seat.page.waitForURL('**/?q=from%3Aclaude+cold')
    await seat.page.reload()
    await seat.page.getByText('Measure cold start').waitFor()

    assert.equal(await seat.page.getByRole('searchbox').inputValue(), 'from:claude cold')
    assert.equal(await seat.page.locator('.tile').count(), 1)
    // Addresses of the version before are understood.
    await go('/?from=claude&text=cold')
    await seat.page.getByText('Measure cold start').waitFor()
    assert.equal(await seat.page.getByRole('searchbox').inputValue(), 'from:claude cold')
    assert.equal(await seat.page.locator('.tile').count(), 1)
  })

  it('is told in words when the server refuses, and nothing is lost', async () => {
    await dashboard.as('maria', 'human')
    const { secret } = await ask<{ secret: string }>(
      dashboard.where,
      ...['token', 'create', '--agent', 'maria', '--scope', 'handoff:read', '--scope', 'report:read'],
    )
    const id = await newGate('Not for maria')
    const { page } = await dashboard.visit('/')
    // The page believes that it may decide: only the server knows better.
    await intercept(page, '**/v1/whoami', async (route) => {
      const answer = await route.fetch()
      if (!answer.ok()) return route.fulfill({ response: answer })
      return route.fulfill({ json: { ...(await answer.json()), scopes: ['*'] } })
    })

    await page.getByLabel('Or put a code or your token here').fill(secret)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: /^Inbox/ }).click()
    const card = page.getByRole('region', { name: `Decision on ${id}` })
    await card.getByRole('button', { name: 'Approve' }).click()
    await card.getByRole('textbox').fill('may I?')
    await card.getByRole('button', { name: 'Send' }).click()

    await card.getByText('has no scope gate:write').waitFor()
    assert.equal(await card.getByRole('textbox').inputValue(), 'may I?')
    assert.equal((await show(id)).handoff.state, 'needs_input')
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('there is nothing here that this token may see').first().waitFor()
  })

  it('is told when the server does not answer, and goes on by a button when it does', async () => {
    // When events begin, all is read again by itself.
    await intercept(seat.page, '**/v1/events*', (route) => route.abort())
    await go('/agents')
    await intercept(seat.page, '**/v1/handoffs**', (route) => route.abort())
    await seat.page.getByRole('link', { name: 'Board' }).click()
    // Each column tries by itself: this one must have given up before the server answers again.
    const done = seat.page.getByRole('region', { name: 'Done', exact: true })
    await done.getByText('The server does not answer').waitFor()

    await seat.page.unroute('**/v1/handoffs**')
    await done.getByRole('button', { name: 'Try again' }).click()

    await seat.page.getByText('Write the migration guide').waitFor()
    await seat.page.unroute('**/v1/events*')
  })

  it('is told that there is no such handoff', async () => {
    await seat.page.goto(`${dashboard.url}/handoffs/HO-1999-001`)

    await seat.page.getByRole('alert').getByText('HO-1999-001').waitFor()
    const main = seat.page.getByRole('main')
    await main.getByRole('heading', { level: 1, name: 'There is no handoff HO-1999-001' }).waitFor()
    assert.doesNotMatch(await main.innerText(), /baton list/)
    await main.getByRole('link', { name: 'Board' }).click()
    await seat.page.getByRole('heading', { level: 1, name: 'Board' }).waitFor()
    await seat.page.goto(`${dashboard.url}/workflows/run-1999`)
    await main.getByRole('heading', { level: 2, name: 'There is no run run-1999' }).waitFor()
    assert.deepEqual(seat.faults, [])
  })

  it('is told that there is no such page, and can go on', async () => {
    for (const path of ['/nope', '/handoffs/a/b', '/%E0%A4%A', '/handoffs/%E0%A4%A']) {
      await seat.page.goto(dashboard.url + path)
      await seat.page.getByRole('heading', { level: 1, name: /^There is no (?:such page|handoff)/ }).waitFor()
      await seat.page.getByRole('main').getByRole('link', { name: 'Board' }).click()
      await seat.page.getByRole('heading', { level: 1, name: 'Board' }).waitFor()
    }
    assert.deepEqual(seat.faults, [])
  })
})
