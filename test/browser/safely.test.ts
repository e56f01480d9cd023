import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { orElse } from '../../src/domain/once.ts'
import { ask, BATON, cleanEnv } from '../support/program/command.ts'
import { axe } from './axe.ts'
import { arrive, type Dashboard, intercept, openDashboard, type Seat, until } from './dashboard.ts'

const WORKFLOW = `name: release
home: package
steps:
  - id: notes
    title: Write the notes
    agent: codex
    deliverables: [The notes]
    gate: { name: go live, items: [The notes are true] }
  - { id: deploy, title: Deploy, agent: codex }
`
const DIFF = `diff --git a/src/limits.ts b/src/limits.ts
--- a/src/limits.ts
+++ b/src/limits.ts
@@ -1 +1 @@
-const limit = 10
+const limit = 20
`

let dashboard: Dashboard
let planner: Client
let codex: Client
let maria: Client
let seat: Seat
let page: Page

before(async () => {
  dashboard = await openDashboard(async ({ cwd }) => {
    spawnSync('git', ['remote', 'add', 'origin', 'git@github.com:acme/shop.git'], { cwd })
  })
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  maria = await dashboard.as('maria', 'human')
  seat = await dashboard.open('/', { person: 'maria' })
  page = seat.page
})
after(() => dashboard.close())

const cardOf = (id: string, on = page) => on.getByRole('region', { name: `Decision on ${id}`, exact: true })
const stateOf = async (id: string) => (await planner.handoff_get({ id })).handoff.state
const go = (path: string, on = page) => arrive(dashboard, on, path)
const newGate = async (title: string, more: object = {}) =>
  (await planner.handoff_send({ to: 'maria', type: 'gate', title, gate: { name: title }, ...more })).handoff
const isThere = (pid: number) => orElse(() => process.kill(pid, 0), false)
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a gate of a run', () => {
  it('is decided with its work, its checks, its files and its run on the screen', async () => {
    await planner.workflow_start({ definition: WORKFLOW })
    const { id } = (await codex.handoff_inbox({})).items[0]!
    await codex.handoff_accept({ id, understood: 'Write the notes' })
    await codex.artifact_put({ path: 'limits.diff', handoff: id, content: base64(DIFF) })
    await codex.artifact_put({
      path: 'notes.md',
      handoff: id,
      content: base64('# Notes\n\n- [x] all **true**'),
    })
    const commit = 'a'.repeat(40)
    await codex.handoff_submit({
      id,
      evidence: [
        { deliverable: 'The notes', evidence: `commit ${commit}, PR #12, see https://example.com/n.` },
      ],
    })
    const gate = await until('the gate', async () => {
      const { items } = await maria.handoff_inbox({})
      return items.find(({ type }) => type === 'gate')
    })
    const card = cardOf(gate.id)
    const work = page.getByRole('region', { name: `Work of ${id}` })
    for (const path of [`/handoffs/${gate.id}`, `/list?open=${gate.id}`, '/inbox']) {
      const late = Promise.withResolvers<void>()
      await intercept(page, `**/v1/handoffs/${id}`, async (route) => {
        await late.promise
        await route.continue()
      })
      await page.goto(dashboard.url + path)
      await page.getByText('The notes are true').first().waitFor()
      await page.getByText(`Loading ${id}`).waitFor()
      await page.keyboard.press('a')
      const approve = page.getByRole('button', { name: /^Approve/ })
      assert.deepEqual(
        [await approve.count(), await page.getByLabel('Comment (optional)').count()],
        [0, 0],
        path,
      )
      late.resolve()
      await work.getByRole('row', { name: /The notes.*provided/ }).waitFor()
      await approve.waitFor()
      await page.unroute(`**/v1/handoffs/${id}`)
    }
    const hrefs = await work
      .getByRole('row')
      .getByRole('link')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')))
    assert.deepEqual(hrefs, [
      `https://github.com/acme/shop/commit/${commit}`,
      'https://github.com/acme/shop/pull/12',
      'https://example.com/n',
    ])
    await card.getByRole('link', { name: 'step notes of its run' }).waitFor()
    await work.getByRole('listitem').filter({ hasText: 'limits.diff' }).getByRole('button').click()
    await work.locator('.diff .added', { hasText: '+const limit = 20' }).waitFor()
    await work.getByText('digest matches').waitFor()
    await work.getByRole('listitem').filter({ hasText: 'notes.md' }).getByRole('button').click()
    await work.locator('strong', { hasText: 'true' }).waitFor()
    await work.getByText('☑ all').waitFor()
    assert.deepEqual(await axe(page), [])
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    await until('the approval', async () => (await stateOf(gate.id)) === 'completed')
  })

  it('shows no bytes that have another digest than the one recorded', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Forged' })).handoff
    await codex.handoff_accept({ id })
    await codex.artifact_put({ path: 'plan.txt', handoff: id, content: base64('as agreed') })
    await intercept(page, '**/v1/artifacts/*', async (route) => {
      const answer = await (await route.fetch()).json()
      await route.fulfill({ json: { ...answer, content: base64('as forged') } })
    })
    await go(`/handoffs/${id}`)
    await page
      .getByRole('listitem')
      .filter({ hasText: 'plan.txt' })
      .getByRole('button', { name: 'Open' })
      .click()
    await page.getByText('do not have the SHA-256').waitFor()
    assert.equal(await page.getByText('as forged').count(), 0)
    await page.unroute('**/v1/artifacts/*')
  })
})

