import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../../src/client.ts'
import { axe } from './axe.ts'
import { arrive, type Dashboard, ME, openDashboard, type Seat, until } from './dashboard.ts'
import { type Story, tellStory } from './story.ts'

/** A page, and something that only its data can have brought there. */
const pages = ({
  reviewed,
  headed,
}: Story & { readonly headed: string }): readonly (readonly [path: string, shows: string])[] => [
  ['/', 'Rotate the signing keys'],
  ['/inbox', 'The wording of the refusal'],
  [`/handoffs/${reviewed}`, 'Token bucket per key'],
  [`/handoffs/${headed}`, 'Deeper still'],
  ['/handoffs/HO-1999-001', 'There is no handoff HO-1999-001'],
  ['/nope', 'There is no such page'],
  ['/list', 'Rotate the signing keys'],
  [`/?open=${reviewed}`, 'Token bucket per key'],
  ['/new', 'Conditions for done'],
  ['/docs', 'Pages about Baton'],
  ['/tasks', 'First screen'],
  ['/agents', 'planner'],
  ['/workflows', 'Workflows'],
  ['/metrics', 'Metrics'],
  ['/audit', 'session seal'],
]

/** Targets of a finger; links within a text are as high as its lines. */
const CONTROLS = `button, .button, select, summary, nav a, input:not([type=radio], [type=checkbox]), textarea,
  label:has([type=radio], [type=checkbox])`
const FINGER = 44
/** Phones zoom into fields with smaller letters. */
const LETTER = 16

let dashboard: Dashboard
let story: Story & { readonly headed: string }

before(async () => {
  dashboard = await openDashboard()
  const told = await tellStory(dashboard)
  story = { ...told, headed: await sendHeaded(told.planner) }
})
after(() => dashboard.close())

/** Texts that have headings of their own, as agents write them: from the first level, and with levels left out. */
async function sendHeaded(by: Client): Promise<string> {
  const text = '# First\n\nText\n\n#### Deeper\n\n###### Deeper still\n\n## Second\n\nText'
  const { handoff } = await by.handoff_send({
    to: 'human',
    type: 'gate',
    title: 'A gate with headings',
    summary: text,
    context: `### Begun below\n\n${text}`,
  })
  return handoff.id
}

describe('every page of the dashboard', () => {
  it('shows its data, in the light and in the dark, with nothing in the way of anybody', async () => {
    const { page, faults } = await dashboard.open('/')
    const findings: string[] = []

    for (const [path, shows] of pages(story)) {
      await arrive(dashboard, page, path)
      await page.getByRole('main').getByText(shows).first().waitFor()
      findings.push(...faults.map((fault) => `${path}: ${fault}`))
      findings.push(...(await axe(page)).map((found) => `${path} in the light: ${found}`))
      await page.emulateMedia({ colorScheme: 'dark' })
      findings.push(...(await axe(page, 'color-contrast')).map((found) => `${path} in the dark: ${found}`))
      await page.emulateMedia({ colorScheme: 'light' })
    }

    assert.deepEqual(findings, [])
  })

  it('is open to everybody before the login and in the palette, too', async () => {
    const { page: login } = await dashboard.visit('/')
    const { page } = await dashboard.open('/')

    await login.getByRole('heading', { level: 1, name: 'Baton' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Inbox' }).waitFor()

    assert.deepEqual([await axe(login), await axe(page)], [[], []])
  })

  it('fits a phone of 390 pixels without moving sideways, also under a long name', async () => {
    const person = 'maria.who-has-a-long-name-of-her-own'
    await dashboard.as(person, 'human')
    const { page, faults } = await dashboard.open('/', { phone: true, person })
    const wide: string[] = []

    for (const [path] of pages(story)) {
      await arrive(dashboard, page, path)
      const [is, may] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      if (is! > may!) wide.push(`${path} is ${is} pixels wide`)
    }

    assert.deepEqual(wide, [])
    assert.deepEqual(faults, [])
  })

  it('has room for fingers on a phone, and letters that it does not zoom into', async () => {
    const { page } = await dashboard.open('/', { phone: true })
    const wrong: string[] = []

    for (const path of [...pages(story).map(([each]) => each), '/tasks?new=1', '/workflows?start=1']) {
      await arrive(dashboard, page, path)
      const found = await page.evaluate(
        ({ controls, fields, high, letter }) => [
          ...[...document.querySelectorAll(controls)]
            .filter((each) => each.getClientRects().length > 0)
            .filter((each) => each.getBoundingClientRect().height < high)
            .map((each) => `${each.outerHTML.slice(0, 90)} is low`),
          ...[...document.querySelectorAll(fields)]
            .filter((each) => Number.parseFloat(getComputedStyle(each).fontSize) < letter)
            .map((each) => `${each.outerHTML.slice(0, 90)} has small letters`),
        ],
        { controls: CONTROLS, fields: 'input, select, textarea', high: FINGER, letter: LETTER },
      )
      wrong.push(...found.map((each) => `${path}: ${each}`))
    }

    assert.deepEqual(wrong, [])
  })

  it('asks for nothing that is not loaded: the parts of a page come when it is opened', async () => {
    const { page } = await dashboard.open('/')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))

    await arrive(dashboard, page, '/')
    const first = asked.filter((path) => path.startsWith('/assets/'))
    await page.getByText('Add rate limiting to the public API').click()
    await page.getByText('Chain and proof', { exact: true }).click()
    await page.getByText('Verified in this browser').waitFor()
    const late = asked.filter((path) => path.startsWith('/assets/') && !first.includes(path))

    assert.deepEqual(
      first.filter((path) => /markdown|proof|audit/.test(path)),
      [],
    )
    assert.ok(
      late.some((path) => path.includes('proof')),
      late.join(),
    )
  })
})

