import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../support/documents/folders.ts'
import { ask, onTerminal, quick, refusal } from '../support/program/command.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/workflows/feature.yaml')

interface Shown {
  readonly id: string
  readonly state: string
  readonly workflow_state: { readonly current_step: number; readonly completed_steps: string[] }
  readonly steps: readonly { readonly id: string; readonly state: string; readonly handoff_state?: string }[]
}

interface Dossier {
  readonly handoff: { readonly state: string; readonly type: string; readonly to: string }
  readonly package: { readonly decisions?: readonly { readonly decision: string }[] }
}

describe('J6, a person in the loop', () => {
  const open = (t: Parameters<typeof folders>[0]) => {
    const cwd = folders(t).repository('shop')
    mkdirSync(join(cwd, 'workflows'))
    mkdirSync(join(cwd, 'docs'))
    writeFileSync(join(cwd, 'docs', 'specification.md'), '# Five stories\n')
    copyFileSync(EXAMPLE, join(cwd, 'workflows', 'feature.yaml'))
    return { cwd }
  }

  it('[S4-61] [S4-62] [S4-67] goes from the start of a workflow through its gate as it is typed', async (t) => {
    const where = open(t)
    const started = await quick(where, 'workflow', 'start', 'feature', '--as', 'orchestrator')
    assert.equal(started.code, 0, started.stderr)
    assert.match(started.stdout, /^feature-1 {2}running · 0 of 6 steps/)

    const offered = onTerminal(where, ['inbox', '--as', 'spec-writer']).shown
    assert.match(offered, /next: baton accept @ --understood "…" --as spec-writer/)
    await ask(where, 'accept', '@', '--as', 'spec-writer', '--understood', 'Five stories for the shop')
    await ask(
      where,
      'submit',
      '@',
      '--as',
      'spec-writer',
      '--note',
      '5 stories',
      '--evidence',
      'docs/specification.md=docs/specification.md',
    )
    const inbox = await quick(where, 'inbox')
    assert.match(inbox.stdout, /Gate: specification · 3 points to validate/)
    const early = await refusal(
      where,
      'send',
      '--as',
      'spec-writer',
      '--to',
      'architect',
      '--parent',
      'feature-1.specification',
      '--title',
      'Go on',
      '--summary',
      'The stories are done, start with the design',
    )
    assert.deepEqual([early.code, early.exit], ['wrong_state', 5])

    const screen = onTerminal(where, ['decide', '@', 'approve', '--comment', 'ship it'], {
      steps: [['approve feature-1.specification.gate', 'y\n']],
    })

    assert.equal(screen.code, 0, screen.shown)
    assert.match(screen.shown, /The stories cover what was asked for/)
    const now = await ask<Shown>(where, 'workflow', 'status', '@')
    assert.deepEqual(
      [now.state, now.workflow_state.current_step, now.workflow_state.completed_steps],
      ['running', 2, ['specification']],
    )
    const next = await ask<Dossier>(where, 'show', 'feature-1.architecture', '--as', 'architect')
    assert.deepEqual([next.handoff.state, next.handoff.to], ['offered', 'architect'])
    assert.match(next.package.decisions?.[0]?.decision ?? '', /: approve$/)
  })

  it('[S4-19] [S4-21] [S4-24] lets the architect delegate and brings the decisions back', async (t) => {
    const where = open(t)
    writeFileSync(
      join(where.cwd, 'workflows', 'design.yaml'),
      'name: design\nhome: package\nsteps:\n  - { id: architecture, agent: architect }\n',
    )
    await ask(where, 'workflow', 'start', 'design', '--as', 'orchestrator')
    await ask(where, 'accept', '@', '--as', 'architect', '--understood', 'The design of the login')
    const { handoff } = await ask<{ handoff: { id: string } }>(
      where,
      'send',
      '--as',
      'architect',
      '--to',
      'security-check',
      '--type',
      'delegation',
      '--home',
      'package',
      '--parent',
      'design-1.architecture',
      '--title',
      'Look for risks',
      '--summary',
      'Look for risks in the login of the shop',
      '--deliverable',
      'List of risks',
    )
    const waits = await refusal(
      where,
      'submit',
      'design-1.architecture',
      '--as',
      'architect',
      '--note',
      'Done',
    )
    assert.equal(waits.code, 'unmet')
    assert.match(waits.message, new RegExp(`security-check has not returned ${handoff.id}`))

    await ask(where, 'accept', handoff.id, '--as', 'security-check', '--understood', 'Risks of the login')
    await ask(
      where,
      'submit',
      handoff.id,
      '--as',
      'security-check',
      '--note',
      '2 risks',
      '--evidence',
      'List of risks=see note',
      '--decision',
      'Tokens expire after an hour',
    )

    const back = await ask<Dossier>(where, 'show', `${handoff.id}-R`, '--as', 'architect')
    assert.deepEqual([back.handoff.type, back.handoff.to], ['return', 'architect'])
    assert.match(JSON.stringify(back.package), /Tokens expire after an hour/)
    await ask(where, 'submit', 'design-1.architecture', '--as', 'architect', '--note', 'Done')
    assert.equal((await ask<Shown>(where, 'workflow', 'status', 'design-1')).state, 'completed')
  })

  it('[S4-48] [S4-50] answers a vague constraint with what is not measurable', async (t) => {
    const where = open(t)
    const file = join(where.cwd, 'workflows', 'feature.yaml')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(
        'title: Write the specification',
        'title: Write the specification\n    constraints: [Do it quickly]',
      ),
    )
    await ask(where, 'workflow', 'start', 'feature', '--as', 'orchestrator')

    const answer = await ask<{ handoff: { state: string }; acknowledgment: Record<string, unknown> }>(
      where,
      ...['accept', '@', '--as', 'spec-writer', '--understood', 'Five stories'],
    )

    assert.equal(answer.handoff.state, 'needs_input')
    assert.deepEqual(
      [answer.acknowledgment.blockers, answer.acknowledgment.action],
      [["Constraint 'quickly' not measurable"], 'request_clarification'],
    )
    const { state } = await ask<Shown>(where, 'workflow', 'status', '@')
    assert.equal(state, 'running')
  })
})
