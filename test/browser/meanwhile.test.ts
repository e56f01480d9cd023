import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { type Dashboard, ME, openDashboard, type Seat, until } from './dashboard.ts'

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
  seat = await dashboard.open('/')
  page = seat.page
})
after(() => dashboard.close())

const newGate = async (title: string): Promise<string> =>
  (await planner.handoff_send({ to: 'human', type: 'gate', title, gate: { name: title } })).handoff.id
const cardOf = (id: string) => page.getByRole('region', { name: `Decision on ${id}`, exact: true })
const button = (id: string, name: string | RegExp) => cardOf(id).getByRole('button', { name })
const stateOf = async (id: string) => (await planner.handoff_get({ id })).handoff.state
const decideElsewhere = (id: string) => maria.gate_decide({ id, choice: 'approve', comment: 'fine with me' })

describe('whoever is at work on a card that is decided elsewhere', () => {
  let [first, second] = ['', '']

  beforeEach(async () => {
    for (const { id } of (await maria.handoff_inbox({ limit: 100 })).items) await decideElsewhere(id)
    first = await newGate('first')
    second = await newGate('second: production deploy')
    await page.goto(`${dashboard.url}/inbox`)
    await page.getByText('live', { exact: true }).waitFor()
    await cardOf(second).waitFor()
  })

  it('keeps card, cursor and words, is told by whom, and approves nothing else by typing on', async () => {
    await button(first, /^Reject/).click()
    await page.keyboard.type('I do not think this is ')
    await decideElsewhere(first)
    await page.getByText('approved by maria').waitFor()
    await page.keyboard.type('a good idea at all, please rework it')
    await page.keyboard.press('Enter')

    const field = cardOf(first).getByRole('textbox')
    assert.equal(await field.inputValue(), 'I do not think this is a good idea at all, please rework it')
    assert.equal(await field.evaluate((each) => each === document.activeElement), true)
    assert.equal(await button(first, /^Send/).isDisabled(), true)
    assert.equal(await cardOf(second).getByRole('textbox').count(), 0)
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['completed', 'needs_input'])
    await button(first, 'Put away').click()
    await cardOf(first).waitFor({ state: 'detached' })
    assert.deepEqual(seat.faults, [])
  })

  it('keeps a card that has a draft while another has the cursor, and one with the cursor on a button', async () => {
    const third = await newGate('third')
    await button(first, /^Ask/).click()
    await page.keyboard.type('Which')
    await button(second, /^Reject/).focus()
    await decideElsewhere(first)
    await decideElsewhere(second)
    await decideElsewhere(third)
    await cardOf(third).waitFor({ state: 'detached' })

    await cardOf(first).getByText('approved by maria').waitFor()
    await cardOf(second).getByText('approved by maria').waitFor()
    assert.equal(await cardOf(first).getByRole('textbox').inputValue(), 'Which')
    await page.keyboard.press('Enter')
    assert.equal(await cardOf(second).getByRole('textbox').count(), 0)
  })

  it('has keys for no card when the one they were for is gone, until one is chosen', async () => {
    await until('keys for the first', async () => (await cardOf(first).locator('kbd').count()) > 0)
    await decideElsewhere(first)
    await cardOf(first).waitFor({ state: 'detached' })

    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    assert.deepEqual([await page.getByRole('textbox').count(), await stateOf(second)], [0, 'needs_input'])
    await page.keyboard.press('j')
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    await cardOf(second).waitFor({ state: 'detached' })
    assert.equal(await stateOf(second), 'completed')
  })

  it('has the keys for the next card after a decision of their own', async () => {
    await page.keyboard.press('a')
    await page.keyboard.type('yes')
    await page.keyboard.press('Enter')
    await cardOf(first).waitFor({ state: 'detached' })
    await page.keyboard.press('r')
    await page.keyboard.type('not yet')
    await page.keyboard.press('Enter')
    await cardOf(second).waitFor({ state: 'detached' })

    assert.deepEqual([await stateOf(first), await stateOf(second)], ['completed', 'rejected'])
  })

  it('types on harmlessly when the field is gone nevertheless, until they press or point at something', async () => {
    await button(first, /^Reject/).click()
    await page.keyboard.type('wro')
    await cardOf(first)
      .getByRole('textbox')
      .evaluate((field) => field.remove())
    await page.keyboard.type('nga')
    assert.equal(await cardOf(second).getByRole('textbox').count(), 0)
    assert.equal(await button(first, /^Reject/).getAttribute('aria-pressed'), 'true')
    assert.equal(new URL(page.url()).pathname, '/inbox')

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  })

  it('keeps the words of one tab when another tab decides, and when that one logs out', async () => {
    const tab = await seat.context.newPage()
    await tab.goto(`${dashboard.url}/inbox`)
    await button(first, /^Reject/).click()
    await page.keyboard.type('Not like this')
    const twin = tab.getByRole('region', { name: `Decision on ${first}`, exact: true })
    await twin.getByRole('button', { name: /^Approve/ }).click()
    await twin.getByRole('button', { name: /^Send/ }).click()
    await cardOf(first).getByText(`approved by ${ME}`).waitFor()

    assert.equal(await cardOf(first).getByRole('textbox').inputValue(), 'Not like this')
    assert.equal(await button(first, /^Send/).isDisabled(), true)
    await button(first, 'Put away').click()

    await button(second, /^Reject/).click()
    await page.keyboard.type('Half a thought')
    await tab.getByRole('button', { name: ME }).click()
    await tab.getByRole('button', { name: 'Log out' }).click()
    await tab.getByRole('button', { name: 'Log in' }).waitFor()
    await page.keyboard.press('Enter')
    const login = page.getByRole('dialog', { name: 'Your session has ended' })
    await login.waitFor()
    assert.deepEqual([await stateOf(first), await stateOf(second)], ['completed', 'needs_input'])
    const code = (await dashboard.link()).replace(/^.*#login=/, '')
    await login.getByLabel(/code or your token/).fill(code)
    await login.getByRole('button', { name: 'Log in' }).click()
    await login.waitFor({ state: 'detached' })
    const field = cardOf(second).getByRole('textbox')
    assert.equal(await field.inputValue(), 'Half a thought')
    await field.press('Enter')
    await until('the rejection', async () => (await stateOf(second)) === 'rejected')
    await tab.close()
  })

  it('keeps the words on the page of the gate as well', async () => {
    await page.goto(`${dashboard.url}/handoffs/${first}`)
    const mine = page.getByRole('region', { name: 'Your decision', exact: true })
    await mine.getByRole('button', { name: /^Reject/ }).click()
    await page.keyboard.type('because of g')
    await decideElsewhere(first)
    await mine.getByText('approved by maria').waitFor()
    await page.keyboard.type('ba')

    assert.equal(await mine.getByRole('textbox').inputValue(), 'because of gba')
    assert.equal(new URL(page.url()).pathname, `/handoffs/${first}`)
    await mine.getByRole('button', { name: 'Put away' }).click()
    await mine.waitFor({ state: 'detached' })
  })
})

