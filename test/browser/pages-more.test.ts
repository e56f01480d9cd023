import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { axe } from './axe.ts'
import { arrive, type Dashboard, intercept, ME, openDashboard, until } from './dashboard.ts'

const PLAN = [
  { id: 'P1', title: 'Choose the algorithm', depends_on: [] },
  { id: 'P2', title: 'Token bucket', depends_on: ['P1'] },
  { id: 'P3', title: 'Settings page', depends_on: ['P1'] },
  { id: 'P4', title: 'Middleware', depends_on: ['P2'] },
  { id: 'P5', title: 'Release', depends_on: ['P3', 'P4'] },
]
const WORKFLOW = `name: release
home: package
steps:
  - id: notes
    title: Write the notes
    agent: codex
    gate: { name: go live, items: [The notes are true] }
  - parallel:
      - { id: deploy, title: Deploy, agent: codex }
      - { id: announce, title: Announce, agent: planner }
`
const BRITTLE = `name: brittle
home: package
steps:
  - { id: build, title: Build, agent: codex }
`

let dashboard: Dashboard
let planner: Client
let codex: Client

before(async () => {
  dashboard = await openDashboard()
})
after(() => dashboard.close())

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

describe('the pages of an empty workspace', () => {
  it('say what would make something appear', async () => {
    const { page, faults } = await dashboard.open('/tasks')
    const shows = {
      '/tasks': 'baton task create',
      '/workflows': 'baton workflow start phases',
      '/metrics': 'Nothing was handed over in the last week.',
    }

    for (const [path, text] of Object.entries(shows)) {
      await arrive(dashboard, page, path)
      await page.getByRole('main').getByText(text).first().waitFor()
    }

    assert.deepEqual(faults, [])
  })

  it('lead to a first handoff by keys, to connecting an agent, and to the demo', async () => {
    for (const phone of [false, true]) {
      const { page, faults } = await dashboard.open('/', { phone })
      await page.getByRole('heading', { name: 'No handoffs yet' }).waitFor()
      for (const command of ['baton setup claude-code', 'baton demo'])
        await page.getByRole('main').getByText(command, { exact: true }).waitFor()
      assert.deepEqual(await axe(page), [])
      await page.getByRole('link', { name: 'Send the first handoff' }).press('Enter')
      await page.getByRole('form', { name: 'New handoff' }).waitFor()
      assert.deepEqual(faults, [])
    }
  })

  it('say that it failed and try again when asked', async () => {
    const { page } = await dashboard.open('/')
    // When events begin, all is read again by itself.
    await intercept(page, '**/v1/events*', (route) => route.abort())
    await intercept(page, '**/v1/task-plan*', (route) =>
      route.fulfill({ status: 403, json: { detail: 'No.' } }),
    )
    await page.goto(`${dashboard.url}/tasks`)
    await page.getByRole('alert').getByText('No.').waitFor()

    await page.unroute('**/v1/task-plan*')
    await page.getByRole('button', { name: 'Try again' }).click()

    await page.getByText('No tasks yet.').waitFor()
  })
})

