import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { longestWork } from '../../bench/support/page-times.ts'
import { fillWorkspace } from '../../bench/support/seeded-workspace.ts'
import { percentOf, spanOf } from '../../web/src/ui/span.ts'
import { ask } from '../support/program/command.ts'
import { arrive, type Dashboard, openDashboard, requestsOf, settle, typeAtOnce, until } from './dashboard.ts'

const CHANGES = 60
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  Open: ['draft', 'offered'],
  'In progress': ['accepted', 'in_progress', 'retry_wait'],
  'Needs attention': ['blocked', 'needs_input'],
  'In review': ['in_review'],
  Done: ['completed'],
  'Closed without result': ['failed', 'rejected', 'expired', 'cancelled'],
}
/** Of each column, until one asks for more. */
const SHOWN = 50
/** Of the list, however much one asks for. */
const MOST_LISTED = 200
const INBOX = 100
const LISTED = 15
const LONGEST_TASK_MS = 200
const MOST_REQUESTS = 12

let dashboard: Dashboard
let db: DatabaseSync

type Cell = string | number
/** Rows as the tables themselves say it. */
const rows = (sql: string, ...values: Cell[]): Cell[][] =>
  db
    .prepare(sql)
    .all(...values)
    .map((row) => Object.values(row) as Cell[])
const count = (sql: string, ...values: Cell[]): number => Number(rows(sql, ...values)[0]?.[0])
const inDigits = (value: number): string => value.toLocaleString('en')
const inList = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')
const FAILED = inList(['failed', 'expired'])
/** Milliseconds from creation to the end. */
const TOOK = `CAST(round((julianday(doc->>'ended_at') - julianday(doc->>'created_at')) * 86400000) AS integer)`
/** Of equally many the lower one. */
const medianOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1]
const spanOfMs = (ms: number | undefined): string =>
  ms === undefined ? '–' : spanOf(Math.round(ms / 100) / 10)

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const figures = async (page: Page): Promise<Readonly<Record<string, string>>> => {
  const texts = await page
    .locator('.figure')
    .evaluateAll((all) =>
      all.map((each) => [
        each.querySelector('dt')?.textContent ?? '',
        each.querySelector('dd')?.textContent ?? '',
      ]),
    )
  return Object.fromEntries(texts)
}
/** The cells of a table's body; an instant is told as its time of day in UTC. */
const cellsOf = (table: Locator): Promise<string[][]> =>
  table.locator('tbody tr').evaluateAll((all) =>
    all.map((row) =>
      [...row.querySelectorAll('td')].map((cell) => {
        const time = cell.querySelector('time')
        return time && cell.children.length === 1 ? time.dateTime : (cell.textContent ?? '').trim()
      }),
    ),
  )
const open = async (path: string): Promise<{ page: Page; faults: readonly string[] }> => {
  const seat = await dashboard.open(path)
  await arrive(dashboard, seat.page, path)
  return seat
}

