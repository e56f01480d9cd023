import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { ask } from '../support/program/command.ts'
import { type Dashboard, intercept, openDashboard, type Seat, settle, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
let codex: Client
let maria: Client
let seat: Seat
let page: Page

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  maria = await dashboard.as('maria', 'human')
  seat = await dashboard.open('/', { person: 'maria' })
  page = seat.page
})
after(() => dashboard.close())

const POINTS = Array.from({ length: 30 }, (_, i) => `Point ${i + 1} holds`)

async function newGate(
  title: string,
  points: readonly string[] = [],
  summary = '',
  more: object = {},
): Promise<string> {
  const { handoff } = await planner.handoff_send({
    to: 'maria',
    type: 'gate',
    title,
    gate: { name: title },
    ...(summary && { summary }),
    ...(points.length > 0 && { validation_request: { items: [...points] } }),
    ...more,
  })
  return handoff.id
}
const cardOf = (id: string, on = page) => on.getByRole('region', { name: `Decision on ${id}`, exact: true })
const stateOf = async (id: string) => (await planner.handoff_get({ id })).handoff.state
const goTo = async (path: string) => {
  await page.goto(dashboard.url + path)
  await settle(page)
  await page.getByText('live', { exact: true }).waitFor()
}

describe('a decision', () => {
  it('waits until all that it is about is on the screen', async () => {
    const short = await newGate('A short one')
    const long = await newGate('A long one', POINTS, `${'Many words. '.repeat(60)}The end.`)
    await goTo('/inbox')

    const card = cardOf(long)
    await card.getByRole('heading', { name: 'The first 20 points to validate' }).waitFor()
    assert.equal(await card.getByRole('button', { name: /^Approve/ }).count(), 0)
    assert.match(await card.innerText(), /…/)
    await card.getByRole('button', { name: 'Show all of it' }).click()
    await card.getByRole('heading', { name: '30 points to validate' }).waitFor()
    await card.getByText('Point 30 holds').waitFor()
    await card.getByText('The end.').waitFor()
    const approve = card.getByRole('button', { name: /^Approve/ })
    await approve.hover()
    await page.mouse.down()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await page.mouse.up()
    assert.equal(await approve.getAttribute('aria-pressed'), 'true')
    for (const id of [short, long]) await maria.gate_decide({ id, choice: 'approve' })
  })

  it('stands below its points, checks and conversation on its page and in its panel, on a phone too', async () => {
    const id = await newGate('On its page', POINTS, '', {
      checks: [{ kind: 'file_exists', path: 'docs/never.md' }],
    })
    await planner.handoff_comment({ id, text: 'The price doubles.' })
    for (const [path, phone] of [
      [`/handoffs/${id}`, false],
      [`/handoffs/${id}`, true],
      [`/list?open=${id}`, false],
    ] as const) {
      const { page: own } = await dashboard.open(path, { person: 'maria', phone })
      const approve = own
        .getByRole('region', { name: 'Your decision' })
        .getByRole('button', { name: /^Approve/ })
      for (const text of ['Point 30 holds', 'docs/never.md exists', 'The price doubles.']) {
        const [button, said] = await Promise.all(
          [approve, own.getByText(text).first()].map((each) => each.boundingBox()),
        )
        assert.ok(button!.y > said!.y, `the button at ${button!.y} is above ${text} on ${path}`)
      }
      await own.context().close()
    }
    await maria.gate_decide({ id, choice: 'approve' })
  })

  it('is shown with the words of its sender for an answer, and without those that every answer has', async () => {
    const options = { approve: 'Continue with next step', reject: 'We wait for June' }
    const { id } = (
      await planner.handoff_send({
        ...{ to: 'maria', type: 'gate', title: 'In own words', gate: { name: 'words' } },
        validation_request: { items: ['It holds'], options },
      })
    ).handoff
    for (const path of ['/inbox', `/handoffs/${id}`]) {
      await goTo(path)
      await page.getByText('Reject: We wait for June').waitFor()
      assert.equal(await page.getByText('Continue with next step').count(), 0, path)
    }
    await maria.gate_decide({ id, choice: 'approve' })
  })

  it('and an answer are not offered to a token that may not give them', async () => {
    const gate = await newGate('Only to be read')
    const { id: asked } = (await maria.handoff_send({ to: 'codex', title: 'Asked about' })).handoff
    await codex.handoff_accept({ id: asked })
    await codex.handoff_ask({ id: asked, question: 'Which one?' })
    const { page: own } = await dashboard.open('/', { person: 'maria' })
    const approve = own.getByRole('button', { name: /^Approve/ })
    const answer = own.getByLabel('Your answer')
    for (const scopes of [['*'], ['gate:write', 'handoff:read'], ['handoff:read', 'handoff:write']]) {
      await own.unrouteAll()
      await intercept(own, '**/v1/whoami', async (route) => {
        const told = await (await route.fetch()).json()
        await route.fulfill({ json: { ...told, scopes } })
      })
      const may = (scope: string) => scopes.includes('*') || scopes.includes(scope)
      for (const [path, offered, scope] of [
        [`/handoffs/${gate}`, approve, 'gate:write'],
        ['/inbox', approve, 'gate:write'],
        [`/handoffs/${asked}`, answer, 'handoff:write'],
        ['/inbox', answer, 'handoff:write'],
      ] as const) {
        await own.goto(dashboard.url + path)
        await settle(own)
        await own.getByText(path === '/inbox' ? 'Which one?' : 'live', { exact: true }).waitFor()
        assert.equal((await offered.count()) > 0, may(scope), `${path} with ${scopes.join()}`)
      }
      await own.goto(`${dashboard.url}/handoffs/${gate}`)
      await settle(own)
      await own.keyboard.press('a')
      assert.equal(
        await own.getByRole('textbox', { name: 'Comment (optional)' }).count(),
        may('gate:write') ? 1 : 0,
      )
    }
    await maria.gate_decide({ id: gate, choice: 'approve' })
    await maria.handoff_cancel({ id: asked, reason: 'seen' })
  })

  it('has its title below the header when a key leads to it', async () => {
    const ids: string[] = []
    for (const at of [1, 2, 3]) ids.push(await newGate(`Tall ${at}`, POINTS.slice(0, 19)))
    await goTo('/inbox')
    await cardOf(ids[0]!).waitFor()
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key)

    const second = page.locator('.card.active', { hasText: 'Tall 2' })
    await until('the second card below the header', async () => {
      const [header, card] = [await page.locator('header.top').boundingBox(), await second.boundingBox()]
      return header && card && card.y >= header.y + header.height && card.y < 800
    })
  })
})

