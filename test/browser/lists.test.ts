import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { ask } from '../support/program/command.ts'
import { axe } from './axe.ts'
import { arrive, type Dashboard, openDashboard, settle, typeAtOnce, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
let codex: Client
let page: Page
let faults: readonly string[]
const ids: Record<string, string> = {}

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  const maria = await dashboard.as('maria', 'human')
  const send = async (name: string, input: object, by = planner) => {
    ids[name] = (await by.handoff_send({ to: 'codex', title: name, ...input })).handoff.id
    return ids[name]
  }
  await ask(dashboard.where, 'agent', 'add', 'claude', '--max-incoming', '100')
  await ask(dashboard.where, 'agent', 'add', 'planner', '--max-outgoing', '100')
  for (let i = 1; i <= 60; i++) await planner.handoff_create({ to: 'claude', title: `Filler ${i}` })
  await send('Limits', { summary: 'The agreed way is a leaky funnel for each key.', priority: 'high' })
  const blocked = await send('No access', {})
  await codex.handoff_accept({ id: blocked })
  await codex.handoff_heartbeat({ id: blocked, blocked: 'the vault is locked' })
  const asked = await send('A question', {}, maria)
  await codex.handoff_accept({ id: asked })
  await codex.handoff_ask({ id: asked, question: 'Which of the two gates is meant?' })
  const failed = await send('Gone wrong', {})
  await codex.handoff_accept({ id: failed })
  await codex.handoff_fail({ id: failed, message: 'the disk is full' })
  const checks = [{ kind: 'file_exists' as const, path: 'src/never.ts' }]
  const checked = await send('Checked', { deliverables: ['x'], checks })
  await codex.handoff_accept({ id: checked })
  await ask(dashboard.where, 'submit', checked, '--as', 'codex', '--evidence', 'x=x')
  await planner.task_create({ id: 'T1', title: 'Funnel in the gateway', depends_on: [] })
  const seat = await dashboard.open('/', { person: 'maria' })
  page = seat.page
  faults = seat.faults
})
after(() => dashboard.close())

const go = (path: string) => arrive(dashboard, page, path)
const titles = () => page.locator('.list [data-id]').allInnerTexts()
/** Scrolls and waits until it is drawn; a turn of the wheel would come some time after it was asked for. */
const scroll = (by: number) =>
  page.evaluate(async (by) => {
    scrollBy(0, by)
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame)
  }, by)
const panel = () => page.getByRole('region', { name: /^Details of/ })

describe('a tile of the board', () => {
  it('tells why it stands there: the reason, the question, the failed check, the priority', async () => {
    await go('/')
    const tile = (name: string) => page.locator('.tile', { hasText: ids[name]! })
    await tile('No access').getByText('the vault is locked').waitFor()
    await tile('A question').getByText('Which of the two gates is meant?').waitFor()
    await tile('Gone wrong').getByText('the disk is full').waitFor()
    await tile('Checked')
      .getByText(/check failed: .*src\/never\.ts/)
      .waitFor()
    await tile('Limits').getByText('high', { exact: true }).waitFor()
  })
})

