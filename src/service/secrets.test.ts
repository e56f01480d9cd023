import assert from 'node:assert/strict'
import { it } from 'node:test'
import { by, describeOnEngines, person, type Workspace } from '../../test/support/program/workspace.ts'
import { recordIn } from '../audit/entry.ts'
import type { Call } from './deps.ts'
import { adminStream } from './log-record.ts'

/** Put together here, so that no file of ours holds what looks like a key. */
const KEY_ID = ['AK', 'IA', 'Z7Q4M2K9P3X8W6T1'].join('')
const REFUSED = { code: 'invalid_input', message: /^summary holds what looks like an AWS access key/ }

const there = (name: string, auth: 'tty' | 'token'): Call => ({
  actor: { ...person(name).actor, auth },
  notSecret: true,
})

const send = ({ service }: Workspace, call: Call) =>
  service.sending.send(call, {
    to: 'codex',
    title: 'Look',
    summary: `The id ${KEY_ID} is public, look at it`,
  })

describeOnEngines('what looks like a secret', (open) => {
  it('passes where a person who is there says that it is none, and the log says who let it pass', async (t) => {
    const w = await open(t)

    const sent = await send(w, there('maria', 'tty'))
    await send(w, there('paul', 'token'))

    assert.match((await w.service.looking.get(sent.handoff.uid)).content.package.summary ?? '', /^The id AK/)
    const entries = await w.store.entries(adminStream(w.service.deps), 0, 100)
    const passed = entries.filter(({ act }) => act === 'secret.pass')
    assert.deepEqual(
      passed.map((entry) => [recordIn(entry).actor.id, entry.subject === sent.handoff.uid]),
      [
        ['maria', true],
        ['paul', false],
      ],
    )
    const said = passed.flatMap(({ disclosures = [] }) =>
      disclosures.map((text) => Buffer.from(text, 'base64url').toString()),
    )
    assert.ok(said.some((text) => text.includes('summary: an AWS access key')))
    assert.ok(said.every((text) => !text.includes(KEY_ID)))
  })

  it('is refused whoever else says so, and nothing is written', async (t) => {
    const w = await open(t)
    const codex = by('codex')

    for (const call of [
      person('maria'),
      { ...person('maria'), notSecret: true },
      { ...codex, notSecret: true },
      { actor: { ...codex.actor, auth: 'token' as const }, notSecret: true },
      { actor: { ...codex.actor, auth: 'tty' as const }, notSecret: true },
      { actor: { ...person('maria').actor, auth: 'tty' as const } },
    ])
      await assert.rejects(send(w, call), REFUSED)

    assert.deepEqual((await w.service.looking.list({}, { limit: 9 })).items, [])
  })
})
