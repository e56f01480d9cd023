import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ask, baton, onTerminal, quick, trusted } from '../support/program/command.ts'
import { aPackageFolder, archived, type PackageFolder, today } from './package.ts'

const WORKFLOW = join(import.meta.dirname, '../../examples/workflows/feature.yaml')

/** What a receiver without Baton writes below a package. */
const acknowledgment = (by: string, task = 'Review the login for risks'): string => `acknowledgment:
  received: true
  from: architect
  by: ${by}
  understood:
    task: ${task}
    constraints: none
  questions: []
  starting: true
`

const SEND = [
  ...['send', '--as', 'a', '--to', 'b', '--title', 't', '--deliverable', 'd'],
  ...['--summary', 'Do the thing that we agreed'],
]

const append = (folder: PackageFolder, path: string, text: string): void =>
  folder.write(path, `${folder.read(path)}${text}`)

describe('the archive of document 004', () => {
  it('[S4-76] [S4-77] [S4-70] holds the whole package from sending on, and the state file lists it', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send('--constraint', 'Answer within 2 days')

    const { handoff } = folder.yaml(archived(id)) as unknown as { handoff: Record<string, unknown> }
    const { x_baton: _, timestamp, ...rest } = handoff
    assert.deepEqual(rest, {
      id,
      from: { agent: 'architect' },
      to: { agent: 'security-check' },
      context: { summary: 'The login module is written and needs a review' },
      expectations: {
        deliverable: 'Risk list',
        constraints: ['Answer within 2 days'],
        success_criteria: ['No unaddressed critical risks'],
      },
      status: 'pending',
      title: 'Check the login',
    })
    assert.deepEqual(folder.state(), {
      handoffs: [{ id, timestamp, from: 'architect', to: 'security-check', status: 'pending' }],
    })
    const read = await ask<{ documents: { dialect: string; ok: boolean }[] }>(
      folder.where,
      ...['document', 'check', archived(id)],
    )
    assert.deepEqual(
      read.documents.map(({ dialect, ok }) => [dialect, ok]),
      [['package', true]],
    )
  })

  it('[S4-71] [S4-75] [S4-80] follows every step, with the acknowledgment beside the package', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()
    await ask(folder.where, 'accept', id, '--as', 'security-check', '--understood', 'Review the login')
    const during = folder.statusOf(id)
    await ask(folder.where, 'submit', id, '--as', 'security-check', '--evidence', 'Risk list=2 risks')

    assert.deepEqual([during, folder.statusOf(id)], ['in_progress', 'completed'])
    const { acknowledgment: said } = folder.yaml(archived(id)) as Record<string, Record<string, unknown>>
    assert.deepEqual(
      [said?.received, said?.by, said?.understood, said?.starting],
      [true, 'security-check', { task: 'Review the login' }, true],
    )
  })

  it('[S4-78] [S4-79] numbers the handoffs of a run from HO-001, in a session of its own', async (t) => {
    const folder = await aPackageFolder(t)
    mkdirSync(join(folder.root, 'workflows'))
    mkdirSync(join(folder.root, 'docs'))
    copyFileSync(WORKFLOW, join(folder.root, 'workflows/feature.yaml'))
    folder.write('docs/specification.md', '# Five stories\n')
    await ask(folder.where, 'workflow', 'start', 'feature', '--as', 'orchestrator')
    await ask(folder.where, 'workflow', 'start', 'feature', '--as', 'orchestrator')
    await ask(
      folder.where,
      'accept',
      'feature-1.specification',
      '--as',
      'spec-writer',
      '--understood',
      'Stories',
    )
    const evidence = 'docs/specification.md=docs/specification.md'
    await ask(
      folder.where,
      'submit',
      'feature-1.specification',
      '--as',
      'spec-writer',
      '--evidence',
      evidence,
    )

    const plain = await folder.send()

    for (const [session, id] of [
      ['feature-1', 'HO-001'],
      ['feature-2', 'HO-001'],
      ['feature-1', 'HO-002'],
      [today(), plain],
    ] as const)
      assert.ok(folder.has(archived(id, session)), `${session} ${id}`)
    assert.deepEqual(
      folder.state().handoffs.map((each) => [each.id, each.status]),
      [
        ['HO-001', 'completed'],
        ['HO-001', 'pending'],
        ['HO-002', 'awaiting_human'],
        [plain, 'pending'],
      ],
    )
  })

  it('[S4-80] [S4-66] [S4-58] keeps the answer of a person with its gate, which names its step', async (t) => {
    const folder = await aPackageFolder(t)
    mkdirSync(join(folder.root, 'workflows'))
    copyFileSync(WORKFLOW, join(folder.root, 'workflows/feature.yaml'))
    folder.write('docs/specification.md', '# Five stories\n')
    await ask(folder.where, 'workflow', 'start', 'feature', '--as', 'orchestrator')
    await ask(folder.where, 'accept', '@', '--as', 'spec-writer', '--understood', 'Five stories')
    const evidence = 'docs/specification.md=docs/specification.md'
    await ask(folder.where, 'submit', '@', '--as', 'spec-writer', '--evidence', evidence)
    const gate = folder.yaml(archived('HO-002', 'feature-1')).handoff as unknown as Record<string, unknown>
    assert.deepEqual(gate.gate, { type: 'blocking', name: 'specification', step: 'specification' })

    const { code, shown } = onTerminal(folder.where, ['decide', '@', 'approve', '--comment', 'ship it'], {
      steps: [['approve feature-1.specification.gate', 'y\n']],
    })

    assert.equal(code, 0, shown)
    const { gate_response: answer } = folder.yaml(archived('HO-002', 'feature-1')) as Record<
      string,
      Record<string, unknown>
    >
    assert.deepEqual([answer?.decision, answer?.comment], ['approve', 'ship it'])
    assert.equal(folder.statusOf('HO-002'), 'completed')
    assert.ok(folder.has(archived('HO-003', 'feature-1')))
  })

  it('[S4-79] gives every one of many processes that send at once a number of its own', async (t) => {
    const folder = await aPackageFolder(t)
    const send = ['send', '--as', 'architect', '--to', 'security-check', '--title', 'T', '--json']
    const said = ['--summary', 'The login module is written and needs a review']

    const answers = await Promise.all(Array.from({ length: 6 }, () => baton(folder.where, ...send, ...said)))
    await folder.sync()

    const ids = answers.map(({ stdout }) => JSON.parse(stdout).handoff.id).sort()
    assert.deepEqual(
      ids,
      [1, 2, 3, 4, 5, 6].map((n) => `HO-${today().slice(0, 4)}-00${n}`),
    )
    assert.deepEqual(
      folder
        .state()
        .handoffs.map(({ id }) => id)
        .sort(),
      ids,
    )
    assert.ok(ids.every((id) => folder.has(archived(id))))
  })
})

