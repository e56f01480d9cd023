import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { arrive, type Dashboard, openDashboard, requestsOf, typeAtOnce, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  for (let i = 0; i < 60; i++) await planner.task_create({ id: `P0.1.${i + 1}`, title: `Task ${i + 1}` })
  const definition = 'name: brief\nhome: package\nsteps:\n  - { id: build, title: Build, agent: codex }\n'
  for (let i = 0; i < 12; i++) await planner.workflow_start({ definition })
})
after(() => dashboard.close())

const isSeen = async (page: Page, name: string) => {
  const box = await page.getByRole('region', { name, exact: true }).boundingBox()
  const size = page.viewportSize()!
  return box !== null && box.y >= 0 && box.y < size.height / 2
}

describe('a page with many items', () => {
  it('shows a task that is chosen far below', async () => {
    const { page } = await dashboard.open('/tasks')
    await arrive(dashboard, page, '/tasks')
    const row = page.getByRole('region', { name: 'All tasks', exact: true }).getByRole('link').last()
    const id = await row.innerText()
    await row.click()

    await until('the task in sight', () => isSeen(page, `Task ${id}`))
  })

  it('shows a run that is tapped on a phone, and the list again', async () => {
    const { page } = await dashboard.open('/workflows', { phone: true })
    await arrive(dashboard, page, '/workflows')
    const runs = page.getByRole('region', { name: 'Runs', exact: true })
    const id = await runs.getByRole('row').last().locator('small').first().innerText()
    await runs.getByRole('link').last().click()

    await until('the run in sight', () => isSeen(page, `Run ${id}`))
    await page.getByRole('button', { name: `Close: Run ${id}` }).click()
    await runs.getByRole('link').last().waitFor()
  })

  it('asks the server at most 12 times when it opens, and once for each pause in typing', async () => {
    const { page } = await dashboard.open('/')
    for (const path of ['/', '/inbox', '/tasks', '/agents', '/workflows', '/metrics', '/audit']) {
      const asked = await requestsOf(page, () => arrive(dashboard, page, path))
      assert.ok(asked.length <= 12, `${path} asked ${asked.length} times:\n${asked.join('\n')}`)
      assert.equal(new Set(asked).size, asked.length, `${path} asked twice:\n${asked.join('\n')}`)
    }

    await arrive(dashboard, page, '/')
    await page.getByText('live', { exact: true }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/handoffs') asked.push(request.url())
    })
    await typeAtOnce(page.getByRole('searchbox'), 'limits')
    await until('the answer', async () => page.url().includes('q=limits'))
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.ok(asked.length <= 6, asked.join('\n'))
  })
})
