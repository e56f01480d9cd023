import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { widthOf } from '../../src/transports/cli/screen/width.ts'
import { folders } from '../support/documents/folders.ts'
import { ask, BATON, baton, cleanEnv, lines, onTerminal, quick } from '../support/program/command.ts'

const ESCAPE = '\u001b['

describe('on a terminal', () => {
  // A name of one's own would take another width than this one.
  const where = { cwd: folders({ after }).repository('shop'), env: { BATON_AGENT: 'maria' } }
  before(async () => {
    for (let i = 1; i <= 3; i++)
      await ask(
        where,
        'send',
        '--to',
        'codex',
        '--title',
        `Number ${i} with a title that is far too long for eighty columns of any terminal`,
        '--deliverable',
        'Docs',
      )
  })

  it('answers have colour, stand in columns and tell times as people do', () => {
    const { code, raw, shown } = onTerminal(where, ['inbox', '--as', 'codex'])

    assert.equal(code, 0)
    assert.ok(raw.includes(ESCAPE))
    const rows = shown.split('\n').filter((line) => line.includes('HO-'))
    assert.equal(rows.length, 4)
    for (const row of rows) assert.ok(widthOf(row) <= 80, row)
    assert.match(
      rows[0]!,
      /^ {2}accept {2}HO-\d{4}-001 {2}Number 1 with .*… {2}from maria {2}accept in 24 h$/,
    )
    assert.match(shown, /next: baton accept HO-\d{4}-001 --as codex/)
  })

  it('colour is left out when it is not wanted, and the text stays', () => {
    const plain = onTerminal(where, ['inbox', '--as', 'codex'], {})
    for (const { raw, shown } of [
      onTerminal({ ...where, env: { ...where.env, NO_COLOR: '1' } }, ['inbox', '--as', 'codex']),
      onTerminal(where, ['inbox', '--as', 'codex', '--no-color']),
      onTerminal({ ...where, env: { ...where.env, TERM: 'dumb' } }, ['inbox', '--as', 'codex']),
    ]) {
      assert.equal(raw.includes(ESCAPE), false)
      assert.equal(shown, plain.shown)
    }
  })

  it('a pipe gets plain lines that stay the same, with instants in full', async () => {
    const first = await baton(where, 'handoff', 'list')
    const second = await baton(where, 'handoff', 'list')

    assert.equal(first.stdout, second.stdout)
    assert.match(
      first.stdout,
      /^(HO-\d{4}-\d{3}\toffered\t[^\t]+\tcodex\t[^\t]+\t\d{4}-\d\d-\d\dT[\d:.]+Z\n){3}$/,
    )
  })

  it('[T17] text of agents moves no cursor, neither on a terminal nor in a pipe', async () => {
    const title = 'Evil\u001b]0;owned\u0007\u001b[2J\u202e title\r'
    await ask(where, 'send', '--to', 'gemini', '--title', title, '--summary', 'a\u001b[31mb\u0007\nc')

    const { raw } = onTerminal(where, ['show', '@', '--as', 'gemini', '--no-color'])
    const piped = await baton(where, 'show', '@', '--as', 'gemini')

    for (const text of [raw.replaceAll('\r\n', '\n'), piped.stdout]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      assert.match(text, /Evil title/)
    }
  })

  it('a refusal is one sentence whose lines break between words', () => {
    const { code, shown } = onTerminal(where, ['show', 'HO-2001-999'], { columns: 44 })

    assert.equal(code, 3)
    for (const line of shown.split('\n')) assert.ok(widthOf(line) <= 44, line)
    assert.match(shown, /^✗ there is no handoff HO-2001-999; see what\n {2}is there with: baton list\n$/)
  })

  it('verify shows what was handed in, takes a no with its reason, and asks again for anything else', async () => {
    await ask(where, 'accept', '1', '--as', 'codex')
    await ask(where, 'submit', '1', '--as', 'codex', '--evidence', 'Docs=docs/limits.md')

    const { code, shown } = onTerminal(where, ['verify', '@'], {
      steps: [
        ['Does it pass? [y/n]', 'perhaps\n'],
        ['Does it pass? [y/n]', 'n\n'],
        ['What must codex correct?', 'bursts are not covered\n'],
      ],
    })

    assert.equal(code, 0, shown)
    assert.match(shown, /✓ Docs\n +=\s+docs\/limits\.md/)
    assert.match(shown, /✓ HO-\d{4}-001 goes back to codex with your reason/)
    const { verifications } = await ask<{ verifications: { note: string }[] }>(where, 'show', '1')
    assert.equal(verifications[0]?.note, 'bursts are not covered')
  })

  it('a person cancels stuck work of others after a yes, and a pipe does not', async () => {
    const here = { cwd: where.cwd }
    const { handoff } = await ask<{ handoff: { id: string } }>(
      where,
      ...['send', '--as', 'planner', '--to', 'codex', '--title', 'Stuck'],
    )
    const asked = 'in place of its sender planner?'
    const piped = await baton(here, 'cancel', handoff.id)
    const no = onTerminal(here, ['cancel', handoff.id], { steps: [[asked, 'n\n']] })
    const yes = onTerminal(here, ['cancel', handoff.id], { steps: [[asked, 'y\n']] })

    assert.deepEqual([piped.code, no.code, yes.code], [4, 4, 0])
    const { timeline } = await ask<{ timeline: { act: string }[] }>(where, 'show', handoff.id)
    assert.deepEqual(timeline.at(-1)?.act, 'handoff.override_cancel')
  })

  it('a rejection in the inbox names the handoff that was rejected', async (t) => {
    const here = { cwd: folders(t).repository('rejected') }
    await ask(here, 'send', '--to', 'codex', '--title', 'Publish')
    await ask(here, 'reject', '1', '--as', 'codex', '-m', 'no access')

    const { shown } = onTerminal(here, ['inbox'])

    assert.match(shown, /! +rejected +HO-\d{4}-001 +Handoff rejected: no access /)
  })

  it('init names the next steps in lines that fit and that a shell takes as they are', (t) => {
    for (const dialect of ['native', 'markdown', 'package']) {
      const cwd = folders(t).repository('shop')
      const steps = [['Write these? [Y/n]', '\n']] as const
      const { shown } = onTerminal({ cwd }, ['init', '--dialect', dialect], { steps })

      const next = shown.slice(shown.indexOf('next: '))
      for (const line of lines(next)) assert.ok(widthOf(line) <= 80, line)
      assert.match(next, /\nto connect an agent: baton setup claude-code [^;]*\n[^;]*git\)\n$/)
      const [typed] = /baton send(?:.*\\\n)*.*/.exec(next)!
      assert.match(typed.replaceAll('\\\n', ''), /^baton send (?:--[a-z]+ (?:"[^"]+"|\S+) ?)+$/)
    }
  })

  it('init shows what it will write, and a no writes nothing', async (t) => {
    const cwd = folders(t).folder('fresh')

    const no = onTerminal({ cwd }, ['init'], { steps: [['Write these? [Y/n]', 'n\n']] })
    assert.deepEqual([no.code, existsSync(join(cwd, 'baton.yaml'))], [0, false])
    const yes = onTerminal({ cwd }, ['init'], { steps: [['Write these? [Y/n]', '\n']] })

    assert.match(yes.shown, /\+ baton\.yaml {2}will be written/)
    assert.match(yes.shown, /✓ baton\.yaml {2}written/)
    assert.match(readFileSync(join(cwd, 'baton.yaml'), 'utf8'), /^#/)
    const again = await quick({ cwd }, 'init')
    assert.deepEqual([again.code, again.stdout], [0, '✓ everything is there already\n'])
  })

  it('trust shows what it lets take effect and asks; without a terminal it is refused', async (t) => {
    const files = folders(t)
    const cwd = files.repository('shop')
    files.file('shop/baton.yaml', 'store: ./other.db\n')

    const piped = await baton({ cwd }, 'trust')
    const before = await quick({ cwd }, 'trust', '--check')
    const { code, shown } = onTerminal({ cwd }, ['trust'], { steps: [['[y/N]', 'y\n']] })
    const afterwards = await quick({ cwd }, 'trust', '--check')
    const inbox = await quick({ cwd }, 'inbox')

    assert.deepEqual([piped.code, before.code, code, afterwards.code], [4, 4, 0, 0])
    assert.equal(inbox.code, 0, 'a store that baton.yaml names may be yet to come')
    assert.match(shown, /sets store:\s+│ store: \.\/other\.db/)
    assert.match(shown, /✓ trusted until it changes/)
    files.file('shop/baton.yaml', 'store: ./another.db\n')
    assert.equal((await quick({ cwd }, 'trust', '--check')).code, 4)
  })

  it('watch shows what happened and follows until Ctrl-C', () => {
    const { code, shown } = onTerminal(where, ['watch', '--since', '0'], { steps: [['HO-', '\u0003']] })

    assert.equal(code, 0, shown)
    assert.match(shown, /\d\d:\d\d:\d\d {2}\S+ +sent it +HO-\d{4}-001/)
  })

  it('watch learns at once of what another process does, as one JSON document per line', async () => {
    const watching = spawn(process.execPath, [BATON, 'watch', '--json', '--count', '1'], {
      cwd: where.cwd,
      env: cleanEnv(where),
    })
    await once(watching.stderr, 'data')
    const line = once(createInterface({ input: watching.stdout }), 'line')

    await ask(where, 'accept', '2', '--as', 'codex')

    const { act, by, id, state } = JSON.parse((await line)[0])
    assert.deepEqual([act, by, state], ['handoff.accept', 'codex', 'in_progress'])
    assert.match(id, /-002$/)
    assert.deepEqual((await once(watching, 'close'))[0], 0)
  })

  it('Ctrl-C ends a wait at once, with the number that shells give it', async () => {
    const { code } = onTerminal(where, ['wait', '2', '--timeout', '1h'], { steps: [['waiting', '\u0003']] })

    assert.equal(code, 130)
  })

  it('an attempt that a reassignment ended was passed on', async (t) => {
    const cwd = folders(t).repository('passed')
    await ask({ cwd }, 'send', '--to', 'codex', '--title', 'Rate limits')
    for (const [from, to] of [
      ['codex', 'gemini'],
      ['gemini', 'claude'],
    ] as const) {
      await ask({ cwd }, 'accept', '1', '--as', from)
      await ask({ cwd }, 'handoff', 'reassign', '1', to)
    }

    const { shown } = onTerminal({ cwd }, ['show', '1'])

    assert.match(shown, /1 +codex .* passed on/)
    assert.match(shown, /2 +gemini .* passed on/)
    assert.doesNotMatch(shown, /(?:codex|gemini) .* offered\n/)
  })

  it('80 columns break between words, and the reason for work that came back is shown whole', async (t) => {
    const cwd = folders(t).repository('narrow')
    cpSync(resolve(import.meta.dirname, '../../examples/documents'), join(cwd, 'docs'), { recursive: true })
    writeFileSync(
      join(cwd, 'bad.md'),
      `---\nhandoff_id: bad\nfrom_agent: grok\nstatus: pendingg # ${'far too long '.repeat(9)}\n---\n`,
    )
    const block = (from: string, to: string) =>
      `\`\`\`yaml\nhandoff:\n  phase: Implementation\n  from: "@${from}"\n  to: "@${to}"\n  status: complete\n  context:\n    task_id: BPRD-2026-0042\n\`\`\`\n`
    writeFileSync(join(cwd, 'a-summary-of-the-night.md'), block('implementation-agent', 'quality-agent'))
    const reason = 'the tests of the limiter were not run on the second machine; run them there as well'
    const send = ['send', '--to', 'codex', '--title', 'Limits', '--summary', 'API needs limits']
    const { handoff } = await ask<{ handoff: { id: string } }>({ cwd }, ...send)
    await ask({ cwd }, 'accept', '1', '--as', 'codex')
    await ask({ cwd }, 'submit', '1', '--as', 'codex', '-m', 'done')
    await ask({ cwd }, 'verify', '1', '--fail', reason)
    const said = (
      args: readonly string[],
      says: RegExp,
      steps: readonly (readonly [string, string])[] = [],
    ) => {
      const { shown } = onTerminal({ cwd }, args, {
        columns: 80,
        steps,
        ...(steps.length > 0 && { terminalSeconds: 2 }),
      })
      const rows = shown.split('\n').map((row) => row.split('\r').at(-1)!)
      const wide = rows.filter((row) => widthOf(row) > 80 && / /.test(row.trim()))
      assert.deepEqual(wide, [], `$ baton ${args.join(' ')}`)
      assert.match(shown.replaceAll(/\s+/g, ' '), says)
    }

    said(['inbox', '--as', 'codex'], new RegExp(`given back by \\S+: ${reason}`))
    said(['check', 'docs'], /frontend-specialist → react-specialist, offered/)
    said(['import', 'docs'], /skipped: it says that nobody receives it, so there is nothing to hand over/)
    said(['token', 'list'], /No token yet; make one with: baton token create --agent ci --scope /)
    said(['check', 'bad.md'], /write one of Created, Active, Acknowledged, Complete, Expired, Rejected/)
    said(['collect', 'a-summary-of-the-night.md'], / BPRD-2026-0042 in a-summary-of-the-night.md:2 /)
    said(['audit', 'export', '--out', 'log'], /signed by baton\.local\S+ /)
    said(['audit', 'verify', 'log'], /each entry follows the one before it .* rewrite or shorten every chain/)
    const redact = ['audit', 'redact', handoff.id, '--field', 'summary', '-m', 'leaked']
    said(redact, /their transcripts, logs of their providers/, [['for good?', 'y\n']])
  })
})