describe('state/current.json', () => {
  it('[S4-72] [S4-73] is read with comments, trailing commas and a byte order mark, keeps all keys, and is written strictly', async (t) => {
    const folder = await aPackageFolder(t)
    const old =
      '{"id": "HO-000", "timestamp": "2026-01-01T00:00:00Z", "from": "a", "to": "b", "status": "completed", "mine": 1}'
    folder.write(
      'state/current.json',
      `\uFEFF// ours\n{\n  "project": "shop",\n  "handoffs": [${old},],\n}\n`,
    )

    const id = await folder.send()

    const state = folder.state()
    assert.deepEqual(
      [state.project, state.handoffs.map((each) => each.id), (state.handoffs[0] as { mine?: number }).mine],
      ['shop', ['HO-000', id], 1],
    )
    assert.ok(!folder.has('state/current.json.conflict'))
  })

  for (const text of ['{"handoffs": [', '{"handoffs": null, "keep": 2}', '[]'])
    it(`[S4-70] [S4-74] as ${text} is reported every time and left alone, and goes on when it was mended`, async (t) => {
      const folder = await aPackageFolder(t)
      folder.write('state/current.json', text)
      const sent = await quick(folder.where, ...SEND)

      const passes = [await folder.sync(), await folder.sync()]
      const { code, stdout } = await quick(folder.where, 'folders', 'doctor', '--json')
      const { findings } = JSON.parse(stdout) as { findings: { path: string; message: string }[] }
      const found = findings.find(({ path }) => path === 'state/current.json')
      assert.match(sent.stderr, /state\/current\.json is not up to date: .*baton folders sync/)
      for (const happened of passes) {
        assert.deepEqual(
          happened.map(({ what, path }) => [what, path]),
          [['refused', 'state/current.json']],
        )
        assert.match(happened[0]!.reason!, /Or delete it and run: baton folders sync/)
      }
      assert.equal(code, 1)
      assert.match(found!.message, /Or delete it and run: baton folders sync/)
      assert.ok(folder.has('state/current.json.problem'))
      assert.equal(folder.read('state/current.json'), text)

      folder.write('state/current.json', '{"handoffs": []}')
      assert.deepEqual(await folder.sync(), [])
      assert.equal(folder.state().handoffs[0]?.status, 'pending')
    })

  it('[S4-74] loses no entry of another writer who adds one between two steps', async (t) => {
    const folder = await aPackageFolder(t)
    const first = await folder.send()
    const state = folder.state()
    const foreign = { id: 'HO-900', timestamp: '2026-01-01T00:00:00Z', from: 'x', to: 'y', status: 'pending' }
    folder.write('state/current.json', JSON.stringify({ ...state, handoffs: [...state.handoffs, foreign] }))

    const second = await folder.send()

    assert.deepEqual(
      folder.state().handoffs.map(({ id }) => id),
      [first, 'HO-900', second],
    )
  })

  it('[S4-81] is made again from the archive, also where the database is gone', async (t) => {
    const folder = await aPackageFolder(t)
    const first = await folder.send()
    await ask(folder.where, 'accept', first, '--as', 'security-check', '--understood', 'Review it')
    await ask(folder.where, 'submit', first, '--as', 'security-check', '--evidence', 'Risk list=none')
    await folder.send('--priority', 'high')
    const before = folder.state()

    rmSync(join(folder.root, 'state/current.json'))
    await folder.sync()
    const again = folder.state()
    rmSync(join(folder.root, 'state/current.json'))
    rmSync(join(folder.root, '.baton'), { recursive: true })
    await ask(folder.where, 'init')
    await folder.sync()

    assert.deepEqual(again, before)
    assert.deepEqual(folder.state(), before)
  })
})