describe('the board', () => {
  it('leads from tile to tile and from column to column by keys alone, and opens one', async () => {
    await go('/')
    const columns = page.locator('.column:has(.tile)')
    const isAt = (column: number, tile: number) =>
      until(`tile ${tile} of column ${column}`, () =>
        columns
          .nth(column)
          .locator('.tile')
          .nth(tile)
          .evaluate((each) => each === document.activeElement),
      )
    await columns.nth(1).waitFor()
    for (const [key, column, tile] of [
      ['j', 0, 0],
      ['j', 0, 1],
      ['ArrowDown', 0, 2],
      ['k', 0, 1],
      ['ArrowRight', 1, 0],
      ['ArrowLeft', 0, 0],
    ] as const) {
      await page.keyboard.press(key)
      await isAt(column, tile)
    }
    const title = await columns.first().locator('.tile b').first().innerText()
    await page.keyboard.press('Enter')
    await panel().getByRole('heading', { name: title, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await isAt(0, 0)
  })
})

describe('the query box', () => {
  it('takes words and filters, keeps them in the address, and shows the place that matched', async () => {
    await go('/list')
    await page.getByRole('searchbox').fill('to:codex since:today leaky funnel')
    await page.waitForURL('**/list?q=to%3Acodex+since%3Atoday+leaky+funnel')
    await page.locator('.match', { hasText: 'summary: The agreed way is a leaky funnel' }).waitFor()
    assert.deepEqual(await titles(), ['Limits'])
    await page.reload()
    await settle(page)
    assert.deepEqual(await titles(), ['Limits'])

    await page.getByRole('searchbox').fill('funnel')
    await page.getByRole('link', { name: 'Funnel in the gateway' }).waitFor()
    for (const wrong of ['wrong', 'constructor', '__proto__']) {
      await page.getByRole('searchbox').fill(`state:${wrong}`)
      await page.getByText(`There is no state ${wrong}.`).waitFor()
    }
  })

  it('is the same in Find, which leads to tasks and agents too', async () => {
    await go('/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('to:codex leaky funnel')
    await page.getByRole('option', { name: /Limits/ }).waitFor()
    assert.match(await page.getByRole('option', { name: /Limits/ }).innerText(), /summary: .*leaky funnel/)
    await page.getByRole('combobox').fill('T1')
    await page.getByRole('option', { name: /Funnel in the gateway/ }).waitFor()
    await page.getByRole('combobox').fill('codex')
    await page.getByRole('option', { name: /agent/ }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('asks once for a pause in typing, as do Find and every other filter', async () => {
    for (const [path, text, route] of [
      ['/list', 'leaky', '/v1/handoffs'],
      ['/', 'leaky', '/v1/handoffs'],
      ['/tasks', 'funnel', '/v1/tasks'],
      ['/workflows?name=x', '-release', '/v1/workflows'],
      ['/audit', ids.Limits!, '/v1/audit/log'],
    ] as const) {
      const { page: own, context } = await dashboard.open(path, { person: 'maria' })
      await settle(own)
      await own.getByText('live', { exact: true }).waitFor()
      // Requests that follow the login would come now.
      await new Promise((resolve) => setTimeout(resolve, 600))
      if (path === '/') await own.keyboard.press('Control+k')
      let asked = 0
      own.on('request', (request) => {
        if (new URL(request.url()).pathname === route) asked += 1
      })
      const field = path === '/' ? own.getByRole('combobox') : own.getByRole('searchbox')
      await field.focus()
      await own.keyboard.press('End')

      await typeAtOnce(field, text)
      if (path !== '/') await until(`the address with ${text}`, async () => own.url().endsWith(text))
      await until(`a request of ${path}`, async () => asked > 0)
      await settle(own)

      assert.equal(asked, 1, path)
      await context.close()
    }
  })
})

describe('the list', () => {
  it('has Stuck, Mine and Failed this week as addresses, and sorts by a column', async () => {
    await go('/list')
    await page.getByRole('link', { name: 'Stuck' }).click()
    await page.waitForURL('**/list?q=state%3Astuck')
    await until('three', async () => (await titles()).length === 3)
    await page.getByRole('button', { name: 'Handoff' }).click()
    await page.waitForURL('**sort=title')
    assert.deepEqual(await titles(), ['A question', 'Gone wrong', 'No access'])
    await page.getByRole('button', { name: /^Handoff/ }).click()
    await page.waitForURL('**sort=-title')
    assert.deepEqual(await titles(), ['No access', 'Gone wrong', 'A question'])
    await go('/list?q=&sort=title')
    await page.getByText('Columns sort a list that is shown whole.').waitFor()
    assert.equal(await page.getByRole('columnheader').getByRole('button').count(), 0)
    assert.equal((await titles())[0], 'Checked', 'the newest is first')
    await page.getByRole('link', { name: 'Stuck' }).click()
    await page.getByRole('link', { name: 'Mine' }).click()
    await until('one', async () => (await titles()).join() === 'A question')
    await page.getByRole('link', { name: 'Failed this week' }).click()
    await until('one', async () => (await titles()).join() === 'Gone wrong')
    assert.deepEqual(await axe(page), [])
  })

  it('opens one beside it under an address of its own, and keys alone go on and back', async () => {
    await go('/list?q=state%3Astuck&sort=title')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**open=${ids['A question']}`)
    await panel().getByRole('heading', { name: 'A question', exact: true }).waitFor()
    await page.keyboard.press('j')
    await panel().getByRole('heading', { name: 'Gone wrong' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await panel().getByRole('heading', { name: 'No access' }).waitFor()
    await page.keyboard.press('k')
    await page.waitForURL(`**open=${ids['Gone wrong']}`)
    assert.deepEqual(await axe(page), [])
    await page.reload()
    await panel().getByRole('heading', { name: 'Gone wrong' }).waitFor()
    await panel().getByText('Chain and proof', { exact: true }).click()
    await panel().getByText('Verified in this browser').waitFor()
    assert.deepEqual(await axe(page), [])
    await page.keyboard.press('Escape')
    await panel().waitFor({ state: 'detached' })
    assert.deepEqual(faults, [])
  })

  it('is where one left it after Back, with all that was shown', async () => {
    await go('/')
    const column = page.getByRole('region', { name: 'Open', exact: true })
    await column.getByRole('button', { name: 'Show more' }).click()
    await column.getByText('Filler 1', { exact: true }).waitFor()
    const tile = column.locator('.tile', { hasText: 'Filler 30' })
    for (let i = 0; i < 12; i++) await scroll(250)
    await tile.scrollIntoViewIfNeeded()
    await scroll(0)
    const place = async () => (await tile.boundingBox())!.y
    const before = await place()
    const count = await column.locator('.tile').count()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
    await until('the top of the other page', () => page.evaluate(() => scrollY === 0))
    await page.goBack()
    await column.getByText('Filler 1', { exact: true }).waitFor()
    assert.equal(await column.locator('.tile').count(), count)
    await until('the place', async () => Math.abs((await place()) - before) < 40)
  })
})

describe('the frame', () => {
  it('shows all keys after ?, from the table that they work by', async () => {
    await go('/')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    for (const words of ['Find anything', 'Reassign', 'Send', 'Approve'])
      await keys.getByText(words).first().waitFor()
    assert.deepEqual(await axe(page), [])
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
  })

  it('has the theme and the way out under the name', async () => {
    await page.getByRole('button', { name: 'maria' }).press('Enter')
    await page.getByRole('radio', { name: 'dark' }).check()
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark')
    await page.getByRole('radio', { name: 'system' }).check()
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Log out' }).waitFor({ state: 'detached' })
  })

  it('has a menu that does not move from page to page', async () => {
    const places = async () => {
      const menu = page.getByRole('navigation', { name: 'Pages', exact: true })
      // The number of open items stands in the menu as soon as it is known.
      await menu.locator('.count').waitFor()
      return menu
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => Math.round(link.getBoundingClientRect().x)))
    }
    await go('/')
    const first = await places()
    for (const path of ['/inbox', '/tasks', '/audit']) {
      await go(path)
      assert.deepEqual(await places(), first, path)
    }
  })
})

describe('on a phone', () => {
  it('has the list as its board, the active tab in sight, a live sign, and room for fingers', async () => {
    const { page: phone, faults: wrong } = await dashboard.open('/', { person: 'maria', phone: true })
    await settle(phone)
    assert.equal(await phone.locator('.column').count(), 0)
    assert.equal(await phone.locator('.tiles .tile').count(), 50)
    const sizes = await phone.evaluate(() => ({
      font: Math.min(
        ...[...document.querySelectorAll('input')].map((each) =>
          Number.parseFloat(getComputedStyle(each).fontSize),
        ),
      ),
      low: [...document.querySelectorAll('button, .top nav a, .chips a, .who a')]
        .filter((each) => each.getBoundingClientRect().height < 44)
        .map((each) => each.textContent),
      live: document.querySelector('.live')?.getBoundingClientRect().width ?? 0,
      overflow: document.documentElement.scrollWidth - innerWidth,
    }))
    assert.deepEqual({ ...sizes, live: sizes.live > 5 }, { font: 16, low: [], live: true, overflow: 0 })
    await phone.locator('.tile', { hasText: 'No access' }).click()
    await phone
      .getByRole('region', { name: /^Details of/ })
      .getByText('Blocked the vault is locked')
      .waitFor()
    await phone.goBack()
    await phone.getByRole('region', { name: /^Details of/ }).waitFor({ state: 'detached' })

    for (const path of ['/metrics', '/audit']) {
      await arrive(dashboard, phone, path)
      await until(`the tab of ${path} in sight`, async () => {
        const tab = await phone.locator('.top nav a[aria-current]').boundingBox()
        return tab && tab.x >= 0 && tab.x + tab.width <= 390
      })
    }
    assert.deepEqual(wrong, [])
  })

  it('[B17] tells by the colour of its sign that the connection is lost, and that it is back', async () => {
    const { page: phone, context } = await dashboard.open('/', { person: 'maria', phone: true })
    const sign = phone.locator('header.top .live')
    const colour = () => sign.evaluate((each) => getComputedStyle(each, '::before').backgroundColor)
    const isTold = (words: string) =>
      until(words, async () => (await sign.getAttribute('title'))?.startsWith(words))
    await isTold('live')
    const live = await colour()

    await context.setOffline(true)
    await isTold('connection lost')
    assert.notEqual(await colour(), live)
    const box = await sign.boundingBox()
    assert.ok(box && box.width > 5 && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box))

    await context.setOffline(false)
    await isTold('live')
    assert.equal(await colour(), live)
    await context.close()
  })
})
