import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../../src/client.ts'
import { arrive, type Dashboard, ME, openDashboard, type Seat, until } from './dashboard.ts'

const RUN = 'window.owned=1;alert(1)'
const OUT = 'http://beacon.invalid'
/** Ways in which a text becomes a script, a request or a way out of the page. */
const ATTACKS = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.owned=1</script>"></iframe>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<input autofocus onfocus="${RUN}">`,
  `<video><source onerror="${RUN}"></video>`,
  `<object data="javascript:${RUN}"></object><embed src="${OUT}/e">`,
  `<math><mtext><style><img src=x onerror="${RUN}"></style></mtext></math>`,
  `<base href="${OUT}/"><meta http-equiv=refresh content="0;url=${OUT}/m">`,
  `<form action="${OUT}/f"><button formaction="javascript:${RUN}">go</button></form>`,
  `<style>@import "${OUT}/s.css"; body{background:url(${OUT}/b)}</style>`,
  `<link rel=stylesheet href="${OUT}/l.css">`,
  `[a](javascript:${RUN})`,
  `[b](JaVaScRiPt:${RUN})`,
  `[c](&#106;avascript:${RUN})`,
  `[d](java\tscript:${RUN})`,
  `[e](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[f](vbscript:msgbox)`,
  `[g][1]\n\n[1]: javascript:${RUN}`,
  `[h](//beacon.invalid/h)`,
  `<javascript:${RUN}>`,
  `![i](${OUT}/i.png)`,
  `![j](x"onerror="${RUN})`,
  `\`\`\`html\n<script>${RUN}</script>\n\`\`\``,
  `\u202e<script>${RUN}</script>\u202c`,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}}`,
  `✔ verified "><img src=x onerror=${RUN}>`,
] as const
const RECORD = { branch: 'feature/t-1', commit_sha: 'abc123def456789abcdef456789abcdef456789a' }
const ALL = ATTACKS.join('\n\n')
const LINE = ATTACKS.map((attack) => attack.replaceAll(/\s+/g, ' '))
  .join(' ')
  .slice(0, 1_900)

let dashboard: Dashboard
let seat: Seat

before(async () => {
  dashboard = await openDashboard()
  seat = await dashboard.open('/')
})
after(() => dashboard.close())

describe('text of a hostile agent', () => {
  it('[T16] is text on every page: no script runs, no dialog opens, no request leaves', async () => {
    const [mallory, codex] = [await dashboard.as('mallory'), await dashboard.as('codex')]
    const ids = await attack(mallory, codex)
    const pages = ['/', '/inbox', ...ids.map((id) => `/handoffs/${encodeURIComponent(id)}`)]

    for (const path of [...pages, '/tasks', '/agents', '/workflows', '/metrics', '/audit']) {
      await visit(path)
      if (!pages.includes(path)) continue
      assert.equal(
        await seat.page.locator('main img:not([alt=""]), main iframe, main object, main embed').count(),
        0,
        path,
      )
      assert.equal(
        await seat.page.locator('main script, main style, main link, main form[action]').count(),
        0,
        path,
      )
      const links = await seat.page
        .locator('main a')
        .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol))
      assert.deepEqual(
        [...new Set(links)].filter((protocol) => !/^(https?|mailto):$/.test(protocol)),
        [],
        path,
      )
      assert.match((await seat.page.locator('main').textContent()) ?? '', /<script>window\.owned=1/, path)
    }

    assert.equal(await seat.page.evaluate(() => 'owned' in window), false)
    assert.deepEqual(seat.faults, [])
  })

  it('is text in the documents of every dialect and in the palette', async () => {
    const [id = ''] = (await dashboard.as('mallory').then((c) => c.handoff_list({ limit: 1 }))).items.map(
      (h) => h.id,
    )
    await visit(`/handoffs/${encodeURIComponent(id)}`)
    const source = seat.page.getByRole('region', { name: 'As a document' })

    for (const dialect of ['markdown', 'queue', 'block', 'writeback', 'package']) {
      await source.getByRole('button', { name: dialect }).click()
      await source.locator('pre').or(source.getByRole('alert')).first().waitFor()
    }
    await seat.page.keyboard.press('Control+k')
    await seat.page.keyboard.type('<script>')
    await seat.page
      .getByRole('option', { name: /<script>/ })
      .first()
      .waitFor()

    assert.equal(await seat.page.evaluate(() => 'owned' in window), false)
    assert.deepEqual(seat.faults, [])
  })

  it('[T23] cannot make itself a badge of the verifier', async () => {
    await visit('/')
    const badges = await seat.page.locator('.badge, .mark').allTextContents()

    assert.deepEqual(
      badges.filter((text) => /verified|✔|✓/i.test(text)),
      [],
    )
  })
})