describe('what agents without Baton write into the archive', () => {
  it('[S4-46] [S4-80] an acknowledgment begins the work of its author', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()

    append(folder, archived(id), acknowledgment('security-check'))
    await folder.sync()

    const { state, holder } = await folder.show(id)
    assert.deepEqual([state, holder], ['in_progress', 'security-check'])
    assert.equal(folder.statusOf(id), 'in_progress')
    const { acknowledgment: said } = folder.yaml(archived(id)) as Record<string, Record<string, unknown>>
    assert.deepEqual([said?.questions, said?.starting], [[], true])
  })

  it('[S4-55] an acknowledgment of somebody else is refused, and the file is put back', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()
    const before = folder.read(archived(id))

    append(folder, archived(id), acknowledgment('mallory'))
    await folder.sync()

    assert.equal(folder.read(archived(id)), before)
    assert.match(folder.read(`${archived(id)}.problem`), /mallory may not accept/)
    assert.equal((await folder.show(id)).state, 'offered')
  })

  it('[S4-48] [S4-52] what is not understood goes back to the sender', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()
    const partial = `acknowledgment:
  received: true
  understood: partial
  blockers:
    - Which login is meant
  action: request_clarification
`
    append(folder, archived(id), partial)
    await folder.sync()

    assert.equal((await folder.show(id)).state, 'needs_input')
    assert.equal(folder.statusOf(id), 'clarification_requested')
  })

  it('[S4-66] a gate is decided by a file only where a trusted folder lists gate, and by a person', async (t) => {
    const agents = '\nagents:\n  architect: {}\n  maria: {}\n'
    const closed = await aPackageFolder(t, (text) => text + agents)
    const open = await aPackageFolder(
      t,
      (text) => text.replace('path: .', 'path: .\n    accept: [gate]') + agents,
    )
    trusted(open.where)
    const answered: string[] = []
    for (const folder of [closed, open]) {
      await ask(folder.where, 'agent', 'add', 'maria', '--kind', 'human')
      const gate = [
        '--to',
        'maria',
        '--gate',
        'design',
        '--summary',
        'The design is done and has to be approved',
      ]
      const { handoff } = await ask<{ handoff: { id: string } }>(
        folder.where,
        ...['send', '--as', 'architect', '--title', 'Gate', ...gate],
      )
      append(
        folder,
        archived(handoff.id),
        'gate_response:\n  decision: approve\n  by: maria\n  comment: fine\n',
      )
      await folder.sync()
      answered.push((await folder.show(handoff.id)).state)
    }

    assert.deepEqual(answered, ['needs_input', 'completed'])
  })

  it('a new package in a session is a handoff of its sender and stays where it was put', async (t) => {
    const folder = await aPackageFolder(t)
    const path = archived('HO-001', 'sprint-7')
    const text = `handoff:
  id: HO-001
  timestamp: ${new Date().toISOString()}
  from:
    agent: architect
    step: 3
  to:
    agent: tester
    reason: Next in the workflow
  context:
    summary: The parser is written and has to be tested with real files
  ours: kept
`
    folder.write(path, text)
    folder.write(
      archived('HO-001', 'sprint-8'),
      text.replace('parser', 'printer').replace(/T.*Z/, 'T00:00:00Z'),
    )
    await folder.sync()

    assert.equal(
      folder
        .read(path)
        .replace(/ {2}status: pending\n/, '')
        .replace(/ {2}x_baton:\n.*\n.*\n/, ''),
      text,
    )
    assert.equal(folder.state().handoffs.filter(({ id }) => id === 'HO-001').length, 2)
    assert.ok(folder.has(archived('HO-001', 'sprint-8')))
  })

  it('what cannot be changed in a package is refused and put back', async (t) => {
    const folder = await aPackageFolder(t)
    const id = await folder.send()

    folder.edit(archived(id), 'agent: security-check', 'agent: mallory')
    await folder.sync()

    assert.match(folder.read(`${archived(id)}.problem`), /to cannot be changed in the file/)
    assert.match(folder.read(archived(id)), /agent: security-check/)
  })
})