describe('a decision', () => {
  it('is refused when what is on the screen is not what is decided', async () => {
    const gate = await newGate('Old words', { summary: 'As it was.' })
    await intercept(page, '**/v1/events*', (route) => route.abort())
    await go('/inbox')
    const card = cardOf(gate.id)
    await card.getByText('As it was.').waitFor()
    await planner.handoff_comment({ id: gate.id, text: 'One more thing: the price doubles.' })
    await card.getByRole('button', { name: /^Approve/ }).click()
    await card.getByRole('textbox').fill('fine')
    await page.keyboard.press('Enter')
    await card.getByText('It changed while you were looking.').waitFor()
    assert.equal(await stateOf(gate.id), 'needs_input')
    assert.equal(await card.getByRole('textbox').inputValue(), 'fine')
    await page.unroute('**/v1/events*')
  })

  it('is told afterwards with a link, and stands under Decided today', async () => {
    const gate = await newGate('Told')
    await go('/inbox')
    await cardOf(gate.id)
      .getByRole('button', { name: /^Reject/ })
      .click()
    await page.keyboard.type('not now')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Rejected “Told”').waitFor()
    const today = page.getByRole('region', { name: 'Decided today' })
    await today.getByRole('link', { name: 'Told' }).waitFor()
    await page.getByRole('status').getByRole('link', { name: 'View' }).click()
    await page.getByRole('heading', { level: 1, name: 'Told' }).waitFor()
  })

  it('has what the person sent and is blocked, and reviews of others, beside it in the inbox', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Stuck there' })).handoff
    await codex.handoff_accept({ id })
    await codex.handoff_heartbeat({ id, blocked: 'no key' })
    const review = (await planner.handoff_send({ to: 'codex', title: 'For any reviewer' })).handoff.id
    await codex.handoff_accept({ id: review })
    await codex.handoff_submit({ id: review, note: 'done' })
    await go('/inbox')
    const also = page.getByRole('region', { name: 'Blocked, or open to any reviewer' })
    await also.getByText('Stuck there').waitFor()
    await also.getByText('For any reviewer').waitFor()
    await also.getByText('no key').waitFor()
  })
})