describe('an end of the session', () => {
  it('takes nothing away that was written, and is told in plain words', async () => {
    const id = await newGate('Written for long')
    const other = await dashboard.open('/inbox', { person: 'maria' })
    await cardOf(id, other.page)
      .getByRole('button', { name: /^Reject/ })
      .click()
    await other.page.keyboard.type('Not before the tests pass')
    await other.page.context().clearCookies()
    await other.page.keyboard.press('Enter')

    const login = other.page.getByRole('dialog', { name: 'Your session has ended' })
    await login.waitFor()
    assert.equal(await stateOf(id), 'needs_input')
    const code = (await dashboard.link('maria')).replace(/^.*#login=/, '')
    await login.getByLabel(/code or your token/).fill(code)
    await login.getByRole('button', { name: 'Log in' }).click()
    await login.waitFor({ state: 'detached' })

    const field = cardOf(id, other.page).getByRole('textbox')
    assert.equal(await field.inputValue(), 'Not before the tests pass')
    await field.press('Enter')
    await until('the rejection', async () => (await stateOf(id)) === 'rejected')
    assert.deepEqual(other.faults, [])
  })

  it('shows another person nothing of the one before', async () => {
    const id = await newGate('For maria alone')
    const other = await dashboard.open('/inbox', { person: 'maria' })
    await cardOf(id, other.page).waitFor()
    await other.page.context().clearCookies()
    await other.page.reload()
    await other.page.getByRole('button', { name: 'Log in' }).waitFor()
    assert.equal(await other.page.getByText('For maria alone').count(), 0)
  })

  it('shows the next person nothing of the one before, whose link is opened in the same tab', async () => {
    await dashboard.as('anna', 'human')
    const id = await newGate('For maria again')
    const other = await dashboard.open('/inbox', { person: 'maria' })
    await cardOf(id, other.page).waitFor()
    const hash = new URL(await dashboard.link('anna')).hash
    // Only what the page has kept can be shown.
    await intercept(other.page, '**/v1/**', (route) =>
      /whoami|session/.test(route.request().url()) ? route.continue() : route.abort(),
    )
    await other.page.evaluate((to) => location.assign(to), hash)
    await other.page.getByText('anna').first().waitFor()
    assert.equal(await other.page.getByText('For maria again').count(), 0)
  })
})

describe('a page whose code could not be loaded', () => {
  it('is shown when the server is back', async () => {
    const other = await dashboard.open('/', { person: 'maria' })
    await other.page.getByText('live', { exact: true }).waitFor()
    await other.context.setOffline(true)
    await other.page.getByText('connection lost').waitFor()
    await other.page.getByRole('link', { name: 'Audit' }).click()
    await other.page.getByRole('alert').getByText('The server does not answer.').waitFor()
    assert.doesNotMatch(await other.page.getByRole('main').innerText(), /upgrade/)

    await other.context.setOffline(false)
    await other.page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  })
})

describe('find', () => {
  it('opens what was typed, however slow the server is', async () => {
    await planner.handoff_send({ to: 'codex', title: 'Refactor the search' })
    const wanted = (await planner.handoff_send({ to: 'codex', title: 'Onboarding mail' })).handoff.id
    await goTo('/')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Refactor')
    await page.getByRole('option', { name: /Refactor the search/ }).waitFor()
    await intercept(page, /\/v1\/handoffs/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      await route.continue()
    })

    await page.getByRole('dialog').getByRole('combobox').fill('Onboarding')
    await page.keyboard.press('Enter')
    await until('the page', async () => new URL(page.url()).pathname !== '/')
    await page.unroute(/\/v1\/handoffs/)
    assert.equal(new URL(page.url()).pathname, `/handoffs/${wanted}`)
  })
})

describe('the page of a handoff', () => {
  it('says that nothing was described where only deliverables are wanted', async () => {
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Bare', deliverables: ['a file'] }))
      .handoff
    await goTo(`/handoffs/${id}`)

    await page.getByRole('region', { name: 'Package' }).getByText('No description.').waitFor()
  })

  it('offers no acceptance while a check fails, and says which', async () => {
    const { id } = (
      await maria.handoff_send({
        to: 'codex',
        title: 'Checked',
        deliverables: ['x'],
        checks: [{ kind: 'file_exists', path: 'src/never.ts' }],
      })
    ).handoff
    await codex.handoff_accept({ id })
    await ask(dashboard.where, 'submit', id, '--as', 'codex', '--evidence', 'x=x')
    await goTo(`/handoffs/${id}`)

    const can = page.getByRole('region', { name: 'What you can do' })
    assert.equal(await can.getByRole('button', { name: 'Accept as done' }).isDisabled(), true)
    await can.getByText(/src\/never\.ts/).waitFor()
    assert.match(
      (await can.getByRole('button', { name: 'Request changes' }).getAttribute('class')) ?? '',
      /main/,
    )
  })
})
