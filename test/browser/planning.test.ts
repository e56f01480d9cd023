import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { axe } from './axe.ts'
import { arrive, type Dashboard, intercept, openDashboard, until } from './dashboard.ts'

const WORKFLOW = `name: release
description: Release the shop
home: package
steps:
  - { id: build, title: Build, agent: codex }
`
let dashboard: Dashboard
let planner: Client

before(async () => {
  dashboard = await openDashboard()
  mkdirSync(join(dashboard.where.cwd, 'workflows'), { recursive: true })
  writeFileSync(join(dashboard.where.cwd, 'workflows', 'release.yaml'), WORKFLOW)
  planner = await dashboard.as('planner')
})
after(() => dashboard?.close())

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** Tab until it is reached: a person without a pointer has no other way. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const at = await page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
    )
    if (at.trim() === name) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`${name} is not reached by Tab`)
}

for (const phone of [false, true])
  describe(`planning work in the dashboard${phone ? ' on a phone' : ''}`, () => {
    it('creates a task with the keyboard alone', async () => {
      const { page, faults } = await dashboard.open('/tasks', { phone })
      await arrive(dashboard, page, '/tasks')
      const id = phone ? 'P2' : 'P1'

      await tabTo(page, 'New task')
      await page.keyboard.press('Enter')
      await region(page, 'New task').waitFor()
      assert.deepEqual(await axe(page), [])
      await tabTo(page, 'Close: New task')
      for (const text of [id, 'Choose the algorithm']) {
        await page.keyboard.press('Tab')
        await page.keyboard.type(text)
      }
      await page.keyboard.press('Enter')

      await region(page, `Task ${id}`).getByRole('heading', { name: 'Choose the algorithm' }).waitFor()
      assert.equal((await planner.task_get({ id })).task.title, 'Choose the algorithm')
      assert.deepEqual(faults, [])
    })

    it('creates a task from every field of the form', async () => {
      const { page } = await dashboard.open('/tasks?new=1', { phone })
      await arrive(dashboard, page, '/tasks?new=1')
      const [id, need] = phone ? ['P4', 'P2'] : ['P3', 'P1']
      const form = page.getByRole('form', { name: 'New task' })
      await form.getByLabel('Id, for example P1.2').fill(id)
      await form.getByLabel('Title').fill('Measure it')
      await form.getByLabel('Depends on').fill(need)
      for (const field of await form.getByRole('textbox').all())
        if ((await field.inputValue()) === '') await field.fill('100 ms at most')
      await form.getByRole('button', { name: 'Create' }).click()

      await region(page, `Task ${id}`).getByText('100 ms at most').waitFor()
      const { task, blocked_by } = await planner.task_get({ id })
      assert.deepEqual([task.criteria, blocked_by], [['100 ms at most'], [need]])
    })

    it('says in the server’s words why a task cannot be created, and keeps what was written', async () => {
      const { page } = await dashboard.open('/tasks?new=1', { phone })
      await arrive(dashboard, page, '/tasks?new=1')
      const form = region(page, 'New task')
      await form.getByLabel('Id, for example P1.2').fill('P1')
      await form.getByLabel('Title').fill('Again')
      await form.getByRole('button', { name: 'Create' }).click()

      await form.getByRole('alert').getByText('task P1 exists already').waitFor()
      assert.equal(await form.getByLabel('Title').inputValue(), 'Again')
    })

    it('starts a workflow with the keyboard alone and shows the run', async () => {
      const { page, faults } = await dashboard.open('/workflows', { phone })
      await arrive(dashboard, page, '/workflows')

      await tabTo(page, 'Start a workflow')
      await page.keyboard.press('Enter')
      await tabTo(page, 'Close: Start a workflow')
      await page.keyboard.press('Tab')
      await page.keyboard.type('release')
      await page.keyboard.press('Enter')

      await page.getByRole('heading', { level: 2, name: 'Release the shop' }).waitFor()
      const id = decodeURIComponent(new URL(page.url()).pathname.split('/')[2] ?? '')
      assert.equal((await planner.workflow_status({ id })).name, 'release')
      await page.keyboard.press('Escape')
      await until('the list', async () => new URL(page.url()).pathname === '/workflows')
      await page.getByRole('row', { name: new RegExp(`Release the shop ${id}`) }).waitFor()
      assert.deepEqual(faults, [])
    })

    it('tells who is overloaded: over the limit first, with the oldest item', async () => {
      const name = phone ? 'gemini' : 'claude'
      await dashboard.as(name)
      await dashboard.as('idle')
      const person = await dashboard.as('lead', 'human')
      for (let i = 0; i < 3; i++) await planner.handoff_send({ to: name, title: `Work ${i}` })
      await person.agent_add({ name, max_incoming: 2 })
      const { page } = await dashboard.open('/agents', { phone })
      await arrive(dashboard, page, '/agents')
      const row = region(page, 'Agents as a table').getByRole('row', { name: new RegExp(`^${name} `) })

      await row.getByText('over limit').waitFor()
      assert.match(await row.innerText(), /3 of 2[\s\S]*HO-2026-\d+/)
      const rows = await region(page, 'Agents as a table').getByRole('row').allInnerTexts()
      assert.ok(rows.findIndex((each) => each.startsWith(name)) <= 2, rows.join('\n'))
      await row.getByRole('link', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
      await region(page, `Agent ${name}`).getByText('Work 2').waitFor()
      assert.deepEqual(await axe(page), [])
    })

    it('shows only what the server lets this person do', async () => {
      const { page } = await dashboard.open('/tasks', { phone })
      const run = (await planner.workflow_start({ definition: WORKFLOW })).id
      const { id } = (await planner.handoff_send({ to: 'codex', title: 'Only to be read' })).handoff
      const offered: readonly (readonly [path: string, role: 'button' | 'link', name: RegExp])[] = [
        ['/tasks', 'button', /^New task$/],
        ['/workflows', 'button', /^Start a workflow$/],
        [`/workflows/${run}`, 'button', /^Cancel the run$/],
        [`/handoffs/${id}`, 'button', /^(?:Cancel|Reassign|Comment)/],
        ['/', 'link', /^New/],
      ]
      for (const scopes of [undefined, ['handoff:read', 'task:read', 'workflow:read', 'report:read']]) {
        if (scopes)
          await intercept(page, '**/v1/whoami', async (route) => {
            const answer = await (await route.fetch()).json()
            await route.fulfill({ json: { ...answer, scopes } })
          })
        for (const [path, role, name] of offered) {
          await arrive(dashboard, page, path)
          assert.equal((await page.getByRole(role, { name }).count()) === 0, scopes !== undefined, path)
        }
      }
      await page.keyboard.press('c')
      assert.equal(new URL(page.url()).pathname, '/')
      await planner.workflow_cancel({ id: run, reason: 'seen' })
    })
  })
