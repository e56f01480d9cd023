import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../../src/client.ts'
import { arrive, type Dashboard, openDashboard, requestsOf, typeAtOnce, until } from './dashboard.ts'

let dashboard: Dashboard
let planner: Client
const definition = 'name: brief\nhome: package\nsteps:\n  - { id: build, title: Build, agent: codex }\n'

before(async () => {
  dashboard = await openDashboard()
  planner = await dashboard.as('planner')
  for (let i = 0; i < 60; i++) await planner.task_create({ id: `P0.1.${i + 1}`, title: `Task ${i + 1}` })
  for (let i = 0; i < 12; i++) await planner.workflow_start({ definition })
})
after(() => dashboard.close())

const isSeen = async (page: Page, name: string) => {
  const box = await page.getByRole('region', { name, exact: true }).boundingBox()
  const size = page.viewportSize()!
  return box !== null && box.y >= 0 && box.y < size.height / 2
}

const codexAsks = async (id: string, question: string) => {
  const codex = await dashboard.as('codex')
  await codex.handoff_accept({ id })
  await codex.handoff_ask({ id, question })
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

  it('fills a phone with what is opened beside a list', async () => {
    const { page } = await dashboard.open('/', { phone: true })
    for (const [path, name] of [
      ['/tasks?open=P0.1.7', 'Task P0.1.7'],
      ['/tasks?new=1', 'New task'],
      ['/agents?open=planner', 'Agent planner'],
    ] as const) {
      await arrive(dashboard, page, path)
      const box = await page.getByRole('region', { name, exact: true }).boundingBox()
      assert.deepEqual([name, box], [name, { x: 0, y: 0, width: 390, height: 844 }])
    }
  })

  it('asks the server at most 12 times when it opens, and once for each pause in typing', async () => {
    const { page } = await dashboard.open('/')
    const codex = await dashboard.as('codex')
    const { id: begun } = (await planner.handoff_send({ to: 'codex', title: 'Begun' })).handoff
    await codex.handoff_accept({ id: begun })
    const gatedSteps =
      'name: gated\nhome: package\nsteps:\n  - { id: notes, title: Notes, agent: codex, gate: { name: go live } }\n'
    await planner.workflow_start({ definition: gatedSteps })
    const { items } = await codex.handoff_inbox({ limit: 100 })
    const { id: gated = '' } = items.find(({ step }) => step === 'notes') ?? {}
    await codex.handoff_accept({ id: gated, understood: { task: 'Notes' } })
    await codex.handoff_submit({ id: gated, note: 'Two paragraphs' })
    const panels = [begun, gated, `${gated}.gate`].map((id) => `/?open=${id}`)
    const pages = ['/inbox', '/tasks', '/agents', '/workflows', '/metrics', '/audit']
    for (const path of ['/', ...panels, ...pages]) {
      const asked = await requestsOf(page, () => arrive(dashboard, page, path))
      assert.ok(asked.length <= 12, `${path} asked ${asked.length} times:\n${asked.join('\n')}`)
      assert.equal(new Set(asked).size, asked.length, `${path} asked twice:\n${asked.join('\n')}`)
    }

    // [B18] All that happened here is young.
    for (const [path, report] of [
      ['/agents', '/v1/reports/flow'],
      ['/metrics', '/v1/reports/flow'],
      ['/metrics', '/v1/reports/metrics'],
      ['/metrics?window=1d', '/v1/reports/metrics'],
    ] as const) {
      const asked = await requestsOf(page, () => arrive(dashboard, page, path))
      const reports = asked.filter((each) => each.startsWith(report))
      assert.equal(reports.length, 1, `${path} asked for\n${reports.join('\n')}`)
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

/** Lines that are seen of a text. */
const linesOf = (text: Locator): Promise<number> =>
  text.evaluate((each) =>
    Math.round(each.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(each).lineHeight)),
  )

describe('a long or unusual text', () => {
  it('takes three lines of a tile and of a row as a title, and runs from right to left where its letters do', async () => {
    const title = 'שלום לכולם '.repeat(27).trim()
    const criteria = ['מהיר (מאוד).']
    const { id } = (await planner.handoff_send({ to: 'codex', title, criteria })).handoff
    const { page } = await dashboard.open('/')
    const directionOf = (text: Locator) => text.first().evaluate((each) => getComputedStyle(each).direction)
    const name = page.locator('.tile', { hasText: id }).locator('b')
    await name.waitFor()
    assert.equal(await linesOf(name), 3)
    assert.equal(await directionOf(name), 'rtl')

    await arrive(dashboard, page, '/list')
    const named = page.locator(`a[data-id="${id}"]`)
    assert.equal(await directionOf(named), 'rtl')
    // On a wide screen it has fewer lines.
    await page.setViewportSize({ width: 800, height: 800 })
    assert.equal(await linesOf(named), 3)
    await page.setViewportSize({ width: 1280, height: 800 })

    await planner.task_create({ id: 'T-2', title, priority: 'critical' })
    await planner.workflow_start({ definition: definition.replace('name', `description: ${title}\nname`) })
    for (const [path, names] of [
      ['/tasks?open=T-2&text=T-2', ['Ready now', 'All tasks', 'Task T-2']],
      ['/workflows', ['Runs']],
    ] as const) {
      await arrive(dashboard, page, path)
      for (const name of names)
        assert.equal(
          await directionOf(page.getByRole('region', { name, exact: true }).getByText(title)),
          'rtl',
          name,
        )
    }

    await arrive(dashboard, page, `/handoffs/${id}`)
    assert.equal(await directionOf(page.getByRole('heading', { level: 1 })), 'rtl')
    assert.equal(await directionOf(page.getByRole('listitem').filter({ hasText: criteria[0]! })), 'rtl')
  })

  it('[B17] runs from right to left on every page, whoever wrote it', async () => {
    const text = 'שלום (עולם).'
    const maria = await dashboard.as('maria', 'human')
    const codex = await dashboard.as('codex')
    const send = async (more: object, by = maria) =>
      (await by.handoff_send({ to: 'codex', title: text, summary: text, ...more })).handoff.id
    const started = async (more: object = {}, by = maria) => {
      const id = await send(more, by)
      await codex.handoff_accept({ id })
      return id
    }
    const asked = await started()
    await codex.handoff_ask({ id: asked, question: text })
    const options = { approve: text, reject: text }
    const gate = await send(
      {
        ...{
          to: 'maria',
          type: 'gate',
          gate: { name: 'rtl' },
          artifacts: [{ path: 'a.md', description: text }],
        },
        validation_request: { items: [text], options },
      },
      planner,
    )
    await planner.handoff_comment({ id: gate, text })
    const decided = await send({ to: 'maria', type: 'gate', gate: { name: 'decided' } }, planner)
    await maria.gate_decide({ id: decided, choice: 'reject', comment: text })
    const blocked = await started()
    await codex.handoff_heartbeat({ id: blocked, blocked: text })
    const lists = { deliverables: [text], criteria: [text], constraints: [text] }
    const reviewed = await started({ ...lists, decisions: [{ id: text, decision: text, rationale: text }] })
    const evidence = [{ deliverable: text, evidence: text }]
    await codex.handoff_submit({
      id: reviewed,
      note: text,
      evidence,
      next_steps: [text],
      decisions: [{ id: 'D', decision: text }],
    })
    await send({ parent: reviewed })
    await planner.task_create({ id: 'RTL', title: text, priority: 'critical' })
    const steps = definition
      .replace('name', `description: ${text}\nname`)
      .replace('title: Build', `title: ${text}`)
    const { id: run } = await planner.workflow_start({ definition: steps })
    const { page } = await dashboard.open('/', { person: 'maria' })
    /** Texts that begin with such a letter and run the other way; a picture centres its texts. */
    const wrong = () =>
      page.evaluate(() => {
        const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        const found = new Set<string>()
        let seen = 0
        while (all.nextNode()) {
          const [at, said] = [all.currentNode.parentElement!, all.currentNode.nodeValue ?? '']
          if (!/^[^a-z]*\p{Script=Hebrew}/iu.test(said) || at.closest('svg, textarea, option, pre')) continue
          seen += 1
          if (getComputedStyle(at).direction !== 'rtl') found.add(at.outerHTML.slice(0, 90))
        }
        return [seen, ...found]
      })
    const findings: string[] = []
    const look = async (path: string) => {
      await page.getByText(text).filter({ visible: true }).first().waitFor()
      const [seen, ...found] = await wrong()
      assert.ok(Number(seen) > 0, path)
      findings.push(...found.map((each) => `${path}: ${each}`))
    }
    const pages = [asked, gate, decided, blocked, reviewed].map((id) => `/handoffs/${id}`)
    const more = [
      '/',
      '/list',
      `/list?q=${encodeURI('שלום')}`,
      '/inbox',
      '/tasks?open=RTL',
      `/workflows/${run}`,
    ]
    for (const path of [...pages, ...more, '/agents?open=codex']) {
      await arrive(dashboard, page, path)
      await look(path)
    }
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText('שלום')
    await page.getByRole('option', { name: text }).first().waitFor()
    await look('Find')
    assert.deepEqual(findings, [])
  })

  it('is shown as often as it was given, also when the points around it change', async () => {
    const criteria = ['The same', 'The same', 'The same']
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Alike', criteria })).handoff
    const { page } = await dashboard.open('/')
    await arrive(dashboard, page, `/handoffs/${id}`)
    const points = page.getByRole('listitem').filter({ hasText: /^(The same|Another)$/ })
    assert.deepEqual(await points.allInnerTexts(), criteria)

    await planner.handoff_amend({ id, criteria: ['Another', 'The same'] })

    await points.getByText('Another').waitFor()
    assert.deepEqual(await points.allInnerTexts(), ['Another', 'The same'])
  })
})

/** As the page of a handoff shows it. */
const packageOf = async (id: string, phone = false) => {
  const { page } = await dashboard.open(`/handoffs/${id}`, { phone })
  await arrive(dashboard, page, `/handoffs/${id}`)
  return { page, given: page.getByRole('region', { name: 'Package', exact: true }) }
}

describe('a text of an agent', () => {
  it('has links in every field, task boxes, quotes and changes', async () => {
    const at = 'https://example.com/limits'
    const boxes = '- [x] measured\n- [ ] agreed\n\n> Not before Monday.'
    const { id } = (
      await planner.handoff_send({
        to: 'codex',
        title: 'Looks',
        summary: `See ${at}.\n\n${boxes}\n\n\`\`\`diff\n-old\n+new\n\`\`\``,
        criteria: [`Fast as in ${at}`],
        constraints: [`None but ${at}.`],
        links: { plan: at },
      })
    ).handoff
    const { given } = await packageOf(id)
    await given.getByRole('listitem').filter({ hasText: '☑ measured' }).waitFor()
    await given.getByRole('listitem').filter({ hasText: '☐ agreed' }).waitFor()
    assert.equal(await given.locator(`p a[href="${at}"]`).count(), 1)
    for (const before of ['Fast as in', 'None but', 'plan:'])
      assert.equal(
        await given.getByRole('listitem').filter({ hasText: before }).locator(`a[href="${at}"]`).count(),
        1,
        before,
      )
    const bar = given.locator('blockquote', { hasText: 'Not before Monday.' })
    assert.equal(await bar.evaluate((each) => getComputedStyle(each).borderLeftWidth), '3px')
    const colours = await Promise.all(
      ['.diff .added', '.diff .removed', '.diff'].map((each) =>
        given
          .locator(each)
          .first()
          .evaluate((line) => getComputedStyle(line).color),
      ),
    )
    assert.equal(new Set(colours).size, 3, colours.join())
  })

  it('fits a phone, however long its words, and shows other scripts and no turned direction', async () => {
    const long = 'x'.repeat(200)
    const title = `${long} 部署 🚀 \u202eetorw`
    const maria = await dashboard.as('maria', 'human')
    const { id } = (
      await maria.handoff_send({
        to: 'codex',
        title,
        summary: `${title}\n\n\`${long}\``,
        deliverables: [long],
        criteria: [long],
        constraints: [long],
        links: { [long]: long },
        artifacts: [{ path: long }],
        data: { [long]: long },
      })
    ).handoff
    await codexAsks(id, long)
    await planner.task_create({ id: 'LONG', title })
    const { page } = await dashboard.open('/', { phone: true, person: 'maria' })
    const opened = [`/?open=${id}`, `/handoffs/${id}`, '/agents?open=codex', '/tasks?open=LONG']
    for (const path of ['/', '/list', '/inbox', ...opened]) {
      await arrive(dashboard, page, path)
      const text = page.getByText('部署 🚀').filter({ visible: true }).first()
      await text.waitFor()
      assert.doesNotMatch((await page.locator('body').textContent()) ?? '', /\u202e/, path)
      const wide = await page.evaluate(() =>
        ['html', '.panel']
          .flatMap((each) => document.querySelector(each) ?? [])
          .map((each) => each.scrollWidth - each.clientWidth),
      )
      assert.deepEqual([...new Set(wide)], [0], path)
    }
  })

  it('that is long shows its beginning until somebody asks for the rest, but all of it to decide', async () => {
    const [lines, criteria] = [2_000, 100].map((many) =>
      Array.from({ length: many }, (_, i) => `No. ${i + 1}`),
    )
    const long = { summary: lines!.join('\n\n').slice(0, 60_000), criteria: criteria! }
    const { id } = (await planner.handoff_send({ to: 'codex', title: 'Long', ...long })).handoff
    const { page, given } = await packageOf(id)
    assert.equal(await given.getByRole('listitem').count(), 30)
    const high = await page.evaluate(() => document.documentElement.scrollHeight)
    assert.ok(high < 4_000, `${high} px`)
    await given.getByRole('button', { name: 'Show all 3,999 lines' }).press('Enter')
    await given.getByText('No. 2000', { exact: true }).waitFor()
    await given.getByRole('button', { name: 'Show all 100 points' }).press('Enter')
    await given.getByRole('listitem').getByText('No. 100', { exact: true }).waitFor()
    assert.equal(await given.getByRole('button', { name: /^Show all/ }).count(), 0)

    const gate = { to: 'human', type: 'gate' as const, gate: { name: 'long' }, title: 'Long, to be decided' }
    const decided = await packageOf((await planner.handoff_send({ ...gate, ...long })).handoff.id)
    await decided.given.getByText('No. 2000', { exact: true }).waitFor()
    await decided.given.getByRole('listitem').getByText('No. 100', { exact: true }).waitFor()
  })
})

const middleOf = ({ y, height }: { y: number; height: number }) => y + height / 2

describe('the name of an agent', () => {
  it('stands in one line with its kind on a wide screen', async () => {
    await dashboard.as('maria', 'human')
    const { page } = await dashboard.open('/agents')
    await page.setViewportSize({ width: 1920, height: 1080 })
    const cell = page.getByRole('cell', { name: 'maria person' })
    const [name, kind] = [cell.getByRole('link'), cell.getByText('person')]
    const apart = middleOf((await kind.boundingBox())!) - middleOf((await name.boundingBox())!)
    assert.ok(Math.abs(apart) < 5, `${apart} px apart`)
  })
})

describe('a heading', () => {
  it('stands at the height of what is beside it', async () => {
    const { page } = await dashboard.open('/')
    for (const [path, beside] of [
      ['/tasks', page.getByRole('button', { name: 'New task' })],
      ['/agents', page.getByRole('group', { name: 'How far back' })],
      ['/audit', page.getByRole('button', { name: 'Verify now' })],
    ] as const) {
      await arrive(dashboard, page, path)
      const heading = page.getByRole('heading', { level: 1 })
      const apart = middleOf((await beside.boundingBox())!) - middleOf((await heading.boundingBox())!)
      assert.ok(Math.abs(apart) < 2, `${path}: ${apart} px apart`)
    }
  })
})
