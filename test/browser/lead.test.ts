import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { type Dashboard, intercept, openDashboard, settle, until } from './dashboard.ts'

const WORKFLOW = 'name: brief\nhome: package\nsteps:\n  - { id: build, title: Build, agent: codex }\n'

let dashboard: Dashboard
let planner: Client
let codex: Client
let maria: Client
let page: Page

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  maria = await dashboard.as('maria', 'human')
  page = (await dashboard.open('/', { person: 'maria' })).page
})
after(() => dashboard.close())

const region = (name: string | RegExp, on = page) => on.getByRole('region', { name, exact: true })
const go = async (path: string) => {
  await page.goto(dashboard.url + path)
  await settle(page)
  await page.getByText('live', { exact: true }).waitFor()
}
const send = async (by: Client, input: Parameters<Client['handoff_send']>[0]) =>
  (await by.handoff_send(input)).handoff.id

describe('a list that is cut', () => {
  it('says in the panel of an agent and of a task how many there are, and leads to all', async () => {
    await dashboard.as('busy')
    await planner.task_create({ id: 'P1', title: 'Much to do' })
    const ids: string[] = []
    for (let i = 1; i <= 12; i++)
      ids.push(await send(planner, { to: 'busy', title: `Part ${i}`, task: 'P1' }))
    for (const [path, panel] of [
      ['/agents?open=busy', 'Agent busy'],
      ['/tasks?open=P1', 'Task P1'],
    ] as const) {
      await go(path)
      await region(panel).getByText('10 of 12.').waitFor()
      await region(panel).getByRole('link', { name: 'Show all' }).click()
      await page.getByRole('heading', { level: 1, name: 'List' }).waitFor()
      await page.getByText('Part 1', { exact: true }).waitFor()
      assert.equal(await page.locator('#content [data-id]').count(), 12, path)
    }
    for (const id of ids) await planner.handoff_cancel({ id })
  })

  it('says so in the inbox beside what may be moved, and leads to all', async () => {
    const ids: string[] = []
    for (let i = 1; i <= 21; i++) {
      const id = await send(maria, { to: 'codex', title: `Blocked ${i}` })
      await codex.handoff_accept({ id })
      await codex.handoff_heartbeat({ id, blocked: 'no key' })
      ids.push(id)
    }
    await go('/inbox')
    await page.getByText('The newest 20 of more.').waitFor()
    await page.getByRole('link', { name: 'blocked that you sent' }).click()
    await page.getByText('Blocked 1', { exact: true }).waitFor()
    assert.equal(await page.locator('#content [data-id]').count(), 21)
    for (const id of ids) await maria.handoff_cancel({ id })
    await go('/inbox')
    assert.equal(await page.getByText('The newest 20 of more.').count(), 0)
  })

  it('says in a timeline that it shows the first events, and leads to the log', async () => {
    const id = await send(maria, { to: 'codex', title: 'Much said' })
    for (let i = 1; i <= 200; i++) await maria.handoff_comment({ id, text: `Word ${i}` })
    await go(`/handoffs/${id}`)
    const timeline = region('Timeline')
    await timeline.getByText('The first 200 events.').waitFor()
    await timeline.getByRole('link', { name: 'Show all in the log' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    await region('Entries').getByRole('link', { name: id }).first().waitFor()
    await maria.handoff_cancel({ id })
  })

  it('has pages of audit sessions', async () => {
    await codex.audit_session_start({})
    await intercept(page, '**/v1/audit/sessions?*', async (route) => {
      const answer = await (await route.fetch()).json()
      const isFirst = !new URL(route.request().url()).searchParams.has('cursor')
      await route.fulfill({ json: isFirst ? { ...answer, next: answer.items[0].id } : { items: [] } })
    })
    await go('/audit')
    const sessions = region('Audit sessions')
    await sessions.getByRole('button', { name: 'Verify' }).waitFor()
    await sessions.getByRole('button', { name: 'Next page' }).click()
    await until('the older', async () => (await sessions.getByRole('listitem').count()) === 0)
    await sessions.getByRole('button', { name: 'First page' }).click()
    await sessions.getByRole('button', { name: 'Verify' }).waitFor()
    await page.unroute('**/v1/audit/sessions?*')
  })
})

describe('the keys j and k', () => {
  it('lead through tasks, agents and runs, open one, and go on to the next beside it', async () => {
    await planner.task_create({ id: 'K1', title: 'First of two' })
    await planner.task_create({ id: 'K2', title: 'Second of two' })
    const runs: string[] = []
    for (let i = 0; i < 2; i++) runs.unshift((await planner.workflow_start({ definition: WORKFLOW })).id)
    for (const [path, kind, isOpen] of [
      ['/tasks', 'Task', (id: string) => page.url().endsWith(`open=${id}`)],
      ['/agents', 'Agent', (id: string) => page.url().endsWith(`open=${id}`)],
      ['/workflows', 'Run', (id: string) => page.url().endsWith(`/workflows/${id}`)],
    ] as const) {
      await go(path)
      const entries = page.locator('#content [data-id]')
      await entries.nth(1).waitFor()
      const [first, second] = await entries.evaluateAll((all) =>
        all.map((each) => (each as HTMLElement).dataset.id!),
      )
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await region(`${kind} ${first}`).waitFor()
      await page.keyboard.press('j')
      await region(`${kind} ${second}`).waitFor()
      assert.ok(isOpen(second!), page.url())
      await page.keyboard.press('k')
      await region(`${kind} ${first}`).waitFor()
      await page.keyboard.press('j')
      await region(`${kind} ${second}`).waitFor()
      await page.keyboard.press('Escape')
      await until(`the focus on ${second}`, () =>
        page.evaluate((id) => (document.activeElement as HTMLElement).dataset.id === id, second),
      )
    }
    for (const id of runs) await planner.workflow_cancel({ id, reason: 'seen' })
  })
})

describe('what happens next', () => {
  const next = (text: RegExp) => page.locator('.next', { hasText: text }).waitFor()
  const gate = (title: string, silence?: object) =>
    send(planner, {
      to: 'maria',
      type: 'gate',
      title,
      gate: { name: title },
      ...(silence && { silence }),
    } as never)

  it('names who is awaited, until when, and what a missing answer leads to', async () => {
    await dashboard.as('anna', 'human')
    for (const [silence, text] of [
      [undefined, /maria must decide; then planner goes on\. There is no time limit\./],
      [{ policy: 'expire', after_s: 90_000 }, /Without an answer it expires in 1 day|tomorrow/],
      [
        { policy: 'escalate', after_s: 9_000, to: 'anna' },
        /Without an answer anna may decide too in 2 hours\./,
      ],
      [
        { policy: 'reassign', after_s: 9_000, to: 'anna' },
        /Without an answer it is reassigned to anna in 2 hours\./,
      ],
    ] as const) {
      const id = await gate(`Silent ${silence?.policy}`, silence)
      await go(`/handoffs/${id}`)
      await next(text)
      await maria.gate_decide({ id, choice: 'approve' })
    }
  })

  it('is told of a question and of a review', async () => {
    const id = await send(maria, { to: 'codex', title: 'Asked and reviewed' })
    await codex.handoff_accept({ id })
    await codex.handoff_ask({ id, question: 'Which one?' })
    await go(`/handoffs/${id}`)
    await next(/maria must answer; then codex goes on\. There is no time limit\./)
    await maria.handoff_answer({ id, text: 'The first' })
    await codex.handoff_submit({ id, note: 'done' })
    await next(/maria accepts it as done, or requests changes from codex\. There is no time limit\./)
    await maria.handoff_verify({ id, pass: false, note: 'a test is missing' })
    await page.getByText('Changes requested by maria', { exact: true }).waitFor()
    await region('Timeline').getByText('changes requested', { exact: true }).waitFor()
    await maria.handoff_cancel({ id })
  })
})

describe('an answer', () => {
  it('is not sent before the question is on the screen', async () => {
    const id = await send(maria, { to: 'codex', title: 'Asked late' })
    await codex.handoff_accept({ id })
    await codex.handoff_ask({ id, question: 'Which of the two?' })
    const late = Promise.withResolvers<void>()
    await intercept(page, `**/v1/handoffs/${id}`, async (route) => {
      await late.promise
      await route.continue()
    })
    await page.goto(`${dashboard.url}/inbox`)
    const card = region(`Question about ${id}`)
    await card.getByLabel('Your answer').fill('The first')
    await card.getByLabel('Your answer').press('Enter')
    assert.equal(await card.getByRole('button', { name: 'Answer' }).isDisabled(), true)
    late.resolve()
    await card.getByText('Which of the two?').waitFor()
    await page.unroute(`**/v1/handoffs/${id}`)
    await card.getByLabel('Your answer').press('Enter')
    await card.waitFor({ state: 'detached' })
    assert.equal((await planner.handoff_get({ id })).thread.at(-1)?.text, 'The first')
    await maria.handoff_cancel({ id })
  })
})

describe('a search for the log', () => {
  it('leads to the audit and logs nobody out, before and after the results are there', async () => {
    await send(planner, { to: 'codex', title: 'Rotate the log files' })
    for (const wait of [false, true]) {
      await go('/')
      await page.keyboard.press('Control+k')
      await page.keyboard.type('log')
      if (wait) await page.getByRole('option', { name: /Rotate the log files/ }).waitFor()
      assert.match(await page.getByRole('option').first().innerText(), /^Audit/)
      assert.equal(await page.getByRole('option').last().innerText(), 'Log out')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    }
    await page.keyboard.press('Control+k')
    await page.keyboard.type('out')
    await page.keyboard.press('Enter')
    await until('an answer', async () => (await page.getByText('Searching …').count()) === 0)
    assert.equal(await page.getByRole('button', { name: 'Log in' }).count(), 0)
    await page.keyboard.press('Escape')
  })
})

describe('the end of a session', () => {
  it('in another tab is told by the stream of events, and a login there by coming back', async () => {
    const { page: mine, context } = await dashboard.open('/new', { person: 'maria' })
    await mine.getByText('live', { exact: true }).waitFor()
    await mine.getByLabel('Title').fill('Half a thought')
    const other = await context.newPage()
    await other.goto(`${dashboard.url}/`)
    await other.getByRole('button', { name: 'maria' }).click()
    await other.getByRole('button', { name: 'Log out' }).click()
    await other.getByRole('button', { name: 'Log in' }).waitFor()
    const over = mine.getByRole('dialog', { name: 'Your session has ended' })
    const id = await send(planner, { to: 'codex', title: 'News for the stream' })
    await until('the end of the session', async () => {
      // The server looks at a session again when there is something to tell.
      await planner.handoff_comment({ id, text: 'Something new' })
      await new Promise((resolve) => setTimeout(resolve, 300))
      return (await over.count()) === 1
    })
    await other.goto(await dashboard.link('maria'))
    await other.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
    await mine.evaluate(() => dispatchEvent(new Event('focus')))
    await over.waitFor({ state: 'detached' })
    assert.equal(await mine.getByLabel('Title').inputValue(), 'Half a thought')
    await context.close()
  })
})

describe('an instant', () => {
  it('is told as people say it, with the local time and the exact one when pointed at', async () => {
    const { handoff } = await planner.handoff_send({ to: 'codex', title: 'Dated' })
    await go(`/handoffs/${handoff.id}`)
    const time = page.locator(`time[datetime="${handoff.updated_at}"]`).first()
    await time.waitFor()
    const title = (await time.getAttribute('title')) ?? ''
    const local = await page.evaluate(
      (at) =>
        new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' }).format(new Date(at)),
      handoff.updated_at,
    )
    assert.equal(title, `${local} (${handoff.updated_at})`)
    assert.match(await time.innerText(), /just now|minute/)
  })
})

describe('a card that keys are not for', () => {
  it('takes a long press of the pointer on its button', async () => {
    const gates = ['Near', 'Far'].map((title) => ({
      to: 'maria',
      type: 'gate' as const,
      title,
      gate: { name: title },
    }))
    const [near, far] = [await send(planner, gates[0]!), await send(planner, gates[1]!)]
    await go('/inbox')
    const card = region(`Decision on ${far}`)
    await card.waitFor()
    assert.doesNotMatch((await card.getAttribute('class')) ?? '', /active/)
    const reject = card.getByRole('button', { name: /^Reject/ })
    await reject.hover()
    await page.mouse.down()
    await new Promise((resolve) => setTimeout(resolve, 400))
    await page.mouse.up()
    assert.equal(await reject.getAttribute('aria-pressed'), 'true')
    await card.getByRole('textbox').waitFor()
    for (const id of [near, far]) await planner.handoff_cancel({ id })
  })
})

describe('a table on a phone', () => {
  it('cuts no column, and names each beside its value', async () => {
    await planner.task_create({ id: 'N1', title: 'A task with quite a long title for a phone' })
    const run = (await planner.workflow_start({ definition: WORKFLOW })).id
    const { page: phone, context } = await dashboard.open('/', { person: 'maria', phone: true })
    for (const [path, label] of [
      ['/tasks', 'All tasks, as a table'],
      ['/agents', 'Agents as a table'],
      ['/workflows', 'Runs as a table'],
      [`/workflows/${run}`, 'Steps as a table'],
      ['/audit', 'Entries'],
    ] as const) {
      await phone.goto(dashboard.url + path)
      const table = region(label, phone)
      await table.getByRole('row').nth(1).waitFor()
      assert.equal(await table.evaluate((box) => box.scrollWidth - box.clientWidth), 0, path)
      const cell = table.locator('td:nth-child(2)').first()
      const named = await cell.evaluate((each) => getComputedStyle(each, '::before').content)
      assert.match(named, /Status|Assigned|State|Agent|What/, path)
    }
    await context.close()
    await planner.workflow_cancel({ id: run, reason: 'seen' })
  })
})
