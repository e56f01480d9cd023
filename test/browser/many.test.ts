import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fillWorkspace } from '../../bench/support/seeded-workspace.ts'
import { ask } from '../support/program/command.ts'
import { arrive, type Dashboard, openDashboard, settle, until } from './dashboard.ts'

const HANDOFFS = 2_000
const CHANGES = 60
const COLUMNS = 6
/** Of each column, until one asks for more. */
const SHOWN = 50

interface Status {
  readonly handoffs: Readonly<Record<string, number>>
}

let dashboard: Dashboard

before(async () => {
  dashboard = await openDashboard(async (where) => {
    await ask(where, 'init')
    // The first write makes the store, so it is this user's own.
    await ask(where, 'agent', 'add', 'codex')
    await fillWorkspace(join(where.cwd, '.baton', 'baton.db'), HANDOFFS)
  })
})
after(() => dashboard?.close())

// How long it takes is asked by bench/dashboard.ts.
describe('the dashboard over a long history', () => {
  it('shows the newest of each column and how many there are, and finds any of them', async () => {
    const { page, faults } = await dashboard.open('/')
    const { handoffs } = await ask<Status>(dashboard.where, 'status')
    await settle(page)

    const done = page.getByRole('region', { name: 'Done', exact: true })
    await until('the count', async () => /^Done\s+1,6\d\d$/.test(await done.getByRole('heading').innerText()))
    assert.ok((handoffs.completed ?? 0) > 1_600)
    assert.equal(await done.locator('.tile').count(), SHOWN)
    assert.ok((await page.locator('.tile').count()) <= COLUMNS * SHOWN)
    const field = page.getByRole('searchbox')
    await field.fill('of work 1711')
    await until('only that one', async () => {
      const titles = await page.locator('.tile b').allTextContents()
      return titles.length === 1 && titles[0] === 'Piece of work 1711'
    })
    await field.fill('ho-2026-017')
    await page.getByText('Piece of work 17', { exact: true }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('opens every page', async () => {
    const { page, faults } = await dashboard.open('/')
    const shows = {
      '/inbox': 'points to validate',
      '/tasks': 'What needs what',
      '/agents': 'Who hands to whom',
      '/metrics': 'tests passed',
      '/audit': 'handoff.send',
      '/handoffs/HO-2026-1000': 'Verified in this browser',
    }

    for (const [path, text] of Object.entries(shows)) {
      await arrive(dashboard, page, path)
      await page.getByRole('main').getByText(text).first().waitFor()
    }

    assert.deepEqual(faults, [])
  })

  it('reads again once for many changes, and shows the last of them', async () => {
    const { page } = await dashboard.open('/')
    const sender = await dashboard.as('burst')
    await settle(page)
    await page.getByText('live', { exact: true }).waitFor()
    let lists = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/handoffs') lists += 1
    })

    for (let i = 1; i <= CHANGES; i++) await sender.handoff_send({ to: 'receiver-1', title: `Burst ${i}` })
    await page.getByText(`Burst ${CHANGES}`, { exact: true }).waitFor()

    assert.ok(lists >= COLUMNS, `${lists} lists were read`)
    assert.ok(lists < (CHANGES * COLUMNS) / 2, `${lists} lists were read for ${CHANGES} changes`)
  })
})
