import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, doctorFinds, onTerminal, quick, type Where } from '../support/program/command.ts'

const run = (where: Where, line: string, ...more: string[]) => ask(where, ...line.split(' '), ...more)

describe('work is not lost by typing', () => {
  it('edit adds to lists, replaces them when told to, and says what is different', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await run(where, 'send --to codex --title Limits --criterion', 'A passes 1 test', '--summary', 'Old')
    const criteria = async () =>
      (await ask<{ package: { criteria: string[] } }>(where, 'show', '1')).package.criteria

    const added = await quick(where, 'edit', '1', '--criterion', 'B passes 2 tests', '--summary', 'New')
    assert.match(
      added.stdout,
      /\n {2}- summary: Old\n {2}\+ summary: New\n {2}\+ criteria: B passes 2 tests\n$/,
    )
    assert.deepEqual(await criteria(), ['A passes 1 test', 'B passes 2 tests'])

    const again = await quick(where, 'edit', '1', '--add-criterion', 'B passes 2 tests')
    assert.match(again.stdout, /nothing is different/)

    const replaced = await quick(where, 'edit', '1', '--replace', '--criterion', 'C passes 3 tests')
    assert.match(replaced.stdout, /- criteria: A passes 1 test\n {2}- criteria: B .*\n {2}\+ criteria: C/)
    assert.deepEqual(await criteria(), ['C passes 3 tests'])
  })

  it('an agent that is removed leaves a word about its open work, and a person may give it on', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    for (const to of ['codex', 'codex', 'gemini']) await run(where, `send --to ${to} --title Work`)

    const piped = await quick(where, 'agent', 'remove', 'codex')
    assert.match(
      piped.stderr,
      /codex still has 2 open handoffs: HO-\d{4}-002, HO-\d{4}-001\nnext: baton reassign HO-\d{4}-002 --to <agent>/,
    )

    const { code, shown } = onTerminal(where, ['agent', 'remove', 'gemini'], {
      steps: [['Give them to another agent', 'claude\n']],
    })
    assert.equal(code, 0, shown)
    assert.equal((await ask<{ handoff: { to: string } }>(where, 'show', '3')).handoff.to, 'claude')
  })

  it('doctor names open work of an agent that the list of agents does not have', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const list = (...names: string[]) =>
      writeFileSync(
        join(where.cwd, 'baton.yaml'),
        `agents: { ${names.map((name) => `${name}: {}`).join(', ')} }\n`,
      )
    list('codex', 'gemini')
    await run(where, 'send --to codex --title Work')
    assert.ok(!(await doctorFinds(where)).includes('agents'))

    list('gemini')

    const { stdout } = await quick(where, 'doctor')
    assert.match(
      stdout,
      /✗ agents\tcodex is not in the list of agents and has open work, such as (HO-\d{4}-001)\. Add codex to the list, or run: baton reassign \1 --to <agent>/,
    )
    await run(where, 'reassign 1 --to gemini')
    assert.ok(!(await doctorFinds(where)).includes('agents'))
    await run(where, 'agent remove gemini')
    assert.ok((await doctorFinds(where)).includes('agents'), 'a removed agent')
  })

  it('a receiver that looks like a known one is asked about at a terminal, in send and in reassign', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await run(where, 'send --to codex --title Work')

    for (const typed of [
      ['send', '--to', 'codx', '--title', 'More'],
      ['reassign', '1', '--to', 'codx'],
    ]) {
      const { code, shown } = onTerminal(where, typed, {
        steps: [['did you mean codex? Go on with codx?', 'n\n']],
      })
      assert.equal(code, 4, shown)
    }
    assert.equal((await ask<{ items: object[] }>(where, 'list', '--to', 'codx')).items.length, 0)
  })

  it('a receiver that looks like a known one is pointed out in a pipe too, by reassign as by send', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await run(where, 'send --to codex --title Work')

    const passed = await quick(where, 'reassign', '1', '--to', 'codx')
    const sent = await quick(where, 'send', '--to', 'codxe', '--title', 'More')

    assert.deepEqual([passed.code, sent.code], [0, 0])
    assert.match(passed.stderr, /^! codx is new here; did you mean codex\?$/m)
    assert.match(sent.stderr, /^! codxe is new here; did you mean cod/m)
  })

  it('evidence that names a file which is not there is pointed out, and handed in', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    await run(where, 'send --to codex --title Work --deliverable Docs --deliverable Notes')
    await run(where, 'accept 1 --as codex')
    writeFileSync(join(where.cwd, 'notes.md'), 'Notes')

    const { code, stderr } = await quick(
      where,
      ...[
        'submit',
        '1',
        '--as',
        'codex',
        '--evidence',
        'Docs=docs/limits.md',
        '--evidence',
        'Notes=notes.md',
      ],
    )
    assert.equal(code, 0)
    assert.equal(stderr, '! docs/limits.md is the evidence for "Docs", and no such file is here\n')
  })

  it('all notices are marked as seen at once, and one of ended work offers to send it again', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    for (const _ of 'ab') await run(where, 'send --to codex --title Work')
    for (const id of '12') await run(where, `reject ${id} --as codex -m late`)

    const { shown } = onTerminal(where, ['inbox'], { steps: [] })
    assert.match(shown, /next: baton resend HO-\d{4}-00[12]\s+next: baton notice ack --all/)
    assert.match((await quick(where, 'notice', 'ack', '--all')).stdout, /2 notices marked as seen/)
    assert.deepEqual((await ask<{ notices: object[] }>(where, 'inbox')).notices, [])
    assert.match((await quick(where, 'notice', 'ack')).stderr, /notice ack needs <uid>/)
  })

  it('show tells until when work can be accepted, when it is tried again, and since when it has ended', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const retry = ['--retry', '{"max": 3, "delay_s": 600, "multiplier": 2}']
    const sent = await ask<{ handoff: { ack_deadline: string } }>(
      where,
      ...['send', '--to', 'codex', '--title', 'Work', ...retry],
    )
    const offered = await quick(where, 'show', '1')
    assert.ok(offered.stdout.includes(`Accept\t${sent.handoff.ack_deadline}\n`), offered.stdout)
    await run(where, 'accept 1 --as codex')
    const failed = await ask<{ handoff: { not_before: string } }>(
      where,
      'fail',
      '1',
      '--as',
      'codex',
      '-m',
      'no disk',
    )
    const waiting = await quick(where, 'show', '1')
    assert.ok(waiting.stdout.includes(`Retry\t${failed.handoff.not_before}\n`), waiting.stdout)

    const { handoff } = await ask<{ handoff: { ended_at: string } }>(where, 'cancel', '1')
    await ask(where, 'comment', '1', 'Thank you')
    assert.ok((await quick(where, 'show', '1')).stdout.includes(`cancelled, ${handoff.ended_at}\n`))
  })

  it('a token ends at an instant as well as after a time', async (t) => {
    const where = { cwd: folders(t).repository('shop') }
    const create = (expires: string) =>
      quick(
        where,
        'token',
        'create',
        '--agent',
        'ci',
        '--scope',
        'handoff:read',
        '--expires',
        expires,
        '--json',
      )

    const at = new Date(Date.now() + 86_400_000).toISOString()
    assert.equal(JSON.parse((await create(at)).stdout).token.expires_at, at)
    for (const wrong of ['2020-01-31', '2020-01-99', 'soon']) assert.equal((await create(wrong)).code, 2)
  })
})