describe('the inbox', () => {
  it('[S4-58] shows a gate with its name, its title and its text as it was meant, and asks for what fits', async () => {
    const { handoff } = await story.planner.handoff_send({
      to: 'human',
      type: 'gate',
      title: 'May we deploy to production?',
      gate: { name: 'deploy' },
      summary: 'All is **measured**:\n\n- p95 is 11 ms\n- no errors',
    })
    const { page, faults } = await dashboard.open('/inbox')
    const card = page.getByRole('region', { name: `Decision on ${handoff.id}` })

    await card.getByRole('heading', { level: 2, name: 'May we deploy to production?' }).waitFor()
    await card.getByText('deploy', { exact: true }).waitFor()
    await card.getByRole('listitem').getByText('p95 is 11 ms').waitFor()
    assert.equal(await card.locator('strong').innerText(), 'measured')
    await card.getByRole('button', { name: /^Ask/ }).click()
    await card.getByRole('textbox', { name: 'What do you want to know?' }).waitFor()
    await card.getByRole('button', { name: /^Reject/ }).click()
    await card.getByRole('textbox', { name: 'What needs to change?' }).waitFor()
    assert.deepEqual(faults, [])
  })

  it('shows a question as it was meant', async () => {
    const person = await dashboard.as('maria', 'human')
    const { id } = (await person.handoff_send({ to: 'codex', title: 'Make it fast' })).handoff
    await story.codex.handoff_accept({ id })
    await story.codex.handoff_ask({ id, question: 'Which **one**?\n\n1. 100 ms\n2. 200 ms' })
    const { page } = await dashboard.open('/inbox', { person: 'maria' })
    const card = page.getByRole('region', { name: `Question about ${id}` })

    await card.getByRole('listitem').getByText('200 ms').last().waitFor()
    assert.equal(await card.locator('strong').innerText(), 'one')
  })
})

describe('headings that an agent writes', () => {
  it('stand below those of the page, each at most one level below the one before', async () => {
    const { page } = await dashboard.open('/')
    const levels = () =>
      page
        .locator('h1, h2, h3, h4, h5, h6')
        .evaluateAll((all) => all.map(({ tagName, textContent }) => `${tagName} ${textContent}`))

    const me = await dashboard.as(ME, 'human')
    const { id } = (await me.handoff_send({ to: 'codex', title: 'Asked with a heading' })).handoff
    await story.codex.handoff_accept({ id })
    await story.codex.handoff_ask({ id, question: '# First\n\n### Deeper still' })
    const first = {
      '/inbox': 'H3 First',
      [`/handoffs/${id}`]: 'H3 First',
      [`/handoffs/${story.headed}`]: 'H4 First',
    }

    for (const [path, expected] of Object.entries(first)) {
      await arrive(dashboard, page, path)
      await page.getByRole('heading', { name: 'Deeper still' }).first().waitFor()
      const shown = await levels()

      assert.equal(shown.filter((heading) => heading.startsWith('H1')).length, 1, shown.join('\n'))
      assert.ok(shown.includes(expected), shown.join('\n'))
      for (const [i, heading] of shown.slice(1).entries())
        assert.ok(Number(heading[1]) <= Number(shown[i]?.[1]) + 1, shown.join('\n'))
    }
  })
})

