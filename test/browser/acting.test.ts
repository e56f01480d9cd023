import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { type Dashboard, openDashboard, type Seat, settle, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
let codex: Client
let seat: Seat
let page: Page

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  await dashboard.as('claude')
  await dashboard.as('maria', 'human')
  seat = await dashboard.open('/', { person: 'maria', phone: true })
  page = seat.page
})
after(() => dashboard.close())

const get = (id: string) => planner.handoff_get({ id })
const goTo = async (id: string) => {
  await page.goto(`${dashboard.url}/handoffs/${id}`)
  await settle(page)
}
const can = () => page.getByRole('region', { name: 'What you can do' })
const pageId = () => decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)

describe('a person with a keyboard and 390 pixels', () => {
  it('sends a handoff', async () => {
    await page.goto(dashboard.url)
    await settle(page)
    await page.keyboard.press('c')
    await page.getByRole('form', { name: 'New handoff' }).waitFor()
    await page.keyboard.type('codex')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Limit the search')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Partners search too often.')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Middleware\nTests')
    await page.getByRole('button', { name: 'Send' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Limit the search' }).waitFor()

    const { handoff, package: given } = await get(pageId())
    assert.deepEqual(
      [handoff.from, handoff.to, given.summary, given.deliverables],
      ['maria', 'codex', 'Partners search too often.', ['Middleware', 'Tests']],
    )
    assert.deepEqual(seat.faults, [])
  })

  it('keeps the form of a handoff that is refused, and says why', async () => {
    await page.goto(`${dashboard.url}/new?to=no%20body`)
    await page.getByLabel('Title').fill('Lost?')
    await page.keyboard.press('Enter')

    await page
      .getByRole('alert')
      .getByText(/agent name/)
      .waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Lost?')
  })

  it('reassigns stuck work of another, and the log names the override', async () => {
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Stuck' })).handoff
    await codex.handoff_accept({ id })
    await codex.handoff_heartbeat({ id, blocked: 'no access' })
    await goTo(id)
    await page.getByText('codex is blocked; its sender planner may reassign it').waitFor()

    await can().getByRole('button', { name: 'Reassign' }).press('Enter')
    await can().getByText('planner sent it.').waitFor()
    await can().getByLabel('To').selectOption('claude')
    await can().getByRole('textbox').fill('codex has no access')
    await page.keyboard.press('Enter')

    await until('the new receiver', async () => (await get(id)).handoff.to === 'claude')
    const { timeline } = await get(id)
    assert.deepEqual([timeline.at(-1)?.act, timeline.at(-1)?.by], ['handoff.override_reassign', 'maria'])
  })

  it('cancels work of another, and sends it again', async () => {
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Twice', summary: 'All of it.' }))
      .handoff
    await goTo(id)
    await can().getByRole('button', { name: 'Cancel' }).press('Enter')
    await can().getByRole('textbox').fill('wrong one')
    await page.keyboard.press('Enter')
    await can().getByRole('button', { name: 'Send again' }).waitFor()
    assert.equal((await get(id)).handoff.state, 'cancelled')

    await can().getByRole('button', { name: 'Send again' }).press('Enter')
    await can().getByRole('button', { name: 'Send again' }).last().press('Enter')
    const next = page.getByText('it was sent again as').getByRole('link')
    await next.click()
    await page.getByText('codex must accept it').waitFor()
    assert.equal((await get(pageId())).package.summary, 'All of it.')
  })

  it('comments, and the receiver is told', async () => {
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Talk' })).handoff
    await goTo(id)
    await page.getByRole('textbox', { name: 'Comment' }).fill('The limit is in docs/limits.md')
    await page.getByRole('button', { name: 'Comment' }).press('Enter')
    await page.getByRole('list', { name: 'What was said' }).getByText('docs/limits.md').waitFor()

    const { notices } = await codex.handoff_inbox({})
    assert.ok(notices.some(({ kind }) => kind === 'commented'))
  })

  it('is offered nothing that the server would refuse', async () => {
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Not yours' })).handoff
    await goTo(id)
    const names = await can().getByRole('button').allInnerTexts()

    assert.deepEqual(names, ['Reassign', 'Cancel'])
    await codex.handoff_accept({ id })
    await codex.handoff_submit({ id, note: 'done' })
    await can().getByRole('button', { name: 'Accept as done' }).waitFor()
  })
})