describe('the pages of a team at work', () => {
  before(async () => {
    planner = await dashboard.as('planner')
    codex = await dashboard.as('codex')
    for (const task of PLAN) await planner.task_create(task)
    const send = async (title: string) => (await planner.handoff_send({ to: 'codex', title })).handoff.id
    const done = await send('Draw the plan')
    await codex.handoff_accept({ id: done })
    await codex.handoff_submit({ id: done, note: 'drawn' })
    await planner.handoff_verify({ id: done, pass: true })
    await codex.handoff_reject({ id: await send('Ask the lawyers'), reason: 'That is for a person' })
    await send('Count the endpoints')
    await codex.handoff_send({ to: 'planner', title: 'Which plan is meant?' })
    const documents = [{ path: 'reports/unit.md', text: REPORT }]
    await codex.document_collect({ documents })
    await planner.workflow_start({ definition: WORKFLOW })
  })

  it('[S3-103] show what needs what, what is ready and the critical path, and follow the work', async () => {
    const { page, faults } = await dashboard.open('/tasks')
    const path = region(page, 'Critical path').getByRole('listitem')
    await region(page, 'Ready now').getByText('P1', { exact: true }).waitFor()
    assert.deepEqual(await path.allTextContents(), [
      'P1 Choose the algorithm',
      'P2 Token bucket',
      'P4 Middleware',
      'P5 Release',
    ])
    const node = (name: RegExp) => region(page, 'Dependencies').getByRole('link', { name })
    assert.equal(await node(/^Choose the algorithm P1 · ready, on the critical path$/).count(), 1)
    assert.equal(await node(/^Settings page P3 · waits$/).count(), 1)

    await codex.task_start({ id: 'P1' })
    await node(/^Choose the algorithm P1 · in progress/).waitFor()
    await codex.thought_record(record('P1'))
    await codex.task_update({ task_id: 'P1', status: 'done' })

    await node(/^Token bucket P2 · ready, on the critical path$/).waitFor()
    await node(/^Settings page P3 · ready$/).waitFor()
    assert.deepEqual(await region(page, 'Ready now').getByRole('link').allTextContents(), ['P2', 'P3'])
    assert.deepEqual(faults, [])
  })

  it('[B6] draw a plan with what can be begun in sight, however far to the right', async () => {
    const { page } = await dashboard.open('/', { phone: true })
    await arrive(dashboard, page, '/tasks?done=1')
    const [room, node] = [
      page.locator('.picture .scroll'),
      page.getByRole('link', { name: /^Token bucket P2/ }),
    ]
    assert.ok(await room.evaluate((each) => each.scrollWidth > 2 * each.clientWidth))
    await until('it in sight', async () => {
      const [frame, box] = [await room.boundingBox(), await node.boundingBox()]
      return frame && box && box.x >= frame.x && box.x + box.width <= frame.x + frame.width
    })
  })

  it('[B6] draw a plan that is a little wider than its room smaller, with all of it in sight', async () => {
    const { page } = await dashboard.open('/')
    await arrive(dashboard, page, '/tasks?done=1')
    const room = page.locator('.picture .scroll')
    const [whole, wide] = await room.evaluate((each) => [
      Number(each.querySelector('svg')?.getAttribute('width')),
      each.clientWidth,
    ])
    const width = Math.round(1280 - wide! + 0.9 * whole!)
    await page.setViewportSize({ width, height: 800 })
    const [drawn, hidden] = await room.evaluate((each) => [
      each.querySelector('svg')!.getBoundingClientRect().width,
      each.scrollWidth - each.clientWidth,
    ])
    assert.equal(hidden, 0, `${hidden} px are out of sight`)
    assert.ok(drawn! < 0.95 * whole!, `${drawn} of ${whole} px`)
  })

  it('lead by keys from the picture to a task with its records, and keep that in the address', async () => {
    const { page } = await dashboard.open('/tasks')
    await region(page, 'Dependencies')
      .getByRole('link', { name: /^Choose the algorithm/ })
      .focus()

    await page.keyboard.press('Enter')

    await region(page, 'Task P1').getByText('A token bucket for each key').waitFor()
    assert.equal(new URL(page.url()).search, '?open=P1')
    await page.getByRole('button', { name: 'Close: Task P1' }).click()
    await until('the address without it', async () => new URL(page.url()).search === '')
  })

  it('show who holds how much of what is allowed, who fails how often, and who hands to whom', async () => {
    const { page, faults } = await dashboard.open('/agents')
    const table = region(page, 'Agents as a table')
    await table.getByRole('row', { name: /^codex\s+2, no limit\s+HO-2026-\d+.*\s0\s/ }).waitFor()
    await table.getByRole('link', { name: 'codex', exact: true }).click()
    const panel = region(page, 'Agent codex')
    await until('its numbers', async () =>
      /completed\s+1\s+failed\s+0 · 0%\s+rejected\s+1\b/.test(await panel.innerText()),
    )
    assert.match(await panel.innerText(), /Assigned\s+2, no limit\s+Sent, open\s+1, no limit/)
    assert.equal(new URL(page.url()).search, '?open=codex')
    await page.keyboard.press('Escape')
    await until('the panel gone', async () => (await panel.count()) === 0)
    await page.getByText('Numbers').click()
    await region(page, 'Handoff flow').getByRole('row').nth(1).waitFor()
    const rows = await page.getByRole('row').allInnerTexts()
    assert.ok(
      rows.some((row) => /^planner\s+codex\s+4\s+1\s+0\s+1\s+0%$/.test(row)),
      rows.join('\n'),
    )
    const picture = region(page, 'Handoff flow')
    assert.equal(await picture.getByRole('link', { name: 'planner 4 sent' }).count(), 1)
    await picture.getByRole('link', { name: 'codex 1 sent' }).click()
    await page.getByText('Which plan is meant?').waitFor()
    assert.deepEqual([new URL(page.url()).search, faults], ['?from=codex', []])
  })

  it('[S2-77] draw what happened through time with the same numbers in a table, and what agents measured', async () => {
    const { page, faults } = await dashboard.open('/metrics?window=1h')
    const chart = region(page, 'Outcomes')

    await chart.getByRole('img', { name: 'Handoffs that ended: 1 completed, 0 failed, 1 rejected' }).waitFor()
    await chart.getByText('Numbers').click()
    await until('the numbers', async () =>
      /\s1\s+0\s+1$/m.test((await chart.getByRole('table').innerText()).trim()),
    )
    const measured = region(page, 'Reported by agents')
    await measured.getByRole('cell', { name: '142' }).first().waitFor()
    await page.goto(`${dashboard.url}/metrics?window=30d`)
    await measured.getByText('Through time, codex').click()
    const trend = region(page, 'coverage through time')
    await trend.getByRole('img', { name: 'coverage through time' }).waitFor()
    await trend.getByText('Numbers').click()
    await trend.getByRole('cell', { name: '91%' }).waitFor()
    await page.goto(`${dashboard.url}/metrics?window=1h`)
    await page.getByRole('radio', { name: 'hour' }).focus()
    await page.keyboard.press('ArrowRight')
    await until('the day in the address', async () => new URL(page.url()).search === '?window=1d')
    assert.deepEqual(faults, [])
  })

  it('[S4-62] draw a run as it stands and follow it through its gate', async () => {
    const { page, faults } = await dashboard.open('/workflows')
    const { page: other } = await dashboard.open('/inbox')
    const node = (name: string | RegExp) => page.getByRole('link', { name })
    await page.getByRole('link', { name: 'release' }).click()
    await page.getByRole('cell', { name: 'go live: not reached' }).waitFor()
    const [{ id = '' } = {}] = (await codex.handoff_inbox({})).items.filter(({ step }) => step === 'notes')

    await codex.handoff_accept({ id, understood: { task: 'Write the notes' } })
    await node(/^1\. Write the notes codex · in progress · /).waitFor()
    await codex.handoff_submit({ id, note: 'Two paragraphs' })
    await node('go live waiting for a person, gate').waitFor()
    // [B16] The step is done; what is left of it is its gate.
    await page.getByRole('row', { name: /1 of 3 steps done, waiting at its gate/ }).waitFor()
    await region(other, `Decision on ${id}.gate`)
      .getByRole('button', { name: /^Approve/ })
      .click()
    await other.getByRole('button', { name: 'Send “approve”' }).click()

    await page.getByRole('cell', { name: `go live: approved by ${ME}` }).waitFor()
    await node(/^2\. Deploy codex · offered · /).waitFor()
    await node(/^3\. Announce planner · offered · /).waitFor()
    assert.deepEqual(faults, [])
  })

  it('[S4-62] let a person try a failed run again with keys alone, and end it with a reason', async () => {
    const { page, faults } = await dashboard.open('/workflows')
    const { id } = await planner.workflow_start({ definition: BRITTLE })
    await codex.handoff_accept({ id: await stepOf(id), understood: { task: 'Build' } })
    await codex.handoff_fail({ id: await stepOf(id), code: 'NO_COMPILER', message: 'there is no compiler' })
    await page.goto(`${dashboard.url}/workflows/${id}`)
    const can = region(page, 'What you can do')
    const run = region(page, `Run ${id}`)
    await page.getByRole('link', { name: /^1\. Build codex · failed · .* there is no compiler$/ }).waitFor()
    await run.getByText('Failed: there is no compiler').waitFor()

    await can.getByRole('button', { name: 'Resume' }).focus()
    await page.keyboard.press('Enter')
    await can.getByText('The failed step is tried again: Build.').waitFor()
    await page.keyboard.press('Escape')
    await until('the key that opened it', () =>
      can.getByRole('button', { name: 'Resume' }).evaluate((button) => button === document.activeElement),
    )
    assert.equal((await planner.workflow_status({ id })).state, 'failed')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^1\. Build codex · offered, try 2/ }).waitFor()
    assert.equal(await can.getByRole('button', { name: 'Resume' }).count(), 0)

    await can.getByRole('button', { name: 'Cancel the run' }).click()
    await can.getByRole('textbox', { name: 'Why' }).fill('no longer needed')
    await can.getByRole('form').getByRole('button', { name: 'Cancel the run' }).click()
    await run.getByText('cancelled', { exact: true }).waitFor()
    assert.equal(await can.count(), 0)
    assert.deepEqual(
      (await codex.handoff_inbox({})).items.filter(({ session }) => session === id),
      [],
    )
    assert.deepEqual(faults, [])
  })

  it('tell in words when a run is not theirs to end, and keep what was written', async () => {
    const { id } = await planner.workflow_start({ definition: BRITTLE })
    const { page } = await dashboard.open(`/workflows/${id}`)
    const can = region(page, 'What you can do')
    await intercept(page, '**/v1/workflows/*/cancel', (route) =>
      route.fulfill({
        status: 403,
        json: { code: 'not_allowed', detail: 'that is for planner or a person' },
      }),
    )

    await can.getByRole('button', { name: 'Cancel the run' }).click()
    assert.equal(
      await can.getByRole('form').getByRole('button', { name: 'Cancel the run' }).isDisabled(),
      true,
    )
    await can.getByRole('textbox', { name: 'Why' }).fill('not mine')
    await page.keyboard.press('Enter')

    await can.getByRole('alert').getByText('that is for planner or a person').waitFor()
    assert.equal(await can.getByRole('textbox', { name: 'Why' }).inputValue(), 'not mine')
    assert.notEqual((await planner.workflow_status({ id })).state, 'cancelled')
  })

  it('are open to everybody, in the light, in the dark and on a phone', async () => {
    const { page } = await dashboard.open('/tasks?task=P1')
    const findings: string[] = []
    const { id } = await planner.workflow_start({ definition: WORKFLOW })

    for (const path of [
      `/workflows/${id}`,
      '/tasks?open=P1&done=1',
      '/tasks?new=1',
      '/agents?window=1h',
      '/agents?open=codex',
      '/workflows',
      '/workflows?start=1',
      '/metrics?window=1h',
      '/audit',
    ]) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await arrive(dashboard, page, path)
      findings.push(...(await axe(page)).map((found) => `${path} in the light: ${found}`))
      await page.emulateMedia({ colorScheme: 'dark' })
      findings.push(...(await axe(page, 'color-contrast')).map((found) => `${path} in the dark: ${found}`))
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: 390, height: 844 })
      await until('no moving sideways', () =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
    }

    assert.deepEqual(findings, [])
  })
})

/** The handoff that is open for the one step of a run. */
const stepOf = async (id: string): Promise<string> =>
  (await planner.workflow_status({ id })).steps[0]?.handoff ?? assert.fail('it has none')

const record = (task_id: string) => ({
  task_id,
  branch: `feature/${task_id.toLowerCase()}`,
  commit_sha: 'abc123def456789abcdef456789abcdef456789a',
  tests_run: ['npm test'],
  summary: 'A token bucket for each key: it allows bursts and needs two numbers.',
  blockers: [],
  files_changed: ['src/limit.ts'],
  related_thought_records: [],
})

const REPORT = `# Unit tests

\`\`\`yaml
handoff:
  phase: "Testing"
  from: "@codex"
  to: "None"
  status: "complete"
  retry_count: 0
  timestamp: "${new Date(Date.now() - 86_400_000).toISOString()}"
  context:
    task_id: "P2"
  metrics:
    tests_passed: 142
    coverage: "91%"
  dependencies: []
\`\`\`
`
