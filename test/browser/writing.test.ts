import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { type Dashboard, openDashboard, type Seat } from './dashboard.ts'

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

const newGate = async (title: string): Promise<string> =>
  (await planner.handoff_send({ to: 'maria', type: 'gate', title, gate: { name: title } })).handoff.id
const cardOf = (id: string) => page.getByRole('region', { name: `Decision on ${id}`, exact: true })

/** Letters that are chosen from candidates: Enter takes one of these and Escape drops them, before either means more. */
async function compose(text: string): Promise<void> {
  const keyboard = await seat.context.newCDPSession(page)
  const size = text.length
  await keyboard.send('Input.imeSetComposition', { text, selectionStart: size, selectionEnd: size })
}

/** Without the line that the key makes here, where nothing that composes letters takes it away. */
const written = async (field: Locator): Promise<string> => (await field.inputValue()).trim()

describe('whoever writes with composed letters', () => {
  it('sends no decision with the Enter that takes a candidate', async () => {
    const id = await newGate('Composed')
    await page.goto(`${dashboard.url}/inbox`)
    await cardOf(id)
      .getByRole('button', { name: /^Reject/ })
      .click()

    await compose('だめ')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.insertText('だめです')

    assert.equal(await written(cardOf(id).getByRole('textbox')), 'だめです')
    assert.equal((await planner.handoff_get({ id })).handoff.state, 'needs_input')
    await page.keyboard.press('Enter')
    await cardOf(id).waitFor({ state: 'detached' })
    assert.equal((await planner.handoff_get({ id })).gate_response?.comment, 'だめです')
  })

  it('sends no answer, closes no form and goes nowhere either', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Speed up the search' })).handoff
    await codex.handoff_accept({ id })
    await codex.handoff_ask({ id, question: 'How fast?' })
    await page.goto(`${dashboard.url}/handoffs/${id}`)

    await page.getByRole('textbox', { name: 'Your answer' }).focus()
    await compose('はやく')
    await page.keyboard.press('Enter')
    await page.keyboard.insertText('はやく')
    assert.equal((await planner.handoff_get({ id })).handoff.state, 'needs_input')
    assert.equal(await written(page.getByRole('textbox', { name: 'Your answer' })), 'はやく')

    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await compose('もう')
    await page.keyboard.press('Escape')
    await page.keyboard.insertText('もういい')
    assert.equal(await page.getByRole('textbox', { name: 'Why' }).inputValue(), 'もういい')
    await page.keyboard.press('Control+k')
    await compose('b')
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('combobox').count(), 1)
    assert.equal(new URL(page.url()).pathname, `/handoffs/${id}`)
  })
})

describe('what is written for one answer', () => {
  it('is not sent with another, and is there again when the first is chosen again', async () => {
    const id = await newGate('Two minds')
    await page.goto(`${dashboard.url}/inbox`)
    const choose = (name: RegExp) => cardOf(id).getByRole('button', { name }).click()
    const field = cardOf(id).getByRole('textbox')

    await choose(/^Reject/)
    await field.fill('This is nonsense.')
    await page.keyboard.press('Escape')
    await choose(/^Ask/)
    assert.equal(await field.inputValue(), '')
    await field.fill('Which limits?')
    await choose(/^Reject/)
    assert.equal(await field.inputValue(), 'This is nonsense.')
    await choose(/^Ask/)
    await page.keyboard.press('Enter')
    await cardOf(id).waitFor({ state: 'detached' })

    assert.equal((await planner.handoff_get({ id })).gate_response?.comment, 'Which limits?')
  })
})
