import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newKeys } from '../../../../test/support/log/audit.ts'
import { by, ENGINES } from '../../../../test/support/program/workspace.ts'
import { get, openHttp } from '../../../../test/support/servers/http-workspace.ts'
import { run, until } from '../../../../test/support/store/store-units.ts'

const DAY_MS = 24 * 3_600_000

for (const engine of ENGINES)
  describe(`the figures of /metrics, on ${engine}`, () => {
    it('are those of the log, the deadlines, the messages, the streams and the event loop', async (t) => {
      const http = await openHttp(t, { engine, ...newKeys(t) })
      const token = await http.token('scraper')
      const scrape = async () => {
        const text = await (await http.request('/metrics', get(token))).text()
        return (series: string): number =>
          Number(
            text
              .split('\n')
              .find((line) => line.startsWith(`${series} `))
              ?.split(' ')[1],
          )
      }
      const send = () =>
        http.service.sending.send(by('ana'), { to: 'codex', title: 'x', summary: 'The plan stands here' })
      await send()
      await (await http.service.audit()).checkpoint()
      await send()
      await send()
      const first = await scrape()
      assert.equal(first('baton_log_unsigned_entries'), 2)
      const settled = ['baton_due_handoffs', 'baton_settling_lag_seconds', 'baton_delivery_lag_seconds']
      assert.deepEqual(settled.map(first), [0, 0, 0])
      const idle = [
        'baton_open{what="event_streams"}',
        'baton_open{what="waits"}',
        'baton_stream_lag_seconds',
      ]
      assert.deepEqual(idle.map(first), [0, 0, 0])

      const message = {
        kind: 'mail',
        attempts: 1,
        channel: 'c',
        event: 'gate',
        about: 'h',
        to: 'human',
      } as const
      const created_at = http.clock.text
      await run(http.store, {}, (view) =>
        view.putDelivery({ ...message, uid: 'm', created_at, due_at: created_at }),
      )
      http.clock.pass(DAY_MS + 30_000)
      const then = await scrape()
      assert.deepEqual(settled.map(then), [3, 30, DAY_MS / 1_000 + 30])
      assert.equal(then('baton_log_unsigned_seconds'), DAY_MS / 1_000 + 30)

      const leaving = new AbortController()
      await http.request('/v1/events', { ...get(token), signal: leaving.signal })
      // The delay is measured from turn to turn, so the loop has to turn before and after.
      const turns = () => new Promise((resolve) => setTimeout(resolve, 40))
      await turns()
      const end = performance.now() + 300
      while (performance.now() < end);
      await turns()

      const last = await scrape()
      assert.equal(last('baton_open{what="event_streams"}'), 1)
      assert.ok(last('baton_event_loop_lag_seconds{quantile="1"}') > 0.1)

      const { handoff } = await send()
      const path = `/v1/handoffs/${handoff.uid}/wait?timeout_s=60`
      const wait = http.request(path, { ...get(token), signal: leaving.signal })
      await until('the wait', async () => (await scrape())('baton_open{what="waits"}') === 1)
      // This entry is ten seconds old when the streams have read it.
      const { changes } = http.store
      http.store.changes = async (...asked) => {
        const found = await changes(...asked)
        if (found.entries.length > 0) http.clock.pass(10_000)
        return found
      }
      await send()
      await until('the stream has it', async () => (await scrape())('baton_stream_lag_seconds') >= 10)
      http.store.changes = changes
      leaving.abort()
      await wait
      await http.service.settle()
      await until(
        'the stream has ended',
        async () => (await scrape())('baton_open{what="event_streams"}') === 0,
      )
      assert.deepEqual(settled.slice(0, 2).map(await scrape()), [0, 0])
    })
  })
