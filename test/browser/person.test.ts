import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { arrive, type Dashboard, openDashboard, type Seat, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
let codex: Client
let maria: Client

const WORKFLOW = `name: release
home: package
steps:
  - { id: notes, title: Write the notes, agent: codex, gate: { name: go live } }
`
const BRITTLE = `name: brittle
home: package
steps:
  - { id: build, title: Build, agent: codex }
`
const DIFF = `diff --git a/limit.ts b/limit.ts
--- a/limit.ts
+++ b/limit.ts
@@ -1 +1 @@
-const limit = 10
+const limit = 20
`
const COMMIT = 'a'.repeat(40)
const ON_THE_WEB = 'https://github.com/acme/shop'

before(async () => {
  dashboard = await openDashboard(async ({ cwd }) => {
    spawnSync('git', ['remote', 'add', 'origin', `${ON_THE_WEB}.git`], { cwd })
  })
  planner = await dashboard.as('planner')
  codex = await dashboard.as('codex')
  maria = await dashboard.as('maria', 'human')
  await dashboard.as('claude')
  await dashboard.as('gemini')
})
after(() => dashboard.close())

/** A hand of the person: fingers on a phone, or keys alone. */
interface Hand {
  readonly page: Page
  readonly go: (path: string) => Promise<void>
  readonly press: (what: Locator) => Promise<void>
  readonly write: (where: Locator, text: string) => Promise<void>
  readonly choose: (where: Locator, text: string) => Promise<void>
  /** Takes one of the results that are offered below a field. */
  readonly take: (option: Locator) => Promise<void>
  /** Goes there without following it, as one does before a link that leads out of the page. */
  readonly reach: (link: Locator) => Promise<void>
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
      take: (option) => option.click(),
      reach: (link) => link.click({ trial: true }),
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
      take: async (option) => {
        await option.waitFor()
        for (let i = 0; (await option.getAttribute('aria-selected')) !== 'true'; i++) {
          assert.ok(i < MOST_TABS, `${MOST_TABS} times ArrowDown does not lead to ${option}`)
          await page.keyboard.press('ArrowDown')
        }
        await page.keyboard.press('Enter')
      },
      reach: (link) => tabTo(page, link),
    }),
  },
}

const stateOf = async (id: string) => (await planner.handoff_get({ id })).handoff.state
const send = async (by: Client, input: Parameters<Client['handoff_send']>[0]) =>
  (await by.handoff_send(input)).handoff.id
