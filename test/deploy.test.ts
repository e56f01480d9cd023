import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { get, openHttp } from './support/servers/http-workspace.ts'

const DOCS = resolve(import.meta.dirname, '../docs')
const text = (name: string): string => readFileSync(resolve(DOCS, name), 'utf8')
const PAGE = text('how-to/operate.md')

/** A query names a series of a histogram; the page and `# TYPE` name the histogram. */
const namesIn = (query: string): string[] =>
  [...query.matchAll(/\bbaton_\w+/g)].map(([name]) =>
    name.replace(/_seconds_(?:bucket|sum|count)$/, '_seconds'),
  )
const unique = (names: readonly string[]): string[] => [...new Set(names)].sort()

describe('metrics', () => {
  it('are all in the table of the page for operators and on the dashboard, and nothing else is', async (t) => {
    const http = await openHttp(t)
    const answer = await http.request('/metrics', get(await http.token('scraper')))
    const exposed = [...(await answer.text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!)
    const tabled = PAGE.split('\n').filter((line) => line.startsWith('| `baton_'))
    const { panels } = JSON.parse(text('deploy/grafana.json')) as {
      panels: readonly { id: number; targets: readonly { expr: string }[] }[]
    }
    const asked = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr)))

    assert.deepEqual(unique(tabled.flatMap((line) => namesIn(line.split('|')[1]!))), unique(exposed))
    assert.deepEqual(unique(asked), unique(exposed))
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  })

  it('are what the alerts of the page ask for, and each alert says what to do', async (t) => {
    const http = await openHttp(t)
    const answer = await (await http.request('/metrics', get(await http.token('scraper')))).text()
    const block = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml]) => yaml!).at(-1)!
    const { groups } = parse(block) as { groups: { rules: { alert: string; expr: string; for: string }[] }[] }
    const rules = groups.flatMap((group) => group.rules)

    for (const name of rules.flatMap(({ expr }) => namesIn(expr)))
      assert.ok(answer.includes(`# TYPE ${name} `), name)
    const told = unique(
      PAGE.split('\n').flatMap((line) =>
        line.startsWith('| Baton') ? (line.split('|')[1]!.match(/\w+/g) ?? []) : [],
      ),
    )
    assert.deepEqual(unique(rules.map(({ alert }) => alert)), told)
  })
})

describe('the systemd unit', () => {
  it('starts a server as a user of its own, with its secrets in a file', () => {
    const unit = text('deploy/baton.service')
    const keys = new Map(
      unit.split('\n').flatMap((line) => {
        const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
        return key === undefined ? [] : [[key, value!] as const]
      }),
    )

    assert.match(keys.get('ExecStart') ?? '', /^\/usr\/bin\/env baton serve .*--allow-host/)
    assert.deepEqual(
      ['User', 'EnvironmentFile', 'Restart', 'NoNewPrivileges', 'ProtectSystem', 'WantedBy'].map((key) =>
        keys.get(key),
      ),
      ['baton', '/etc/baton/env', 'always', 'true', 'strict', 'multi-user.target'],
    )
    assert.deepEqual(
      [...unit.matchAll(/^\[(\w+)\]$/gm)].map(([, section]) => section),
      ['Unit', 'Service', 'Install'],
    )
    // Longer than the calls in flight may take.
    assert.ok(Number(keys.get('TimeoutStopSec')) > 5)
  })
})

describe('the page about PostgreSQL', () => {
  it('tells how a store moves there, and both lists of pages lead to it', () => {
    assert.match(text('how-to/postgres.md'), /^baton store move --to postgres:\/\//m)
    for (const list of ['README.md', '../README.md']) assert.match(text(list), /how-to\/postgres\.md\)/)
  })
})
