import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ask, onTerminal, quick } from '../support/program/command.ts'
import { active, aHandoffFolder } from './handoffs.ts'
import { aPackageFolder, archived, type PackageFolder, WORKFLOW } from './package.ts'

const contextOf = (folder: PackageFolder, path: string) =>
  (folder.yaml(path).handoff as unknown as { context: Record<string, unknown> }).context

const GATED = `${WORKFLOW}    gate: { type: blocking, name: spec, items: [It is whole] }
`

describe('what a sender gave and the document has no key for', () => {
  it('[S4-77] a package says the background beside its summary, and its sender may change it there', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send('--context', 'IMPORTANT: do not touch the billing table')
    const before = contextOf(folder, archived(id))
    folder.edit(archived(id), 'do not touch the billing table', 'do not touch the tables')
    const happened = await folder.sync()

    const shown = await ask<{ package: { context: string } }>(folder.where, 'show', id)
    assert.deepEqual(before, {
      summary: 'The login module is written and needs a review',
      background: 'IMPORTANT: do not touch the billing table',
    })
    assert.equal(happened[0]?.what, 'taken_in')
    assert.equal(shown.package.context, 'IMPORTANT: do not touch the tables')
  })

  it('[S4-63] the file for the agent who works again says what the person wants changed', async (t) => {
    const folder = await aPackageFolder(t)
    mkdirSync(join(folder.root, 'workflows'))
    folder.write('workflows/f.yaml', GATED)
    await ask(folder.where, 'workflow', 'start', 'f', '--as', 'o')
    await ask(folder.where, 'accept', '@', '--as', 'writer', '--understood', 'The specification')
    await ask(folder.where, 'submit', '@', '--as', 'writer')
    onTerminal(folder.where, ['decide', 'f-1.spec.gate', 'reject', '--comment', 'Name the limits'], {
      steps: [['reject f-1.spec.gate', 'y\n']],
    })

    assert.match(String(contextOf(folder, archived('HO-003', 'f-1')).background), /Name the limits/)
  })

  it('a markdown file says a summary beside the context in its body', async (t) => {
    const folder = await aHandoffFolder(t)
    const id = await folder.create('BPRD-2026-0001', '--summary', 'The gateway has no limits of its own')

    const text = folder.read(active(id))
    assert.match(text, /context: Launch is near/)
    assert.match(text, /The gateway has no limits of its own/)
  })

  it('is named when it is sent, where the format has no place at all', async (t) => {
    const folder = await aPackageFolder(t)
    const sent = ['send', '--as', 'a', '--to', 'b', '--title', 't', '--deliverable', 'd']
    const summary = ['--summary', 'Do the thing that we agreed']
    const more = ['--check', 'npm test', '--link', 'spec=docs/spec.md', '--constraint', 'By noon']

    const plain = await quick(folder.where, ...sent, ...summary, '--context', 'Background')
    const left = await quick(folder.where, ...sent, ...summary, ...more, '--json')

    assert.equal(plain.stderr.includes('does not say'), false)
    const { handoff } = JSON.parse(left.stdout)
    assert.match(left.stderr, new RegExp(`does not say links, checks: .* baton show ${handoff.id}`))
  })
})
