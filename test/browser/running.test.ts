import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../../src/client.ts'
import { BATON, cleanEnv, trusted } from '../support/program/command.ts'
import { programsAt } from '../support/program/runners.ts'
import { axe } from './axe.ts'
import { arrive, type Dashboard, openDashboard, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
let runner: ChildProcess
let folder: string
let alone: string

/** Prints, starts a process that ignores signals, and goes on when the test says so. */
const SCRIPT = `
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
const [folder] = process.argv.slice(2)
spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { detached: true, stdio: 'ignore' })
console.log('reading the code <b>AKIA2E0A8F3B244C9986</b>')
let told = 0
for (;;) {
  if (existsSync(folder + '/more') && told++ === 0) console.log('tests pass')
  if (existsSync(folder + '/end')) break
  await new Promise((done) => setTimeout(done, 50))
}
console.log('all is done')
process.exit(0)
`

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'baton-running-'))
  const script = join(folder, 'coder.mjs')
  writeFileSync(script, SCRIPT)
  const command = [process.execPath, script, folder]
  dashboard = await openDashboard(async (where) => {
    writeFileSync(join(where.cwd, 'baton.yaml'), JSON.stringify({ runners: { coder: { command } } }))
    trusted(where)
  })
  planner = await dashboard.as('planner')
  // Long before it is looked at.
  alone = (await planner.handoff_send({ to: 'writer', title: 'Write the page' })).handoff.id
  await (await dashboard.as('writer')).handoff_accept({ id: alone })
  const { where } = dashboard
  runner = spawn(process.execPath, [BATON, 'run'], { cwd: where.cwd, env: cleanEnv(where), stdio: 'ignore' })
})
after(async () => {
  // The guards of its programs end them.
  runner.kill('SIGKILL')
  if (runner.exitCode === null && runner.signalCode === null) await once(runner, 'exit')
  await dashboard.close()
  rmSync(folder, { recursive: true })
})

const send = async (title: string) => (await planner.handoff_send({ to: 'coder', title })).handoff.id
const programs = () => programsAt(dashboard.where.cwd)

describe('programs that baton run runs', () => {
  it('are listed with their output; one is stopped with all that it started, and started again, by keys alone', async () => {
    const id = await send('Limit the public API')
    const { page, faults } = await dashboard.open('/agents')
    const list = page.getByRole('region', { name: 'Running programs', exact: true })

    await list.getByRole('link', { name: id }).waitFor()
    assert.match(
      await list.getByRole('row').nth(1).innerText(),
      /^coder\s+HO-\S+ Limit the public API\s+just now/,
    )
    await list.getByRole('button', { name: `Open ${id}` }).press('Enter')
    const output = list.getByRole('log', { name: 'Output of coder so far' })
    await output.getByText('reading the code <b>[an AWS access key]</b>').waitFor()
    await until('both processes', async () => programs().length >= 2)
    await list.getByRole('button', { name: 'Cancel' }).press('Enter')
    await list.getByRole('form', { name: 'Cancel' }).getByRole('textbox').fill('it reads too much')
    await page.keyboard.press('Enter')

    await until('the end of the group', async () => programs().length === 0)
    await list.getByRole('button', { name: 'Send again' }).waitFor()
    assert.equal((await planner.handoff_get({ id })).handoff.state, 'cancelled')
    await list.getByRole('button', { name: 'Send again' }).press('Enter')
    await list
      .getByRole('form', { name: 'Send again' })
      .getByRole('button', { name: 'Send again' })
      .press('Enter')
    const row = list.getByRole('row').filter({ hasText: 'HO-', hasNotText: id })
    await row.getByRole('link').waitFor()
    await until('both processes', async () => programs().length >= 2)
    writeFileSync(join(folder, 'end'), '')
    await until('the end of the group', async () => programs().length === 0)
    assert.deepEqual(faults, [])
  })

  for (const look of [{}, { dark: true, phone: true }])
    it(`show their output on the page of the handoff as it grows, then what was kept${look.phone ? ', on a dark phone' : ''}`, async () => {
      for (const name of ['more', 'end']) rmSync(join(folder, name), { force: true })
      const id = await send('Limit the private API')
      const { page, faults } = await dashboard.open(`/handoffs/${id}`, look)
      const output = page.getByRole('region', { name: 'Program output' })
      await output.getByText('reading the code').waitFor()
      assert.equal(await output.getByText('tests pass').count(), 0)

      writeFileSync(join(folder, 'more'), '')
      await output.getByText('tests pass').waitFor()
      await output.getByText(/running.*coder works on attempt 1, begun/s).waitFor()
      assert.deepEqual(await axe(page), [])
      writeFileSync(join(folder, 'end'), '')

      const kept = output.getByRole('log', { name: 'Whole output of coder' })
      await kept.getByText('all is done').waitFor()
      assert.match(
        await kept.innerText(),
        /^reading the code <b>\[an AWS access key\]<\/b>\ntests pass\nall is done/,
      )
      await arrive(dashboard, page, `/handoffs/${id}`)
      assert.equal(await kept.count(), 0)
      await output.getByRole('button', { name: 'Show output' }).click()
      await kept.getByText('all is done').waitFor()
      const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.deepEqual([width, faults], [0, []])
    })

  it('are not asked for again and again where work is done without one', async () => {
    const { page } = await dashboard.open(`/handoffs/${alone}`)
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('running')) asked += 1
    })
    await page.getByRole('heading', { name: 'Write the page' }).waitFor()

    await page.waitForTimeout(4_000)

    assert.ok(asked <= 2, String(asked))
  })
})