describe('the pages of the dashboard', () => {
  it('come with a policy that lets nothing in and nothing out', async () => {
    const response = await seat.page.request.get(`${dashboard.url}/inbox`)

    assert.equal(
      response.headers()['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    assert.deepEqual(
      ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'cross-origin-opener-policy'].map(
        (name) => response.headers()[name],
      ),
      ['nosniff', 'DENY', 'no-referrer', 'same-origin'],
    )
  })

  it('report what the policy forbids, so that the silence of the other tests means something', async () => {
    const { page, faults } = await dashboard.open('/')

    const refused = await page.evaluate(() => {
      const picture = document.createElement('img')
      picture.src = 'http://beacon.invalid/x.png'
      document.body.append(picture)
      try {
        picture.outerHTML = '<b>markup</b>'
        return false
      } catch {
        return true
      }
    })
    await until('the report', async () => faults.some((fault) => /img-src/.test(fault)))

    assert.equal(refused, true)
  })
})

const visit = (path: string): Promise<void> => arrive(dashboard, seat.page, path)

/** Puts the attacks into every field that takes text; answers what is worth opening. */
async function attack(mallory: Client, codex: Client): Promise<readonly string[]> {
  const title = LINE.slice(0, 280)
  const text = { summary: ALL, purpose: ALL, context: ALL }
  const { handoff } = await mallory.handoff_send({
    to: 'codex',
    title,
    alias: `'><script>${RUN}</script>`.replaceAll('/', '.'),
    ...text,
    deliverables: [LINE],
    criteria: [LINE],
    constraints: [LINE],
    decisions: [{ id: title, decision: ALL, rationale: ALL }],
    artifacts: [{ path: LINE.slice(0, 900), description: ALL, type: '<b>' }],
    open_questions: [{ question: ALL, context: ALL }],
    links: { [title]: `javascript:${RUN}` },
    data: { [title]: ALL },
    input: { [title]: ALL },
  })
  const { id } = handoff
  await codex.handoff_accept({ id })
  await codex.handoff_heartbeat({ id, blocked: LINE.slice(0, 1_900) })
  await codex.handoff_heartbeat({ id, blocked: false })
  await codex.handoff_ask({ id, question: LINE })
  await mallory.handoff_answer({ id, text: LINE })
  await codex.handoff_submit({
    id,
    note: ALL,
    evidence: [{ deliverable: LINE, evidence: ALL }],
    output: { [title]: ALL },
    next_steps: [ALL],
  })
  await mallory.handoff_verify({ id, pass: false, note: LINE })
  const gate = await mallory.handoff_send({
    to: 'human',
    type: 'gate',
    title,
    gate: { name: title.slice(0, 190) },
    ...text,
    validation_request: { items: [LINE], options: { approve: LINE, reject: LINE } },
  })
  await mallory.task_create({ id: 'T-1', title, criteria: [LINE] })
  await mallory.task_start({ id: 'T-1' })
  await mallory.task_complete({ ...RECORD, task_id: 'T-1', summary: ALL.slice(0, 7_900), tests_run: [title] })
  await mallory.agent_add({ name: 'mallory', capabilities: ATTACKS.map((each) => each.slice(0, 100)) })
  const me = await dashboard.as(ME, 'human')
  const rejected = await me.handoff_send({ to: 'mallory', title: 'Clean up' })
  await mallory.handoff_reject({ id: rejected.handoff.id, reason: LINE })
  const asked = await me.handoff_send({ to: 'mallory', title })
  await mallory.handoff_accept({ id: asked.handoff.id })
  await mallory.handoff_ask({ id: asked.handoff.id, question: LINE })
  return [id, gate.handoff.id, rejected.handoff.id, asked.handoff.id]
}
