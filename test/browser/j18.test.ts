import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { type Dashboard, openDashboard, settle, until } from './dashboard.ts'

const WORKFLOW = `name: release
home: package
steps:
  - id: notes
    title: Write the limits
    agent: codex
    gate: { name: go live, items: [The limits are right] }
`
const DIFF = '--- a/limits.ts\n+++ b/limits.ts\n@@ -1 +1 @@\n-const limit = 10\n+const limit = 20\n'

let dashboard: Dashboard
let planner: Client
let codex: Client
let maria: Client
let page: Page
let faults: readonly string[]

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  await dashboard.as('claude')
  maria = await dashboard.as('maria', 'human')
  ;({ page, faults } = await dashboard.open('/', { person: 'maria' }))
})
after(() => dashboard.close())

const get = async (id: string) => (await planner.handoff_get({ id })).handoff
const press = (...keys: readonly string[]) =>
  keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
const heading = (name: string) => page.getByRole('heading', { level: 1, name })
const can = () => page.getByRole('region', { name: 'What you can do' })
const openPage = async (id: string) => {
  await page.goto(`${dashboard.url}/handoffs/${id}`)
  await settle(page)
}

describe('[J18] a lead’s day in the dashboard', () => {
  it('goes by keys alone: send, reassign, find, decide with the diff open, send again', async () => {
    await settle(page)
    await press('c')
    await page.getByRole('form', { name: 'New handoff' }).waitFor()
    for (const text of ['codex', 'Limit the search', 'Partners search too often.', 'Middleware\nTests']) {
      await page.keyboard.insertText(text)
      await press('Tab')
    }
    await page.getByRole('button', { name: 'Send' }).press('Enter')
    await heading('Limit the search').waitFor()
    const sent = page.url().split('/').at(-1)!
    assert.deepEqual((await planner.handoff_get({ id: sent })).package.deliverables, ['Middleware', 'Tests'])

    const blocked = (await maria.handoff_send({ to: 'codex', title: 'Translate the mails' })).handoff.id
    await codex.handoff_accept({ id: blocked })
    await codex.handoff_heartbeat({ id: blocked, blocked: 'no access to the templates' })
    await press('g', 'b')
    await page.getByRole('link', { name: 'Stuck', exact: true }).press('Enter')
    await page.getByText('no access to the templates').waitFor()
    await press('j', 'Enter')
    await page.getByRole('button', { name: /^Reassign/ }).waitFor()
    await press('t')
    await can().getByLabel('To').selectOption('claude')
    await can().getByRole('textbox').press('Enter')
    await until('claude', async () => (await get(blocked)).to === 'claude')
    await press('Escape')

    const found = (
      await planner.handoff_send({ to: 'codex', title: 'Limits', context: 'A token bucket for each key.' })
    ).handoff.id
    await press('/')
    await page.keyboard.type('token bucket')
    await page.getByRole('option', { name: /token bucket for each key/ }).waitFor()
    await press('Enter')
    await until('its page', async () => page.url().endsWith(`/handoffs/${found}`))

    await planner.workflow_start({ definition: WORKFLOW })
    const work = (await codex.handoff_inbox({})).items.find(({ title }) => title === 'Write the limits')!.id
    await codex.handoff_accept({ id: work, understood: 'Write the limits' })
    const content = Buffer.from(DIFF).toString('base64')
    await codex.artifact_put({ path: 'limits.diff', handoff: work, content })
    await codex.handoff_submit({ id: work, note: 'As agreed.' })
    const gate = await until('the gate', async () =>
      (await maria.handoff_inbox({})).items.find(({ type }) => type === 'gate'),
    )
    await press('g', 'i')
    const card = page.getByRole('region', { name: `Decision on ${gate.id}` })
    await card.getByRole('button', { name: 'Open' }).press('Enter')
    await card.locator('.diff .added', { hasText: '+const limit = 20' }).waitFor()
    await press('a')
    await card.getByRole('textbox').press('Enter')
    await until('the approval', async () => (await get(gate.id)).state === 'completed')
    assert.deepEqual(faults, [])
  })

  it('sends an expired one again with s', async () => {
    const silence = { policy: 'expire' as const, after_s: 1 }
    const input = { to: 'anna', type: 'gate' as const, title: 'Too late', gate: { name: 'late' }, silence }
    const { id } = (await maria.handoff_send(input)).handoff
    await until('the end', async () => (await get(id)).state === 'expired')
    await openPage(id)
    await can()
      .getByRole('button', { name: /^Send again/ })
      .waitFor()
    await press('s')
    await can().getByRole('form').getByRole('button', { name: 'Send again' }).press('Enter')
    await page.getByText('it was sent again as').waitFor()
  })

  it('answers a question on a phone in two taps', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Speed up the search' })).handoff
    await codex.handoff_accept({ id })
    await codex.handoff_ask({ id, question: 'Is 200 ms enough?' })
    const { page: phone, context } = await dashboard.open('/inbox', { person: 'maria', phone: true })
    const card = phone.getByRole('region', { name: `Question about ${id}` })
    await card.getByText('Is 200 ms enough?').waitFor()
    await card.getByLabel('Your answer').click()
    await phone.keyboard.type('Yes.')
    await card.getByRole('button', { name: 'Answer' }).click()
    await until('the answer', async () => (await get(id)).state === 'in_progress')
    await context.close()
  })
})