describe('whoever writes something that is no longer wanted', () => {
  it('keeps an answer that another gave', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Speed up the search' })).handoff
    await codex.handoff_accept({ id })
    await codex.handoff_ask({ id, question: 'How fast?' })
    const { page: hers } = await dashboard.open('/inbox', { person: 'maria' })
    const card = hers.getByRole('region', { name: `Question about ${id}` })

    await card.getByRole('textbox').fill('100 ms')
    await maria.handoff_answer({ id, text: '200 ms' })
    await card.getByText('answered by maria').waitFor()

    assert.equal(await card.getByRole('textbox').inputValue(), '100 ms')
    assert.equal(await card.getByRole('button', { name: 'Answer' }).isDisabled(), true)
    await card.getByRole('button', { name: 'Put away' }).click()
    await card.waitFor({ state: 'detached' })
  })

  it('keeps a reason when the handoff has ended', async () => {
    const { id } = (await planner.handoff_send({ to: 'maria', title: 'Read the contract' })).handoff
    const { page: hers } = await dashboard.open(`/handoffs/${id}`, { person: 'maria' })
    const can = hers.getByRole('region', { name: 'What you can do' })

    await can.getByRole('button', { name: 'Reject' }).click()
    await hers.keyboard.type('not ')
    await planner.handoff_cancel({ id, reason: 'signed already' })
    await hers.locator('header .badge', { hasText: 'cancelled' }).waitFor()
    await hers.keyboard.type('mine')

    assert.equal(await can.getByRole('textbox').inputValue(), 'not mine')
  })

  it('keeps a reason when the run has ended', async () => {
    const definition = 'name: brief\nhome: package\nsteps:\n  - { id: build, title: Build, agent: codex }\n'
    const { id } = await planner.workflow_start({ definition })
    await page.goto(`${dashboard.url}/workflows/${id}`)
    const can = page.getByRole('region', { name: 'What you can do' })

    await can.getByRole('button', { name: 'Cancel the run' }).click()
    await page.keyboard.type('too ')
    await planner.workflow_cancel({ id, reason: 'not needed' })
    await page
      .getByRole('region', { name: `Run ${id}` })
      .getByText('cancelled', { exact: true })
      .first()
      .waitFor()
    await page.keyboard.type('late')

    assert.equal(await can.getByRole('textbox').inputValue(), 'too late')
  })
})
