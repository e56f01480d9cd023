import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ask, baton, onTerminal, quick, trusted, type Where } from '../support/program/command.ts'
import { active, aHandoffFolder } from './handoffs.ts'
import { aPackageFolder, archived } from './package.ts'

interface Waiting {
  readonly where: Where
  /** The file of a handoff that waits for a decision. */
  readonly file: string
  readonly id: string
  /** Adds `accept` to `baton.yaml`. */
  allow(): void
  /** Writes the decision into the file. */
  decide(): void
  read(path: string): string
}

/** A gate of codex that waits for maria. */
async function aGate(t: TestContext): Promise<Waiting> {
  const folder = await aPackageFolder(t, (text) => `${text}\nagents:\n  codex: {}\n  maria: {}\n`)
  await ask(folder.where, 'agent', 'add', 'maria', '--kind', 'human')
  const gate = ['--to', 'maria', '--gate', 'design', '--summary', 'The design is done and has to be approved']
  const { handoff } = await ask<{ handoff: { id: string } }>(
    folder.where,
    ...['send', '--as', 'codex', '--title', 'Gate', ...gate],
  )
  const file = archived(handoff.id)
  return {
    ...folder,
    file,
    id: handoff.id,
    allow: () => folder.edit('baton.yaml', 'path: .', 'path: .\n    accept: [gate]'),
    decide: () =>
      folder.write(file, `${folder.read(file)}gate_response:\n  decision: approve\n  by: maria\n`),
  }
}

/** Work of claude that perplexity has to verify. */
async function aReview(t: TestContext): Promise<Waiting> {
  const folder = await aHandoffFolder(t)
  const id = await folder.send('BPRD-2026-0042')
  const evidence = ['--evidence', 'Middleware=trust me', '--evidence', 'Documentation=trust me']
  await ask(folder.where, 'accept', id, '--as', 'claude')
  await ask(folder.where, 'submit', id, '--as', 'claude', ...evidence)
  const path = '    path: _handoffs'
  return {
    ...folder,
    file: active(id),
    id,
    allow: () =>
      folder.write(
        'baton.yaml',
        folder.read('baton.yaml').replace(path, `${path}\n    accept: [verification]`),
      ),
    decide: () =>
      folder.edit(
        id,
        ['status: Acknowledged', 'status: Complete'],
        ['completion_verified_by: null', 'completion_verified_by: perplexity'],
      ),
  }
}

const shown = (where: Where, id: string) =>
  ask<{ handoff: { state: string }; timeline: readonly { act: string }[] }>(where, 'show', id)

/** The record that 0.1.0 kept of a person's trust: the hash of the text and nothing else. */
function trustOfFirstVersion({ where, read }: Waiting): void {
  const file = join(dirname(where.cwd), '.baton/trust', `${hash('sha256', where.cwd)}.json`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ root: where.cwd, sha256: hash('sha256', read('baton.yaml')) }))
}