describe('a text that somebody writes', () => {
  it('outlives a reload, and goes when it was sent', async () => {
    const gate = await newGate('Reloaded')
    await go('/inbox')
    const field = () => cardOf(gate.id).getByRole('textbox')
    await cardOf(gate.id)
      .getByRole('button', { name: /^Reject/ })
      .click()
    await field().fill('Half a thought')
    await page.reload()
    await cardOf(gate.id)
      .getByRole('button', { name: /^Reject/ })
      .click()
    assert.equal(await field().inputValue(), 'Half a thought')
    await field().press('Enter')
    await until('the rejection', async () => (await stateOf(gate.id)) === 'rejected')
    await cardOf(gate.id).waitFor({ state: 'detached' })

    await go('/new')
    await page.getByLabel('Title').fill('Begun')
    await page.reload()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Begun')
    const kept = await page.evaluate(() => Object.keys(sessionStorage))
    assert.ok(kept.includes('baton draft maria\nnew handoff') && !kept.some((key) => key.includes(gate.id)))
    await page.getByRole('button', { name: 'maria' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Log in' }).waitFor()
    assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), [])
    seat = await dashboard.open('/', { person: 'maria' })
    page = seat.page
  })

  it('outlives a reload in every form, and is for nothing else', async () => {
    const sent = async (title: string) => (await maria.handoff_send({ to: 'codex', title })).handoff.id
    const [id, other] = [await sent('Half edited'), await sent('Not edited')]
    const runs = [1, 2].map(() => planner.workflow_start({ definition: WORKFLOW }))
    const [run, another] = (await Promise.all(runs)).map((each) => each.id)
    const opened = (name: string | RegExp) => page.getByRole('button', { name }).click()
    const within = (form: string) => page.getByRole('form', { name: form }).getByRole('textbox').last()
    const edit = async () => {
      await opened(/^Edit/)
      return within('Edit')
    }
    const cancel = async () => {
      await opened('Cancel the run')
      return within('Cancel the run')
    }
    for (const [path, field] of [
      [`/handoffs/${id}`, edit],
      ['/tasks?new=1', async () => within('New task')],
      ['/workflows?start=1', async () => within('Start a workflow')],
      [`/workflows/${run}`, cancel],
    ] as const) {
      await go(path)
      await (await field()).fill('Half a thought')
      await page.reload()
      assert.equal(await (await field()).inputValue(), 'Half a thought', path)
    }
    await go(`/workflows/${another}`)
    assert.equal(await (await cancel()).inputValue(), '')
    await go(`/handoffs/${other}`)
    assert.equal(await (await edit()).inputValue(), '')

    await maria.handoff_amend({ id, constraints: ['a whole thought'] })
    await go(`/handoffs/${id}`)
    const form = page.getByRole('form', { name: 'Edit' })
    assert.equal(await (await edit()).inputValue(), 'Half a thought')
    await form.getByRole('alert').getByText('changed meanwhile: Constraints').waitFor()
    await form.getByRole('button', { name: 'Back' }).click()
    assert.equal(await (await edit()).inputValue(), 'a whole thought')
    for (const each of [run!, another!]) await planner.workflow_cancel({ id: each, reason: 'seen' })
  })

  it('changes what travels, by keys alone', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Editable', criteria: ['a', 'a'] }))
      .handoff
    await go(`/handoffs/${id}`)
    await page.getByRole('button', { name: /^Edit/ }).waitFor()
    await page.keyboard.press('e')
    const form = page.getByRole('form', { name: 'Edit' })
    await form.getByLabel('Title').fill('Edited')
    await form.getByLabel('Conditions for done, one a line').fill('p95 under 200 ms')
    await form.getByRole('button', { name: 'Save' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Edited' }).waitFor()
    const { package: given } = await planner.handoff_get({ id })
    assert.deepEqual(given.criteria, ['p95 under 200 ms'])
    assert.deepEqual(seat.faults, [])
  })

  it('takes back nothing that somebody else has changed since the form was opened', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Edited twice', criteria: ['a'] })).handoff
    await go(`/handoffs/${id}`)
    await page.getByRole('button', { name: /^Edit/ }).click()
    const form = page.getByRole('form', { name: 'Edit' })
    const lines = form.getByLabel('Conditions for done, one a line')
    await lines.fill('a\nc')
    await maria.handoff_amend({ id, criteria: ['a', 'b'] })
    await form.getByRole('alert').getByText('changed meanwhile: Conditions for done').waitFor()
    assert.equal(await form.getByRole('button', { name: 'Save' }).isDisabled(), true)
    assert.equal(await lines.inputValue(), 'a\nc')
    const criteria = async () => (await planner.handoff_get({ id })).package.criteria
    assert.deepEqual(await criteria(), ['a', 'b'])
    await lines.fill('a')
    await form.getByLabel('Title').fill('Edited by both')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Edited by both' }).waitFor()
    assert.deepEqual(await criteria(), ['a', 'b'])
  })
})

describe('a link to the repository', () => {
  it('leads into it, whatever an agent calls its branch, its file or its commit', async () => {
    const out = '../../../../evil/shop/blob/main'
    const { id } = (
      await planner.handoff_send({
        to: 'codex',
        title: 'Look here',
        summary: `branch: feat/${out}/a.md`,
        artifacts: [
          { path: `${out}/a.md`, commit: 'main' },
          { path: 'a.md', commit: out },
        ],
      })
    ).handoff
    await go(`/handoffs/${id}`)
    const links = page.locator('main a[target=_blank]')
    await links.nth(2).waitFor()
    for (const href of await links.evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).href)))
      assert.match(href, /^https:\/\/github\.com\/acme\/shop\/(?:tree|blob)\//)
  })
})

