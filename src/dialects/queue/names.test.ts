import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  artifactFile,
  artifactId,
  fillDestination,
  handoffFile,
  handoffId,
  isHandoffId,
  isSafeName,
  queuePlace,
  STATUSES,
  schemaName,
  stemOf,
} from './names.ts'

describe('the names of document 001', () => {
  it('[S1-09] [S1-36] [S1-50] put a handoff into the folder of its status, under its id', () => {
    assert.deepEqual(
      STATUSES.map((status) => handoffFile('hoff-001-1705147200000', status)),
      [
        'handoffs/pending/hoff-001-1705147200000.json',
        'handoffs/in-progress/hoff-001-1705147200000.json',
        'handoffs/completed/hoff-001-1705147200000.json',
        'handoffs/failed/hoff-001-1705147200000.json',
      ],
    )
    for (const id of ['../x', '/x', 'a/b', 'a\\b', '', '.', '..', '.hidden', 'x'.repeat(201), 'a\n'])
      assert.equal(handoffFile(id, 'pending'), undefined, id)
  })

  it('[S1-10] [S1-11] make and know ids', () => {
    assert.equal(handoffId(1, 1705147200000), 'hoff-001-1705147200000')
    assert.ok(isHandoffId(handoffId(12_345, 0)))
    assert.ok(isHandoffId('hoff-20260113100000'))
    for (const id of ['hoff-', 'hoff--1', 'Hoff-1', 'hoff-1/2', 'hoff-1\n']) assert.ok(!isHandoffId(id), id)
    assert.ok(isSafeName('job_7'))
  })

  it('[S1-42] name an artifact and its file', () => {
    const id = artifactId('react-comp', 1705147532000)

    assert.equal(id, 'artifact-react-comp-1705147532000')
    assert.equal(artifactFile(7, 'tech-stack', id), `artifacts/phase-07-tech-stack/${id}.json`)
    assert.equal(stemOf(artifactFile(13, 'react', id)), id)
    assert.equal(stemOf('artifacts\\phase-13-react\\x.JSON'), 'x')
  })

  it('[S1-29] fill the time into a destination', () => {
    assert.equal(fillDestination('a/x-{timestamp}.json', 1705147532000), 'a/x-1705147532000.json')
    assert.equal(fillDestination('a/x.json', 1), 'a/x.json')
  })

  it('[S1-23] [S1-28] name the schemas after the target, without its @ and only that', () => {
    assert.equal(schemaName('@react-specialist', 'input'), 'react-specialist.input.schema.json')
    assert.equal(schemaName('react@', 'output'), 'react@.output.schema.json')
  })

  it('are found in a path, however it is written', () => {
    assert.deepEqual(queuePlace('d:\\work\\Handoffs\\In-Progress\\hoff-1.json'), {
      stem: 'hoff-1',
      kind: 'handoff',
      status: 'in_progress',
    })
    for (const root of ['.handoffs', 'agent-handoffs', '\nhandoffs', 'a/b/Handoff'])
      assert.equal(queuePlace(`${root}/failed/x.json`).status, 'failed', root)
    assert.deepEqual(queuePlace('handoffs/pending/hoff-1.json.processed'), {
      stem: 'hoff-1',
      kind: 'handoff',
      status: 'pending',
      mark: 'completed',
    })
    assert.deepEqual(queuePlace('context/tech-stack.json'), { stem: 'tech-stack', kind: 'context' })
    assert.deepEqual(queuePlace('artifacts/phase-13-react/a.json'), { stem: 'a', kind: 'artifact' })
    for (const folder of ['pending', 'docs/phase-13-react', 'artifacts', 'context'])
      assert.deepEqual(queuePlace(`${folder}/hoff-1.json`), { stem: 'hoff-1' })
    assert.deepEqual(queuePlace('docs/tech-stack.json'), { stem: 'tech-stack' })
    for (const path of [undefined, '', 'x.md', '.json', 'handoffs/pending/'])
      assert.deepEqual(queuePlace(path), {})
  })
})