const pageOf = (id: string) => `/handoffs/${id}`
const can = (page: Page) => page.getByRole('region', { name: 'What you can do' })
const base64 = (text: string) => Buffer.from(text).toString('base64')
/** The handoff that is open for the one step of a run. */
const stepOf = async (run: string): Promise<string> =>
  (await planner.workflow_status({ id: run })).steps[0]?.handoff ?? assert.fail('it has none')

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
  'rejects a gate, and finds what was decided': async ({ page, go, press, write }) => {
    const id = await send(planner, { to: 'maria', type: 'gate', title: 'Too early?', gate: { name: 'n' } })
    await go('/inbox')
    const card = page.getByRole('region', { name: `Decision on ${id}` })
    await press(card.getByRole('button', { name: /^Reject/ }))
    await write(card.getByRole('textbox'), 'not before Monday')
    await press(card.getByRole('button', { name: /^Send/ }))
    await until('the rejection', async () => (await stateOf(id)) === 'rejected')
    const decided = page.getByRole('region', { name: 'Decided today' })
    await press(decided.getByRole('listitem').filter({ hasText: id }).getByRole('link'))
    await page.getByText('not before Monday').first().waitFor()
  },
  'knows what a gate is about: its work, its file, its step and its run': async ({ page, go, press }) => {
    const run = (await planner.workflow_start({ definition: WORKFLOW })).id
    const id = await stepOf(run)
    await codex.handoff_accept({ id, understood: 'Write the notes' })
    await codex.artifact_put({ path: 'notes.txt', handoff: id, content: base64('Limits are live.') })
    await codex.handoff_submit({ id, note: 'in two paragraphs' })
    await go('/inbox')
    const card = page.getByRole('region', { name: `Decision on ${id}.gate` })
    await card.getByText('in two paragraphs', { exact: true }).waitFor()
    await press(card.getByRole('button', { name: 'Open', exact: true }))
    await card.getByText('Limits are live.').waitFor()
    await press(card.getByRole('link', { name: 'step notes of its run' }))
    await page.getByRole('region', { name: `Run ${run}` }).waitFor()
    await planner.workflow_cancel({ id: run, reason: 'seen' })
  },
  'finds what is blocked, and what any reviewer may verify': async ({ page, go, press }) => {
    const blocked = await send(maria, { to: 'codex', title: 'Stuck there' })
    await codex.handoff_accept({ id: blocked })
    await codex.handoff_heartbeat({ id: blocked, blocked: 'no key' })
    const review = await send(planner, { to: 'codex', title: 'For a reviewer' })
    await codex.handoff_accept({ id: review })
    await codex.handoff_submit({ id: review, note: 'done' })
    for (const [id, shown] of [
      [blocked, 'Stuck there'],
      [review, 'For a reviewer'],
    ] as const) {
      await go('/inbox')
      const also = page.getByRole('region', { name: 'Blocked, or open to any reviewer' })
      await press(also.getByRole('link', { name: new RegExp(id) }))
      await page.getByRole('heading', { level: 1, name: shown }).waitFor()
    }
    await maria.handoff_cancel({ id: blocked })
    await planner.handoff_verify({ id: review, pass: true })
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
  'finds by words of the package, and a task by its id': async ({ page, go, press, write, take }) => {
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
    await take(page.getByRole('option', { name: /Gateway/ }))
    await page.waitForURL('**/tasks?open=T-7')
    await planner.handoff_cancel({ id })
  },
  'finds an agent and a run': async ({ page, go, press, take }) => {
    const run = (await planner.workflow_start({ definition: BRITTLE })).id
    await go('/')
    for (const [words, option, path] of [
      ['codex', /^agent.*codex/, '/list'],
      [run, new RegExp(`^run.*${run}`), `/workflows/${run}`],
    ] as const) {
      await press(page.getByRole('button', { name: /^Find/ }))
      await page.keyboard.type(words)
      await take(page.getByRole('option', { name: option }))
      await until(path, async () => new URL(page.url()).pathname === path)
      await go('/')
    }
    await planner.workflow_cancel({ id: run, reason: 'found' })
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
    await page.getByText('Next: nothing by itself; maria or a person may send it again.').waitFor()
    await press(can(page).getByRole('button', { name: /^Try again/ }))
    await press(can(page).getByRole('form').getByRole('button', { name: 'Try again' }))
    await until('the offer', async () => (await stateOf(id)) === 'offered')
    await maria.handoff_cancel({ id })
  },
  'sees why a run failed, and resumes it': async ({ page, go, press }) => {
    const run = (await planner.workflow_start({ definition: BRITTLE })).id
    await codex.handoff_accept({ id: await stepOf(run), understood: { task: 'Build' } })
    await codex.handoff_fail({ id: await stepOf(run), code: 'NO_COMPILER', message: 'no compiler here' })
    await go('/workflows')
    await press(page.getByRole('row', { name: new RegExp(run) }).getByRole('link'))
    await page.getByText('Failed: no compiler here').waitFor()
    await press(can(page).getByRole('button', { name: 'Resume' }))
    await press(can(page).getByRole('form').getByRole('button', { name: 'Resume' }))
    await until('the second try', async () => (await stateOf(await stepOf(run))) === 'offered')
    await planner.workflow_cancel({ id: run, reason: 'resumed' })
  },
  'sees who is overloaded, and with what': async ({ page, go, press }) => {
    const work: string[] = []
    await maria.agent_add({ name: 'gemini', max_incoming: 5 })
    for (const title of ['First load', 'Second load']) work.push(await send(planner, { to: 'gemini', title }))
    await maria.agent_add({ name: 'gemini', max_incoming: 1 })
    await go('/agents')
    const row = page.getByRole('region', { name: 'Agents as a table' }).getByRole('row', { name: /^gemini / })
    await row.getByText('over limit').waitFor()
    await press(row.getByRole('link', { name: 'gemini', exact: true }))
    await press(page.getByRole('region', { name: 'Agent gemini' }).getByRole('link', { name: /First load/ }))
    await page.getByRole('heading', { level: 1, name: 'First load' }).waitFor()
    for (const id of work) await planner.handoff_cancel({ id })
  },
  'sees branch, commit and change of the work': async ({ page, go, press, reach }) => {
    const id = await send(maria, { to: 'codex', title: 'Changed', deliverables: ['limit'] })
    await codex.handoff_accept({ id })
    await codex.artifact_put({ path: 'limit.diff', handoff: id, content: base64(DIFF) })
    const evidence = `branch: feat/limit, commit ${COMMIT}, PR #12`
    await codex.handoff_submit({ id, evidence: [{ deliverable: 'limit', evidence }] })
    await go(pageOf(id))
    const row = page.getByRole('row', { name: /^limit branch/ })
    for (const [name, at] of [
      ['feat/limit', 'tree/feat/limit'],
      [COMMIT, `commit/${COMMIT}`],
      ['#12', 'pull/12'],
    ] as const) {
      const link = row.getByRole('link', { name, exact: true })
      await reach(link)
      assert.equal(await link.getAttribute('href'), `${ON_THE_WEB}/${at}`)
    }
    await press(page.getByRole('listitem').filter({ hasText: 'limit.diff' }).getByRole('button'))
    await page.locator('.diff .added', { hasText: '+const limit = 20' }).waitFor()
    await maria.handoff_verify({ id, pass: true })
  },
  'sees the branch and the commit of a task': async ({ page, go, press, reach }) => {
    const id = `R-${(await planner.task_list({ ref: 'R-' })).items.length + 1}`
    await planner.task_create({ id, title: 'Recorded', criteria: ['fast', 'fast'] })
    await codex.task_start({ id })
    const tests_run = ['npm test']
    await codex.thought_record({
      ...{ task_id: id, branch: 'feat/limit', commit_sha: COMMIT, tests_run, files_changed: ['limit.ts'] },
      ...{
        summary: 'A token bucket for each key, with two numbers.',
        blockers: [],
        related_thought_records: [],
      },
    })
    await go('/tasks')
    await press(page.getByRole('region', { name: 'All tasks' }).getByRole('link', { name: id, exact: true }))
    const panel = page.getByRole('region', { name: `Task ${id}` })
    for (const [name, at] of [
      ['feat/limit', 'tree/feat/limit'],
      [COMMIT.slice(0, 12), `commit/${COMMIT}`],
    ] as const) {
      const link = panel.getByRole('link', { name, exact: true })
      await reach(link)
      assert.equal(await link.getAttribute('href'), `${ON_THE_WEB}/${at}`)
    }
    await panel.getByText('npm test').waitFor()
  },
  'comments, and opens a file': async ({ page, go, press, write }) => {
    const id = await send(maria, { to: 'codex', title: 'Talk' })
    await codex.handoff_accept({ id })
    await codex.artifact_put({
      path: 'a.txt',
      handoff: id,
      content: base64('inside'),
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