describe('the page of a handoff', () => {
  let seat: Seat
  before(async () => {
    seat = await dashboard.open(`/handoffs/${story.reviewed}`)
  })

  it('shows package, evidence, timeline and the proof that the browser has checked', async () => {
    const region = (name: string) => seat.page.getByRole('region', { name, exact: true })

    await region('Package').getByRole('cell', { name: '100/min' }).waitFor()
    await region('Result').getByText('src/limits/bucket.ts, commit 4f1c2aa').waitFor()
    await region('Timeline').getByText('submitted').waitFor()
    // A proof that holds takes one line until somebody opens it.
    assert.equal(await region('Proof').getByRole('img', { name: 'holds', exact: true }).count(), 0)
    const [badge, card] = [region('Proof').getByText('Verified in this browser'), region('Proof')]
    await badge.waitFor()
    const heights = await Promise.all([badge, card].map(async (each) => (await each.boundingBox())!.height))
    assert.ok(heights[1]! < 3 * heights[0]!, `it takes ${heights[1]} px`)
    await region('Proof').getByText('Verified in this browser').click()

    assert.equal(await region('Proof').getByRole('img', { name: 'holds', exact: true }).count(), 5)
    assert.ok(
      (await region('Proof')
        .getByText(/^Does not prove/)
        .count()) === 5,
    )
    assert.deepEqual(seat.faults, [])
  })

  it('says that any person may answer, and shows a question once', async () => {
    const { page } = await dashboard.open('/')
    await arrive(dashboard, page, `/handoffs/${story.gate}`)
    await page
      .getByText('Next: a person must decide; then planner goes on. There is no time limit.')
      .waitFor()
    await arrive(dashboard, page, `/handoffs/${story.question}`)
    await page.getByRole('region', { name: 'A question for you' }).waitFor()
    assert.equal(await page.getByText('Is 200 ms at p95 fast enough').count(), 1)
  })

  it('shows it as a document of each dialect, or what that dialect asks for beside', async () => {
    const source = seat.page.getByRole('region', { name: 'As a document' })
    const shows = {
      markdown: /^---\n[\s\S]*planner/,
      package: /^handoff:\n/,
      queue: /^queue also needs from_phase/,
      block: /^block also needs phase/,
      writeback: /^writeback also needs record.branch/,
    }

    for (const [dialect, look] of Object.entries(shows)) {
      await source.getByRole('button', { name: dialect }).click()
      const shown = source.locator('pre').or(source.getByRole('alert'))
      await until(`${dialect} ${look}`, async () => look.test((await shown.allTextContents()).join()))
    }
  })

  it('leads from work to the work that it led to, and back', async () => {
    await arrive(dashboard, seat.page, `/handoffs/${story.parent}`)
    await seat.page.getByRole('link', { name: /Measure cold start/ }).click()
    await seat.page.getByRole('heading', { level: 1, name: 'Measure cold start on the small plan' }).waitFor()
    const chain = seat.page.getByRole('region', { name: 'Chain' })

    await chain.getByText('Came from').waitFor()
    assert.equal(await chain.getByRole('link', { name: /Prepare the launch checklist/ }).count(), 1)
  })
})

describe('the audit page', () => {
  it('verifies on demand, leads from entry to handoff, and has the place in the log in its address', async () => {
    const { page, faults } = await dashboard.open('/audit')

    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.getByText('Verified by the server').waitFor()
    await page.getByRole('region', { name: 'Checkpoint' }).getByText('Verified in this browser').waitFor()
    await page.goto(`${dashboard.url}/audit?after=12`)
    await page.getByRole('cell', { name: '13', exact: true }).waitFor()

    assert.equal(await page.getByRole('cell', { name: '12', exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByRole('cell', { name: '12', exact: true }).waitFor()
    await page
      .getByRole('row', { name: /handoff send/ })
      .last()
      .getByRole('link')
      .click()
    await page.getByRole('heading', { level: 1, name: 'Write the migration guide' }).waitFor()
    assert.deepEqual(faults, [])
  })
})
