import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { axe } from './axe.ts'
import { type Dashboard, openDashboard } from './dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await openDashboard()
})
after(() => dashboard.close())

describe('the documentation in the dashboard', () => {
  it('opens from every page, and its links lead to other pages of it', async () => {
    const { page, faults } = await dashboard.open('/inbox')
    await page.getByRole('link', { name: 'Docs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pages about Baton' }).waitFor()
    const links = await page
      .locator('.docs a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
    assert.ok(links.length > 30, String(links))
    for (const link of links) {
      const answer = await page.request.get(`${dashboard.url}${link}.md`)
      assert.deepEqual([link, answer.status()], [link, 200])
    }

    await page.getByRole('link', { name: 'Start agents when work arrives' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(page.url(), `${dashboard.url}/docs/how-to/run`)
    assert.doesNotMatch(await page.locator('.docs').innerText(), /<!--|-->/)
    assert.deepEqual(await axe(page), [])
    await page.reload()
    await page.getByRole('link', { name: 'All pages' }).click()
    await page.getByRole('heading', { name: 'Pages about Baton' }).waitFor()
    await page.goto(`${dashboard.url}/docs/no-such-page`)
    await page.getByText('such page of the documentation').waitFor()
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('404')),
      [],
    )
  })

  it('leaves the reference of HTTP calls where the page about them says', async () => {
    const { page } = await dashboard.open('/docs/reference/http')
    const [, address = ''] =
      /(\S+) is\s+the reference for people/.exec(await page.locator('.docs').innerText()) ?? []
    await page.goto(dashboard.url + address)
    await page.getByRole('heading', { level: 1, name: 'HTTP reference' }).waitFor()
    assert.equal(await page.locator('#handoff_send').count(), 1)
  })
})