/** Every number that a page shows, compared with the tables; and what opening and typing costs. */
export function describeMany(handoffs: number): void {
  describe(`the dashboard over ${inDigits(handoffs)} handoffs`, () => {
    before(async () => {
      dashboard = await openDashboard(async (where) => {
        await ask(where, 'init')
        // The first write makes the store, so it is this user's own.
        await ask(where, 'agent', 'add', 'codex')
        await fillWorkspace(join(where.cwd, '.baton', 'baton.db'), handoffs)
      })
      db = new DatabaseSync(join(dashboard.where.cwd, '.baton', 'baton.db'), { readOnly: true })
    })
    after(async () => {
      db?.close()
      await dashboard?.close()
    })

    // An open page reads again whenever something happens, which at this size keeps the next one waiting.
    afterEach(async () => {
      for (const context of dashboard.browser.contexts()) await context.close()
    })

    it('counts every column of the board, shows its newest, and finds any of them', async () => {
      const { page, faults } = await open('/')
      for (const [title, states] of Object.entries(COLUMNS)) {
        const all = count(`SELECT count(*) FROM handoff WHERE state IN (${inList(states)})`)
        const column = region(page, title)
        await until(
          `the count of ${title}`,
          async () => /[\d,]+$/.exec(await column.getByRole('heading').innerText())?.[0] === inDigits(all),
        )
        const newest = rows(
          `SELECT id FROM handoff WHERE state IN (${inList(states)}) ORDER BY uid DESC LIMIT ${SHOWN}`,
        )
        const shown = await column.locator('.tile').evaluateAll((all) => all.map((each) => each.dataset.id))
        assert.deepEqual(shown, newest.flat(), title)
      }
      const waiting = count(`SELECT count(*) FROM handoff WHERE waiting_for = 'human'`)
      const badge = waiting > INBOX ? `${INBOX}+` : String(waiting)
      await page.getByRole('link', { name: `Inbox${badge} waiting for you`, exact: true }).waitFor()
      const field = page.getByRole('searchbox')
      await field.fill(`of work ${handoffs - 289}`)
      await until('only that one', async () => {
        const titles = await page.locator('.tile b').allTextContents()
        return titles.length === 1 && titles[0] === `Piece of work ${handoffs - 289}`
      })
      await field.fill('ho-2026-017')
      await page.locator('.tile b').getByText('Piece of work 17', { exact: true }).waitFor()
      assert.deepEqual(faults, [])
    })

    it('shows the oldest and most urgent of all gates in the inbox, and says that there are more', async () => {
      const { page } = await open('/inbox')
      const waiting = rows(`SELECT id FROM handoff WHERE waiting_for = 'human' ORDER BY rank, uid`).flat()
      const cards = page.getByRole('region', { name: /^Decision on / })
      const [first, all] = [Math.min(25, waiting.length), Math.min(INBOX, waiting.length)]
      await until('the first cards', async () => (await cards.count()) === first)
      if (all > first) await page.getByRole('button', { name: `Show ${all - first} more` }).click()
      await until('all cards', async () => (await cards.count()) === all)
      assert.deepEqual(
        await cards.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label'))),
        waiting.slice(0, INBOX).map((id) => `Decision on ${id}`),
      )
      assert.equal(await page.getByText('There are more.').count(), waiting.length > INBOX ? 1 : 0)
    })

    it('lists the newest of all, and of a question all that there are, in the order of a column', async () => {
      const { page, faults } = await open('/list')
      const shown = () =>
        page.locator('.list [data-id]').evaluateAll((all) => all.map(({ dataset }) => dataset.id))
      const newest = (most: number) => rows('SELECT id FROM handoff ORDER BY uid DESC LIMIT ?', most).flat()
      assert.deepEqual(await shown(), newest(SHOWN))
      await page.getByText(`These are the newest ${SHOWN}; there are more.`).waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
      await until('more', async () => (await shown()).length === MOST_LISTED)
      assert.deepEqual(await shown(), newest(MOST_LISTED))

      const [[name] = []] = rows(
        `SELECT to_agent FROM handoff WHERE state = 'failed' GROUP BY 1 HAVING count(*) BETWEEN 2 AND ${SHOWN}`,
      )
      await arrive(dashboard, page, `/list?q=to%3A${name}+state%3Afailed&sort=changed`)
      const failed = rows(
        `SELECT id FROM handoff WHERE to_agent = ? AND state = 'failed' ORDER BY doc->>'updated_at'`,
        name ?? '',
      ).flat()
      assert.ok(failed.length > 1, `${failed.length} of ${name} have failed`)
      assert.deepEqual(await shown(), failed)
      assert.deepEqual(faults, [])
    })

    it('[B8] counts all handoffs of the window in the metrics, in sum and day by day', async () => {
      const { page, faults } = await open('/metrics?window=90d')
      const shown = await figures(page)
      const of = (states: string) => count(`SELECT count(*) FROM handoff WHERE state IN (${states})`)
      const [completed, failed] = [of(`'completed'`), of(FAILED)]
      const took = rows(`SELECT ${TOOK} FROM handoff WHERE state = 'completed'`).flat().map(Number)
      assert.deepEqual(shown, {
        sent: inDigits(count('SELECT count(*) FROM handoff')),
        completed: inDigits(completed),
        failed: inDigits(failed),
        rejected: inDigits(of(`'rejected'`)),
        'failure rate': percentOf(failed / (completed + failed)),
        'median time': spanOfMs(medianOf(took)),
      })

      const days = (at: string, what: string, where: string) =>
        rows(
          `SELECT substr(doc->>'${at}', 1, 10) || 'T00:00:00.000Z' AS day, ${what} FROM handoff WHERE ${where} GROUP BY 1 ORDER BY 1`,
        ).map((row) => row.map(String))
      const table = async (name: string) => {
        await region(page, name).getByText('Numbers', { exact: true }).click()
        return cellsOf(region(page, name).getByRole('table'))
      }
      assert.deepEqual(await table('Sent'), days('created_at', 'count(*)', 'true'))
      const sum = (states: string) => `sum(state IN (${states}))`
      const ends = `${sum(`'completed'`)}, ${sum(FAILED)}, ${sum(`'rejected'`)}`
      assert.deepEqual(
        await table('Outcomes'),
        days('ended_at', ends, `state IN ('completed', 'rejected', ${FAILED})`),
      )
      const byDay = Map.groupBy(
        rows(
          `SELECT substr(doc->>'ended_at', 1, 10) || 'T00:00:00.000Z', ${TOOK} FROM handoff WHERE state = 'completed' ORDER BY 1`,
        ),
        ([day]) => String(day),
      )
      assert.deepEqual(
        await table('Time to completion'),
        [...byDay].map(([day, all]) => [day, spanOfMs(medianOf(all.map(([, ms]) => Number(ms))))]),
      )
      assert.deepEqual(faults, [])
    })

    it('sums up what agents reported over all of their reports', async () => {
      const { page } = await open('/metrics?by=agent')
      const reported = region(page, 'Reported by agents')
      const one = (value: number) => String(Math.round(value * 10) / 10)
      const texts = await reported.locator('h3 + p').allInnerTexts()
      const agents = rows('SELECT from_agent, count(*) FROM block GROUP BY 1').length
      assert.equal(texts.length, agents)
      assert.equal(
        texts.reduce((all, text) => all + Number.parseInt(text, 10), 0),
        count('SELECT count(*) FROM block'),
      )
      for (const agent of ['receiver-0', 'receiver-7', 'receiver-99']) {
        const passed = `doc->'metrics'->>'tests_passed'`
        const [[times, average, least, most, sum] = []] = rows(
          `SELECT count(*), avg(${passed}), min(${passed}), max(${passed}), sum(${passed}) FROM block WHERE from_agent = ?`,
          agent,
        ).map((row) => row.map(Number))
        const table = region(page, `Metrics of ${agent}`).getByRole('table')
        const row = (await cellsOf(table)).find(([name]) => name === 'tests passed')
        assert.deepEqual(row?.slice(1), [times!, average!, least!, most!, sum!].map(one), agent)
      }
    })

    it('[B9] draws the busiest pairs with the numbers of all, and the rest as one', async () => {
      const { page } = await open('/agents?window=90d')
      const pairs = rows(
        `SELECT from_agent, to_agent, count(*), sum(state = 'completed'), sum(state IN (${FAILED})), sum(state = 'rejected')
          FROM handoff GROUP BY 1, 2 ORDER BY 3 DESC, from_agent || ' ' || to_agent`,
      )
      const flow = region(page, 'Handoff flow')

      await flow.getByText(`The 40 busiest of ${inDigits(pairs.length)} pairs are drawn`).waitFor()
      const drawn = await flow
        .getByRole('link')
        .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''))
      for (const label of drawn) {
        const [name = '', shown, side] = label.split(' ')
        const column = side === 'sent' ? 'from_agent' : 'to_agent'
        assert.equal(Number(shown), count(`SELECT count(*) FROM handoff WHERE ${column} = ?`, name), label)
      }
      assert.equal(await flow.locator('.ribbon').count(), 41)
      assert.equal(await flow.locator('.ribbon.others').count(), 1)
      assert.equal(await flow.locator('tr').count(), 0, 'the table is made when it is opened')
      await flow.getByText('Numbers', { exact: true }).click()
      await until('all pairs', async () => (await flow.getByRole('row').count()) === pairs.length + 1)
      assert.deepEqual(
        await cellsOf(flow.getByRole('table')),
        pairs.map(([from, to, made, done, failed, rejected]) => [
          ...[from, to, made, done, failed, rejected].map(String),
          percentOf(
            Number(done) + Number(failed) === 0
              ? undefined
              : Number(failed) / (Number(done) + Number(failed)),
          ),
        ]),
      )
    })

    it('shows who is overloaded first, and of every agent the numbers of all its work', async () => {
      const { page } = await open('/agents?window=90d')
      const table = region(page, 'Agents as a table')
      const names = new Set(rows('SELECT name FROM agent').flat().map(String))
      for (const side of ['from_agent', 'to_agent'])
        for (const [name] of rows(`SELECT DISTINCT ${side} FROM handoff`)) names.add(String(name))
      await until('every agent', async () => (await table.getByRole('row').count()) === names.size + 1)
      await page.getByText(`${names.size} of ${names.size}.`).waitFor()
      const shown = await table.locator('tbody tr').evaluateAll((all) =>
        all.map((row) => {
          const cells = [...row.querySelectorAll('td')]
          return [
            cells[0]?.querySelector('a')?.textContent ?? '',
            Number.parseInt(cells[1]?.textContent ?? '', 10),
            cells[2]?.querySelector('a')?.textContent ?? '',
            (cells[3]?.textContent ?? '').trim(),
            (cells[4]?.textContent ?? '').trim(),
          ] as const
        }),
      )
      const assigned = shown.map(([, many]) => many)
      assert.deepEqual(
        assigned,
        assigned.toSorted((a, b) => b - a),
      )
      for (const [name, many, oldest, failed, median] of shown) {
        const [[open = 0, first = ''] = []] = rows(
          `SELECT count(*), coalesce(min(doc->>'created_at' || ' ' || id), '') FROM handoff WHERE open = 1 AND to_agent = ?`,
          name,
        )
        const [[bad = 0, done = 0] = []] = rows(
          `SELECT sum(state IN (${FAILED})), sum(state = 'completed') FROM handoff WHERE to_agent = ?`,
          name,
        ).map((row) => row.map(Number))
        const took = rows(`SELECT ${TOOK} FROM handoff WHERE state = 'completed' AND to_agent = ?`, name)
        assert.deepEqual(
          [name, many, oldest, failed, median],
          [
            ...[name, open, String(first).split(' ')[1] ?? ''],
            bad > 0 ? `${bad} · ${percentOf(bad / (bad + done))}` : '0',
            spanOfMs(medianOf(took.flat().map(Number))),
          ],
        )
      }
    })

    it('[B6] [B7] counts all tasks and the whole critical path, and draws what matters in sight', async () => {
      const { page, faults } = await open('/tasks')
      await page.locator('.figure').first().waitFor()
      const status = (name: string) => count('SELECT count(*) FROM task WHERE status = ?', name)
      const ready = count(`SELECT count(*) FROM task WHERE status = 'todo' AND open_deps = 0`)
      // The longest chain of tasks that are not done, found without the columns that the page's answer comes from.
      const path = rows(`WITH RECURSIVE chain (uid, id, n) AS (
          SELECT uid, id, 1 FROM task WHERE status <> 'done' AND uid NOT IN (
            SELECT d.task FROM task_dep d JOIN task t ON t.uid = d.depends_on WHERE t.status <> 'done')
          UNION ALL SELECT t.uid, t.id, n + 1 FROM chain JOIN task_dep d ON d.depends_on = chain.uid
            JOIN task t ON t.uid = d.task WHERE t.status <> 'done')
        SELECT n, id FROM chain ORDER BY n DESC`)
      const left = Number(path[0]?.[0])
      assert.ok(left > 200, `the path has ${left} tasks`)

      assert.deepEqual(await figures(page), {
        ready: inDigits(ready),
        'in progress': inDigits(status('in_progress')),
        waiting: inDigits(status('todo') - ready),
        done: inDigits(status('done')),
        'left on the critical path': inDigits(left),
      })
      const cut = region(page, 'Ready now').getByText(`The first ${LISTED} of ${inDigits(ready)}.`)
      assert.equal(await cut.count(), ready > LISTED ? 1 : 0)
      await region(page, 'Critical path')
        .getByText(`And ${inDigits(left - LISTED)} more after these.`)
        .waitFor()
      const levels = rows(
        `SELECT level, sum(status <> 'done'), sum(status = 'todo' AND open_deps = 0), sum(status = 'done') FROM task GROUP BY 1`,
      ).map(
        ([level, open, can, done]) =>
          `${level} ${open} open${can ? `, ${can} ready` : ''}${done ? `, ${done} done` : ''}`,
      )
      const told = await page.getByRole('list', { name: 'Levels' }).getByRole('listitem').allInnerTexts()
      assert.deepEqual(
        told.map((each) => each.replaceAll(/\s+/g, ' ')),
        levels,
      )
      const all = region(page, 'All tasks')
      await all.getByText(`${inDigits(count('SELECT count(*) FROM task'))} tasks`).waitFor()
      // The end of the path lies far behind what an answer holds of it.
      const end = all.getByRole('row', { name: new RegExp(`^${path[0]?.[1]} `) })
      for (let pages = 1; pages < left / SHOWN; pages++) {
        const first = await all.getByRole('link').first().innerText()
        await all.getByRole('button', { name: 'Next page' }).click()
        await until('other tasks', async () => (await all.getByRole('link').first().innerText()) !== first)
      }
      await end.getByText('critical', { exact: true }).waitFor()
      await all.getByRole('link').nth(30).click()
      const id = new URL(page.url()).searchParams.get('open') ?? ''
      const node = page.getByRole('region', { name: /^Dependencies: / }).locator('.node.chosen')
      const isInSight = async () => {
        const [box, room] = [await node.boundingBox(), await page.locator('.picture .scroll').boundingBox()]
        return box && room && box.x >= room.x && box.x + box.width <= room.x + room.width
      }
      await until('it in the picture', isInSight)
      assert.match((await node.getAttribute('aria-label')) ?? '', new RegExp(`${id} · `))
      const nodes = await page.locator('.picture .node').count()
      assert.ok(nodes >= 2 && nodes <= 80, `${nodes} nodes are drawn`)
      // This far along the path the picture is wider than its room.
      await arrive(dashboard, page, `/tasks?open=${path.find(([n]) => n === 35)?.[1]}`)
      await until('the task far to the right in the picture', isInSight)
      await all.getByLabel('Status').selectOption('done')
      await all.getByText(`${inDigits(status('done'))} tasks`).waitFor()
      assert.deepEqual(faults, [])
    })

    it('filters the runs by state, over all of them, page by page', async () => {
      const { page } = await open('/workflows')
      const names = page.locator('tbody tr td:first-child small')
      for (const [state] of rows('SELECT DISTINCT state FROM run')) {
        const wanted = rows('SELECT id FROM run WHERE state = ? ORDER BY uid DESC', state!).flat()
        await page.getByLabel('State').selectOption(String(state))
        for (let from = 0; from < wanted.length; from += SHOWN) {
          if (from > 0) await page.getByRole('button', { name: 'Next page' }).click()
          const part = wanted.slice(from, from + SHOWN).join(' ')
          await until(`runs from ${from}`, async () => (await names.allTextContents()).join(' ') === part)
        }
        assert.equal(await page.getByRole('button', { name: 'Next page', disabled: false }).count(), 0)
      }
      await page.getByLabel('State').selectOption('failed')
      await until('only failed ones', async () => {
        const states = await page.locator('tbody tr .badge').allTextContents()
        return states.length > 0 && states.every((state) => state === 'failed')
      })
      assert.match(
        await page.locator('tbody tr').first().innerText(),
        /Release \d+ release-\d+\s+failed no access/,
      )
    })

    it('shows the log by the ids that people know, and of one handoff alone', async () => {
      const { page } = await open('/audit')
      const log = region(page, 'Log')
      const entries = count('SELECT count(*) FROM entry')
      await log.getByText(`${inDigits(entries)} entries`).waitFor()
      const signed = count('SELECT max(size) FROM checkpoint')
      await region(page, 'Checkpoint')
        .getByText(`${inDigits(signed)} entries, signed`)
        .waitFor()
      await region(page, 'Checkpoint').getByText('Verified in this browser').waitFor()
      const numbers = rows('SELECT id FROM entry ORDER BY id DESC LIMIT 50').flat().map(String)
      assert.deepEqual(
        (await cellsOf(log.getByRole('table'))).map(([number]) => number),
        numbers,
      )
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/v1/audit/log')) asked.push(request.url())
      })

      await typeAtOnce(log.getByRole('searchbox'), 'HO-2026-1000')

      const about = `FROM entry WHERE subject = (SELECT uid FROM handoff WHERE id = 'HO-2026-1000')`
      const its = count(`SELECT count(*) ${about}`)
      await until('its entries', async () => (await log.locator('tbody tr').count()) === its)
      assert.deepEqual([...new Set(await log.locator('tbody a').allTextContents())], ['HO-2026-1000'])
      assert.equal(asked.length, 1, asked.join('\n'))
      await arrive(dashboard, page, '/handoffs/HO-2026-1000')
      assert.equal(await region(page, 'Timeline').getByRole('listitem').count(), its)
    })

    it('opens every page with few requests, none of them twice, and without a long pause', async () => {
      const { page, faults } = await dashboard.open('/')
      const [run] = rows('SELECT id FROM run ORDER BY uid LIMIT 1').flat()
      const [task] = rows('SELECT id FROM task WHERE open_deps > 0 ORDER BY uid LIMIT 1').flat()
      const shows = {
        '/': 'Piece of work',
        '/list': 'Piece of work',
        '/inbox': 'points to validate',
        '/tasks': 'Critical path',
        '/agents': 'Handoff flow',
        '/workflows': 'Release',
        '/metrics': 'tests passed',
        '/audit': 'Verified in this browser',
        '/handoffs/HO-2026-1000': 'Verified in this browser',
        '/list?open=HO-2026-1000': 'Chain and proof',
        '/?open=HO-2026-1000': 'Chain and proof',
        [`/tasks?open=${task}`]: 'Waits for',
        '/agents?open=receiver-7': 'retries',
        [`/workflows/${run}`]: 'Result',
        '/new': 'Conditions for done',
        '/docs': 'Pages about Baton',
      }
      for (const [path, text] of Object.entries(shows)) {
        let work = 0
        const asked = await requestsOf(page, async () => {
          work = await longestWork(page, async () => {
            await arrive(dashboard, page, path)
            await page.getByRole('main').getByText(text).first().waitFor()
          })
        })
        assert.ok(asked.length <= MOST_REQUESTS, `${path} asked ${asked.length} times:\n${asked.join('\n')}`)
        assert.equal(new Set(asked).size, asked.length, `${path} asked twice:\n${asked.join('\n')}`)
        // In processor time: other programs do not count.
        assert.ok(work > 0 && work <= LONGEST_TASK_MS, `a task of ${path} took ${Math.round(work)} ms`)
      }
      assert.deepEqual(faults, [])
    })

    it('reads again once for many changes, and shows the last of them', async () => {
      const { page } = await dashboard.open('/')
      const sender = await dashboard.as('burst')
      await settle(page)
      await page.getByText('live', { exact: true }).waitFor()
      const columns = Object.keys(COLUMNS).length
      let lists = 0
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/v1/handoffs') lists += 1
      })

      for (let i = 1; i <= CHANGES; i++) await sender.handoff_send({ to: 'receiver-1', title: `Burst ${i}` })
      await page.getByText(`Burst ${CHANGES}`, { exact: true }).waitFor()

      assert.ok(lists >= columns, `${lists} lists were read`)
      assert.ok(lists < (CHANGES * columns) / 2, `${lists} lists were read for ${CHANGES} changes`)
    })
  })
}
