import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { arrive, type Dashboard, openDashboard, type Seat, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
let codex: Client
let maria: Client

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  maria = await dashboard.as('maria', 'human')
  await dashboard.as('claude')
})
after(() => dashboard.close())

/** A hand of the person: fingers on a phone, or keys alone. */
interface Hand {
  readonly page: Page
  readonly go: (path: string) => Promise<void>
  readonly press: (what: Locator) => Promise<void>
  readonly write: (where: Locator, text: string) => Promise<void>
  readonly choose: (where: Locator, text: string) => Promise<void>
}

const MOST_TABS = 150

/** Goes with Tab, as somebody without a pointer does. */
async function tabTo(page: Page, what: Locator): Promise<void> {
  await what.waitFor()
  for (let i = 0; i < MOST_TABS; i++) {
    if (await what.evaluate((each) => each === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${MOST_TABS} times Tab does not lead to ${what}`)
}

const HANDS: Readonly<
  Record<string, { readonly phone: boolean; readonly hand: (page: Page) => Omit<Hand, 'page' | 'go'> }>
> = {
  'at 390 pixels': {
    phone: true,
    hand: () => ({
      press: (what) => what.click(),
      write: (where, text) => where.fill(text),
      choose: async (where, text) => void (await where.selectOption(text)),
    }),
  },
  'with the keyboard alone': {
    phone: false,
    hand: (page) => ({
      press: async (what) => {
        await tabTo(page, what)
        await page.keyboard.press('Enter')
      },
      write: async (where, text) => {
        await tabTo(page, where)
        await page.keyboard.press('Control+A')
        await page.keyboard.type(text)
      },
      choose: async (where, text) => {
        await tabTo(page, where)
        // The names come from the server.
        await where.locator('option', { hasText: text }).waitFor({ state: 'attached' })
        await page.keyboard.type(text)
      },
    }),
  },
}

const stateOf = async (id: string) => (await planner.handoff_get({ id })).handoff.state
const send = async (by: Client, input: Parameters<Client['handoff_send']>[0]) =>
  (await by.handoff_send(input)).handoff.id
const pageOf = (id: string) => `/handoffs/${id}`
const can = (page: Page) => page.getByRole('region', { name: 'What you can do' })

/** The work of a person, row by row. */
const ROWS: Readonly<Record<string, (hand: Hand) => Promise<void>>> = {
  'finds what waits and approves it': async ({ page, go, press }) => {
    const id = await send(planner, { to: 'maria', type: 'gate', title: 'Ready?', gate: { name: 'g' } })
    await go('/')
    await press(page.getByRole('link', { name: /^Inbox/ }))
    const card = page.getByRole('region', { name: `Decision on ${id}` })
    await press(card.getByRole('button', { name: /^Approve/ }))
    await press(card.getByRole('button', { name: /^Send/ }))
    await until('the approval', async () => (await stateOf(id)) === 'completed')
  },
  'answers a question': async ({ page, go, press, write }) => {
    const id = await send(maria, { to: 'codex', title: 'Faster' })
    await codex.handoff_accept({ id })
    await codex.handoff_ask({ id, question: 'How fast?' })
    await go('/inbox')
    const card = page.getByRole('region', { name: `Question about ${id}` })
    await write(card.getByRole('textbox'), '100 ms')
    await press(card.getByRole('button', { name: 'Answer' }))
    await until('the answer', async () => (await stateOf(id)) === 'in_progress')
  },
  'verifies work by its evidence': async ({ page, go, press }) => {
    const id = await send(planner, { to: 'codex', title: 'Evident', deliverables: ['x'] })
    await codex.handoff_accept({ id })
    await codex.handoff_submit({ id, evidence: [{ deliverable: 'x', evidence: 'see x.md' }] })
    await go(pageOf(id))
    await page.getByRole('row', { name: /x see x\.md provided/ }).waitFor()
    await press(can(page).getByRole('button', { name: 'Accept as done' }))
    await press(can(page).getByRole('form').getByRole('button', { name: 'Accept as done' }))
    await until('the end', async () => (await stateOf(id)) === 'completed')
  },
  'reassigns stuck work, and sees why it was stuck': async ({ page, go, press, choose }) => {
    const id = await send(planner, { to: 'codex', title: 'Locked' })
    await codex.handoff_accept({ id })
    await codex.handoff_heartbeat({ id, blocked: 'no key' })
    await go(pageOf(id))
    await page.getByText('no key').first().waitFor()
    await press(can(page).getByRole('button', { name: 'Reassign' }))
    await choose(can(page).getByLabel('To'), 'claude')
    await press(can(page).getByRole('form').getByRole('button', { name: 'Reassign' }))
    await until('claude', async () => (await planner.handoff_get({ id })).handoff.to === 'claude')
    await planner.handoff_cancel({ id })
  },
  'sends a handoff, edits it and cancels it': async ({ page, go, press, write }) => {
    await go('/')
    await press(page.getByRole('link', { name: /^New/ }))
    await write(page.getByLabel('To', { exact: true }), 'codex')
    await write(page.getByLabel('Title'), 'Made by hand')
    await press(page.getByRole('button', { name: 'Send' }))
    await page.getByRole('heading', { level: 1, name: 'Made by hand' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    await press(can(page).getByRole('button', { name: /^Edit/ }))
    await write(page.getByRole('form', { name: 'Edit' }).getByLabel('Description'), 'In short.')
    await press(page.getByRole('button', { name: 'Save' }))
    await until('the text', async () => (await planner.handoff_get({ id })).package.summary === 'In short.')
    await press(can(page).getByRole('button', { name: 'Cancel' }))
    await write(can(page).getByRole('textbox'), 'not needed')
    await press(can(page).getByRole('form').getByRole('button', { name: 'Cancel' }))
    await until('the end', async () => (await stateOf(id)) === 'cancelled')
  },
  'finds by words of the package, and a task by its id': async ({ page, go, press, write }) => {
    const id = await send(planner, { to: 'codex', title: 'Hidden', summary: 'A leaky funnel.' })
    await planner.task_create({ id: 'T-7', title: 'Gateway', depends_on: [] }).catch(() => undefined)
    await go('/list')
    await write(page.getByRole('searchbox'), 'leaky funnel')
    await press(page.locator(`[data-id="${id}"]`))
    await page
      .getByRole('region', { name: `Details of ${id}` })
      .getByText('A leaky funnel.')
      .waitFor()
    await press(page.getByRole('button', { name: /^Close/ }))
    await press(page.getByRole('button', { name: /^Find/ }))
    await page.keyboard.type('T-7')
    await page.getByRole('option', { name: /Gateway/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/tasks?open=T-7')
    await planner.handoff_cancel({ id })
  },
  'follows a chain to its root': async ({ page, go, press }) => {
    const root = await send(planner, { to: 'codex', title: 'Root' })
    await codex.handoff_accept({ id: root })
    const leaf = await send(codex, { to: 'claude', title: 'Leaf', type: 'delegation', parent: root })
    await go(pageOf(leaf))
    await press(page.getByRole('region', { name: 'Chain' }).getByRole('link', { name: /^Root/ }))
    await page.getByRole('heading', { level: 1, name: 'Root' }).waitFor()
    await press(page.getByRole('region', { name: 'Chain' }).getByRole('link', { name: /^Leaf/ }))
    await page.getByRole('heading', { level: 1, name: 'Leaf' }).waitFor()
    await planner.handoff_cancel({ id: root })
  },
  'sees why work failed, and sends it again': async ({ page, go, press }) => {
    const id = await send(maria, { to: 'codex', title: 'Broken' })
    await codex.handoff_accept({ id })
    await codex.handoff_fail({ id, message: 'the disk is full' })
    await go(pageOf(id))
    await page.getByText('the disk is full').first().waitFor()
    await press(can(page).getByRole('button', { name: /^Try again/ }))
    await press(can(page).getByRole('form').getByRole('button', { name: 'Try again' }))
    await until('the offer', async () => (await stateOf(id)) === 'offered')
    await maria.handoff_cancel({ id })
  },
  'comments, and opens a file': async ({ page, go, press, write }) => {
    const id = await send(maria, { to: 'codex', title: 'Talk' })
    await codex.handoff_accept({ id })
    await codex.artifact_put({
      path: 'a.txt',
      handoff: id,
      content: Buffer.from('inside').toString('base64'),
    })
    await go(pageOf(id))
    await press(page.getByRole('button', { name: 'Open' }))
    await page.getByText('inside', { exact: true }).waitFor()
    await write(page.getByRole('textbox', { name: 'Comment' }), 'See docs')
    await press(page.getByRole('button', { name: 'Comment' }))
    await page.getByRole('list', { name: 'What was said' }).getByText('See docs').waitFor()
    await maria.handoff_cancel({ id })
  },
}

for (const [how, { phone, hand }] of Object.entries(HANDS))
  describe(`a person ${how}`, () => {
    let seat: Seat
    before(async () => {
      seat = await dashboard.open('/', { person: 'maria', phone })
    })
    for (const [what, row] of Object.entries(ROWS))
      it(what, async () => {
        const { page } = seat
        await row({ page, go: (path) => arrive(dashboard, page, path), ...hand(page) })
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
        assert.deepEqual(seat.faults, [])
      })
  })