for (const [setting, begin, agent, says] of [
  ['gate', aGate, 'codex', /a file cannot decide a gate; a person uses: baton decide HO-/],
  ['verification', aReview, 'claude', /a file cannot verify; its verifier uses: baton verify handoff-/],
] as const)
  describe(`accept: [${setting}] in baton.yaml`, () => {
    it(`[T12] refuses the file of an agent that added accept: [${setting}] itself, and logs nothing else`, async (t) => {
      const work = await begin(t)
      const before = await shown(work.where, work.id)
      work.allow()
      work.decide()

      const asAgent = { ...work.where, env: { CLAUDECODE: '1' } }
      const { code, stdout, stderr } = await baton(asAgent, 'folders', 'sync', '--as', agent)

      assert.equal(code, 0, stderr)
      assert.match(stdout, says)
      assert.match(stderr, /baton\.yaml sets folders\[\]\.accept, which takes effect only after: baton trust/)
      const after = await shown(work.where, work.id)
      assert.deepEqual(after.handoff, before.handoff)
      assert.deepEqual(after.timeline.slice(0, before.timeline.length), before.timeline)
      assert.deepEqual(
        after.timeline.slice(before.timeline.length).map(({ act }) => act),
        ['file.refused'],
      )
      const problem = work.read(`${work.file}.problem`)
      assert.match(problem, says)
      assert.doesNotMatch(`${stdout}${problem}`, /baton\.yaml|accept/)
    })

    it(`works as accept: [${setting}] says after a person trusted it, until it changes`, async (t) => {
      const work = await begin(t)
      work.allow()
      trusted(work.where)
      work.decide()
      const { stderr } = await baton(work.where, 'folders', 'sync', '--as', agent)

      assert.equal(stderr, '')
      assert.equal((await shown(work.where, work.id)).handoff.state, 'completed')
      const check = async (text: string) => {
        writeFileSync(join(work.where.cwd, 'baton.yaml'), text)
        return (await quick(work.where, 'trust', '--check')).code
      }
      const text = work.read('baton.yaml')
      assert.deepEqual(
        [
          await check(`${text}\n# more\n`),
          await check(text.replace(/accept: \[.*/, 'accept: [verification, gate]')),
        ],
        [0, 4],
      )
    })

    it(`lets no agent trust accept: [${setting}], nor pass it by BATON_TRUST`, async (t) => {
      const work = await begin(t)
      work.allow()
      work.decide()
      const env = { CLAUDECODE: '1', BATON_TRUST: hash('sha256', work.read('baton.yaml')) }
      const asAgent = { ...work.where, env }

      const refused = await quick(asAgent, 'trust', '--as', agent)
      await ask(asAgent, 'folders', 'sync', '--as', agent)

      assert.equal(refused.code, 4, refused.stderr)
      assert.notEqual((await shown(work.where, work.id)).handoff.state, 'completed')
    })

    it(`asks for accept: [${setting}] where 0.1.0 trusted the file, and for nothing else`, async (t) => {
      const work = await begin(t)
      work.allow()
      const commands = '\nchecks:\n  commands: [npm test]\n'
      writeFileSync(join(work.where.cwd, 'baton.yaml'), `${work.read('baton.yaml')}${commands}`)
      trustOfFirstVersion(work)
      work.decide()
      const { stderr } = await quick(work.where, 'folders', 'sync', '--as', agent)

      assert.match(stderr, /baton\.yaml sets folders\[\]\.accept, which takes effect only after: baton trust/)
      assert.notEqual((await shown(work.where, work.id)).handoff.state, 'completed')
      const { shown: screen } = onTerminal(work.where, ['doctor'], { columns: 400 })
      assert.match(screen, /baton\.yaml: folders\[\]\.accept wait for: baton trust/)
    })
  })

describe('a verification that is written into a file', () => {
  const record = (status: string) =>
    ['Middleware', 'Documentation']
      .map((name) => `    - {deliverable: ${name}, status: ${JSON.stringify(status)}, evidence: seen}\n`)
      .join('')
  const verify = (work: Waiting, status: string, verifier: string) => {
    const checks = `verification_record:\n  verified_at: 2026-11-17T10:00:00Z\n  deliverable_checks:\n`
    const text = work
      .read(work.file)
      .replace('status: Acknowledged', 'status: Complete')
      .replace(
        'completion_verified_by: null\n',
        `completion_verified_by: ${verifier}\n${checks}${record(status)}`,
      )
    writeFileSync(join(work.where.cwd, work.file), text)
  }

  it('[S0-81] completes nothing where a check says anything but verified', async (t) => {
    const work = await aReview(t)
    work.allow()
    trusted(work.where)
    for (const status of ['Verified', 'VERIFIED', 'done', 'completely missing', 'verified by nobody', 'ok']) {
      verify(work, status, 'perplexity')
      const { stdout } = await quick(work.where, 'folders', 'sync', '--as', 'perplexity')

      assert.match(stdout, /refused|sent back/, status)
      assert.equal((await shown(work.where, work.id)).handoff.state, 'in_review', status)
    }
  })

  for (const verifier of ['"@perplexity"', '@perplexity', 'Perplexity'])
    it(`[S0-80] keeps the verifier ${verifier} as document 000 writes it`, async (t) => {
      const work = await aReview(t)
      work.allow()
      trusted(work.where)
      verify(work, 'verified', verifier)

      await ask(work.where, 'folders', 'sync', '--as', 'perplexity')

      assert.equal((await shown(work.where, work.id)).handoff.state, 'completed')
      const now = new Date().toISOString()
      const file = `_handoffs/archived/${now.slice(0, 4)}/${now.slice(5, 7)}/${work.id}.md`
      assert.match(work.read(file), /^completion_verified_by: "?perplexity"?$/m)
    })
})

describe('a baton.yaml without accept', () => {
  it('stays trusted without accept as 0.1.0 trusted it', async (t) => {
    const work = await aReview(t)
    const commands = '\nchecks:\n  commands: [npm test]\n'
    writeFileSync(join(work.where.cwd, 'baton.yaml'), `${work.read('baton.yaml')}${commands}`)
    trustOfFirstVersion(work)

    const { stdout, stderr, code } = await quick(work.where, 'trust', '--check', '--json')

    assert.deepEqual([code, stderr], [0, ''])
    assert.deepEqual(JSON.parse(stdout), {
      file: join(work.where.cwd, 'baton.yaml'),
      trusted: true,
      hash: JSON.parse(stdout).hash,
      needs: ['agents', 'agents[].limits', 'checks.commands'],
      store: true,
    })
  })
})