describe('the keys of a handoff', () => {
  const started = async (title: string) => {
    const { id } = (await maria.handoff_send({ to: 'codex', title })).handoff
    await codex.handoff_accept({ id })
    return id
  }

  it('accept with y', async () => {
    const { id } = (await planner.handoff_send({ to: 'maria', title: 'For a person' })).handoff
    await openPage(id)
    await can()
      .getByRole('button', { name: /^Accept/ })
      .waitFor()
    await press('y')
    await can().getByRole('form').getByRole('button', { name: 'Accept' }).press('Enter')
    await until('the acceptance', async () => (await get(id)).holder === 'maria')
  })

  it('request changes with x, accept as done with v, and comment with m', async () => {
    const id = await started('Judged by keys')
    await codex.handoff_submit({ id, note: 'done' })
    await openPage(id)
    await can()
      .getByRole('button', { name: /^Request changes/ })
      .waitFor()
    await press('x')
    await can().getByRole('textbox').fill('a test is missing')
    await press('Enter')
    await until('the work again', async () => (await get(id)).state === 'in_progress')
    await can()
      .getByRole('button', { name: /^Request changes/ })
      .first()
      .waitFor({ state: 'detached' })
    await codex.handoff_submit({ id, note: 'with a test' })
    await can()
      .getByRole('button', { name: /^Accept as done/ })
      .waitFor()
    await press('v')
    await can().getByRole('form').getByRole('textbox').press('Enter')
    await until('the end', async () => (await get(id)).state === 'completed')
    await can().getByRole('form').waitFor({ state: 'detached' })
    await press('m')
    await page.keyboard.type('Thank you')
    assert.equal(await page.getByRole('textbox', { name: 'Comment' }).inputValue(), 'Thank you')
  })

  it('leave the field alone that was gone to while a judgement was on its way', async () => {
    const id = await started('Commented meanwhile')
    await codex.handoff_submit({ id, note: 'done' })
    await openPage(id)
    await can()
      .getByRole('button', { name: /^Accept as done/ })
      .focus()
    const late = Promise.withResolvers<void>()
    const verify = /\/v1\/handoffs\/[^/]+\/verify$/
    await page.route(verify, (route) => late.promise.then(() => route.continue()))
    await press('Enter')
    await can().getByRole('form').getByRole('textbox').press('Enter')
    const comment = page.getByRole('textbox', { name: 'Comment' })
    await comment.focus()
    await page.keyboard.type('Thank')
    late.resolve()
    await can().getByRole('form').waitFor({ state: 'detached' })
    await page.keyboard.type(' you')
    assert.equal(await comment.inputValue(), 'Thank you')
    await page.unroute(verify)
  })

  it('lead from a question to the next with j, and to its answer with a', async () => {
    const ids: string[] = []
    for (const title of ['First asked', 'Second asked']) {
      const id = await started(title)
      await codex.handoff_ask({ id, question: `${title}?` })
      ids.push(id)
    }
    await page.goto(`${dashboard.url}/inbox`)
    await settle(page)
    await page.getByText('Second asked?', { exact: true }).waitFor()
    await press('j', 'a')
    await page.keyboard.type('The second')
    await press('Enter')
    await until('the answer', async () => (await get(ids[1]!)).state === 'in_progress')
    assert.equal((await get(ids[0]!)).state, 'needs_input')
  })

  it('lead to the answer with a and to a comment with m, on the page of a question and in its panel', async () => {
    for (const [title, path] of [
      ['Asked on its page', '/handoffs/'],
      ['Asked in its panel', '/list?open='],
    ] as const) {
      const id = await started(title)
      await codex.handoff_ask({ id, question: `${title}?` })
      await page.goto(dashboard.url + path + id)
      await settle(page)
      const question = page.getByRole('region', { name: 'A question for you' })
      await question.getByText(`${title}?`, { exact: true }).waitFor()
      await press('a')
      await page.keyboard.type('The first')
      await press('Enter')
      await until('the answer', async () => (await get(id)).state === 'in_progress')
      await question.waitFor({ state: 'detached' })
      await press('m')
      await page.keyboard.type('Go on')
      assert.equal(await page.getByRole('textbox', { name: 'Comment' }).inputValue(), 'Go on', path)
    }
  })
})
