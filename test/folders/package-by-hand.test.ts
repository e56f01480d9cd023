import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, refusal } from '../support/program/command.ts'
import { aPackageFolder, archived, type PackageFolder } from './package.ts'
import { until } from './until.ts'
import { aWatcher } from './watcher.ts'

const SESSION = 'SESSION-ID'
const file = (name: string): string => archived(name, SESSION)

/** Packages as document 004 shows them: without ids, in the file that its archive names. */
const SAMPLES = {
  sequential: `handoff:
  from: {agent: specification, step: 2}
  to: {agent: architecture, reason: "Specs validated, moving to design"}
  context:
    summary: "User stories defined and validated by client"
  workflow_state: {name: feature, current_step: 3}
`,
  gate: `handoff:
  from: {agent: architecture, step: 3}
  to: {agent: human, reason: "Design to be validated"}
  gate: {type: blocking, name: design}
  context:
    summary: "Design finished: three services, one database"
  validation_request:
    question: "Is the design what you want?"
    options: {approve: "Continue with next step", reject: "Adjustments required"}
  workflow_state: {name: feature, current_step: 3}
`,
  next: `handoff:
  from: {agent: architecture, step: 3}
  to: {agent: builder, reason: "Design done"}
  context:
    summary: "Design finished: three services, one database"
  workflow_state: {name: feature, current_step: 4}
`,
  delegation: `handoff:
  from: {agent: architecture, step: 3}
  to: {agent: security-check, reason: "Need security validation before finalization"}
  expectations:
    deliverable: "Risk report on proposed architecture"
    success_criteria: ["No unaddressed critical risks"]
  context:
    summary: "API architecture defined, needs security review"
`,
  answer: `handoff:
  from: {agent: security-check, step: null}
  to: {agent: architecture, reason: "Security review completed"}
  context:
    summary: "2 risks identified, recommendations provided"
    decisions:
      - {id: SEC-001, decision: "JWT with refresh token rotation", rationale: "Security/UX balance"}
`,
}

const problemOf = (folder: PackageFolder, name: string): string => folder.read(`${file(name)}.problem`)

async function begun(folder: PackageFolder): Promise<void> {
  folder.write(file('HO-001'), SAMPLES.sequential)
  await folder.sync()
  await ask(folder.where, 'accept', 'HO-001', '--as', 'architecture', '--understood', 'Design it')
}

describe('a package that is written by hand', () => {
  it('[S4-03] [S4-05] [S4-79] stays in its session under the name of its file', async (t) => {
    const folder = await aPackageFolder(t)
    folder.write(file('HO-001'), SAMPLES.sequential)

    await folder.sync()
    await folder.sync()

    assert.ok(folder.has(file('HO-001')))
    assert.equal((await folder.show('HO-001')).state, 'offered')
    assert.equal(folder.statusOf('HO-001'), 'pending')
  })

  it('[S4-61] as a blocking gate holds up the work of its sender and what follows from it', async (t) => {
    const folder = await aPackageFolder(t)
    await begun(folder)
    folder.write(file('HO-002'), SAMPLES.gate)
    await folder.sync()

    assert.equal((await folder.show('HO-002')).state, 'needs_input')
    const submitted = await refusal(folder.where, 'submit', 'HO-001', '--as', 'architecture')
    assert.deepEqual([submitted.exit, submitted.code], [8, 'unmet'])
    assert.match(submitted.message, /the gate "?design"? \(HO-002\) waits for human/)
    folder.write(file('HO-003'), SAMPLES.next)
    await folder.sync()
    assert.match(problemOf(folder, 'HO-003'), /the gate "?design"? \(HO-002\) waits for human/)
    await assert.rejects(folder.show('HO-003'))
  })

  it('[S4-61] as a blocking gate that is imported holds up the work too', async (t) => {
    const folder = await aPackageFolder(t)
    await begun(folder)
    folder.write('gate.yaml', SAMPLES.gate)
    await ask(folder.where, 'import', 'gate.yaml')

    const submitted = await refusal(folder.where, 'submit', 'HO-001', '--as', 'architecture')

    assert.equal(submitted.code, 'unmet')
    assert.match(submitted.message, /waits for human/)
  })

  it('[S4-23] as a return closes the delegation that it answers', async (t) => {
    const folder = await aPackageFolder(t)
    folder.write(file('HO-001'), SAMPLES.delegation)
    await folder.sync()
    const understood = ['--as', 'security-check', '--understood', 'Review the architecture']
    await ask(folder.where, 'accept', 'HO-001', ...understood)
    folder.write(file('HO-002'), SAMPLES.answer)

    await folder.sync()

    assert.equal((await folder.show('HO-001')).state, 'completed')
    const answer = (await folder.show('HO-002')) as unknown as { type: string; in_reply_to: string }
    const { uid } = (await folder.show('HO-001')) as unknown as { uid: string }
    assert.deepEqual([answer.type, answer.in_reply_to], ['return', uid])
    assert.ok(folder.has(file('HO-002')))
  })

  for (const [what, text, reason] of [
    ["It's done", SAMPLES.next.replace(/summary: .*/, 'summary: "It\'s done"'), /summary/],
    ['a template', SAMPLES.next.replace(/summary: .*/, 'summary: "[what was done]"'), /summary|placeholder/],
    [
      'a delegation without a deliverable',
      SAMPLES.delegation
        .replace(/ {4}deliverable: .*\n/, '')
        .replace('handoff:', 'handoff:\n  type: delegation'),
      /deliverable/,
    ],
  ] as const)
    it(`[S4-28] [S4-29] that says ${what} is refused with the reason of the document`, async (t) => {
      const folder = await aPackageFolder(t)
      folder.write(file('HO-001'), text)

      const happened = await folder.sync()

      assert.ok(happened.some(({ what: each }) => each === 'refused'))
      assert.match(problemOf(folder, 'HO-001'), reason)
      await assert.rejects(folder.show('HO-001'))
      assert.equal(folder.read(file('HO-001')), text)
    })

  it('[S4-22] that is written in pieces beside a watcher is what the whole of it says', async (t) => {
    const folder = await aPackageFolder(t)
    await aWatcher(t, folder.where)
    const [, head = '', expected = '', context = ''] =
      /^([\s\S]*)( {2}expectations:[\s\S]*)( {2}context:[\s\S]*)$/.exec(SAMPLES.delegation) ?? []
    let whole: string | undefined
    for (let i = 1; whole === undefined; i++) {
      const at = `HO-10${i}`
      folder.write(file(at), head + context.replace('API', `API ${i}`))
      const begin = performance.now()
      await pause(40)
      appendFileSync(join(folder.root, file(at)), expected)
      // A busy machine may make it a long pause, which looks like the end of the file.
      if (performance.now() - begin < 80) whole = at
    }
    await until(() => folder.has('state/current.json') && folder.statusOf(whole) !== undefined)

    assert.partialDeepStrictEqual(await folder.show(whole), { type: 'delegation' })
  })
})