describe('a chain of work', () => {
  it('shows the way from its root, and events in their tones', async () => {
    const part = async (by: Client, to: string, title: string, parent?: string) =>
      (await by.handoff_send({ to, title, ...(parent && { type: 'delegation', parent }) })).handoff.id
    const root = await part(planner, 'codex', 'Root')
    await codex.handoff_accept({ id: root })
    const middle = await part(codex, 'planner', 'Middle', root)
    await planner.handoff_accept({ id: middle })
    const leaf = await part(planner, 'codex', 'Leaf', middle)
    await codex.handoff_reject({ id: leaf, reason: 'not mine' })
    await go(`/handoffs/${leaf}`)
    const chain = page.getByRole('region', { name: 'Chain' }).getByRole('link')
    assert.deepEqual(await chain.allInnerTexts(), ['Root', 'Middle'])
    const tones = page.getByRole('region', { name: 'Timeline' }).locator('li.bad')
    assert.match(await tones.innerText(), /rejected by codex[\s\S]*not mine/)
  })

  it('says in the timeline why work was blocked, given back, failed, reassigned and cancelled', async () => {
    const { id } = (await maria.handoff_send({ to: 'codex', title: 'Many reasons' })).handoff
    await codex.handoff_accept({ id })
    await codex.handoff_heartbeat({ id, blocked: 'the vault is locked' })
    await codex.handoff_heartbeat({ id, blocked: false })
    await codex.handoff_submit({ id, note: 'done as asked' })
    await maria.handoff_verify({ id, pass: false, note: 'a test is missing' })
    await codex.handoff_fail({ id, message: 'the disk is full' })
    await maria.handoff_retry({ id })
    await maria.handoff_reassign({ id, to: 'planner', reason: 'codex is away' })
    await maria.handoff_cancel({ id, reason: 'no longer wanted' })
    await go(`/handoffs/${id}`)

    const events = await page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').allInnerTexts()
    const told = events.map((text) => text.replaceAll(/\s+/g, ' '))
    for (const said of [
      /^blocked by codex .*the vault is locked$/,
      /^changes requested by maria .*a test is missing$/,
      /^failed by codex .*the disk is full$/,
      /^reassigned by maria .*codex is away$/,
      /^cancelled by maria .*no longer wanted$/,
    ])
      assert.ok(
        told.some((text) => said.test(text)),
        `${said} is not in:\n${told.join('\n')}`,
      )
    assert.doesNotMatch(told.join('\n'), /done as asked/)
  })
})

describe('a connection', () => {
  it('that is silent for half a minute is lost, whatever the browser believes, and comes back', async () => {
    await page.clock.install()
    await go('/')
    await page.getByText('live', { exact: true }).waitFor()
    process.kill(dashboard.pid, 'SIGSTOP')
    try {
      await page.clock.fastForward(31_000)
      await page.getByText('connection lost').waitFor()
    } finally {
      process.kill(dashboard.pid, 'SIGCONT')
    }
    await page.getByText('live', { exact: true }).waitFor()
    seat = await dashboard.open('/', { person: 'maria' })
    page = seat.page
  })

  it('that is lost while somebody writes takes no words along, and sends nothing by itself later', async () => {
    const gate = await newGate('Offline')
    await go('/inbox')
    await cardOf(gate.id)
      .getByRole('button', { name: /^Reject/ })
      .click()
    await page.keyboard.type('Not without ')
    await seat.context.setOffline(true)
    await page.getByText('connection lost').waitFor()
    await page.keyboard.type('a test')
    await page.keyboard.press('Enter')
    await cardOf(gate.id).getByText('The server does not answer').waitFor()
    await seat.context.setOffline(false)
    await page.getByText('live', { exact: true }).waitFor()

    const field = cardOf(gate.id).getByRole('textbox')
    assert.equal(await field.inputValue(), 'Not without a test')
    assert.equal(await stateOf(gate.id), 'needs_input')
    await field.press('Enter')
    await until('the rejection', async () => (await stateOf(gate.id)) === 'rejected')
  })

  it('that ends with the server takes no words along, and they are sent when it is back', async (t) => {
    const gate = await newGate('Restarted')
    await go('/inbox')
    await cardOf(gate.id)
      .getByRole('button', { name: /^Reject/ })
      .click()
    await page.keyboard.type('Not before Monday')
    process.kill(dashboard.pid, 'SIGTERM')
    await page.getByText('connection lost').waitFor()
    // On its way down a server still answers what has reached it.
    await until('the end of the server', async () => !isThere(dashboard.pid))
    await page.keyboard.press('Enter')
    await cardOf(gate.id).getByText('The server does not answer').waitFor()
    const { port } = new URL(dashboard.url)
    const { where } = dashboard
    const again = spawn(process.execPath, [BATON, 'serve', '--port', port], {
      cwd: where.cwd,
      env: cleanEnv(where),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(async () => {
      again.kill('SIGTERM')
      if (again.exitCode === null) await once(again, 'close')
    })
    await page.getByText('live', { exact: true }).waitFor()
    const field = cardOf(gate.id).getByRole('textbox')
    assert.equal(await field.inputValue(), 'Not before Monday')
    await field.press('Enter')
    await cardOf(gate.id).waitFor({ state: 'detached' })
    const { handoff } = await ask<{ handoff: { state: string } }>(where, 'show', gate.id)
    assert.equal(handoff.state, 'rejected')
  })
})
