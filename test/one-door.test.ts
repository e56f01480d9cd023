import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const SRC = resolve(import.meta.dirname, '../src')

/** Whatever puts a handoff, a task or a record, or makes one in a unit of its caller. */
const PUTS =
  /\b(view\.(?:putHandoff|putTask|addRecord)|placeHandoff|newTask|putTask|addRecord|adoptHandoff|(?<=\.)sendDocument)\(/g

/**
 * Every caller, with the reason. A file, a block or a row of a table goes through the use case of the command that it
 * stands for, or is adopted: a caller beside these makes rows that no rule has judged.
 */
const CALLERS: Readonly<Record<string, string>> = {
  // Handoffs.
  'service/handoffs/placement.ts view.putHandoff': 'a draft that is created',
  'service/handoffs/placement.ts newTask': 'the task of a new handoff',
  'service/handoffs/moves.ts view.putHandoff':
    'every step of the table, its answered debt, and the return of a delegation',
  'service/handoffs/attempts.ts view.putHandoff': 'a heartbeat, which is not a step of the table',
  'service/handoffs/thread.ts view.putHandoff':
    'an answer while the work goes on, which is not a step of the table',
  'service/handoffs/sender.ts placeHandoff': 'creating and sending',
  'service/handoffs/sender.ts view.putHandoff': 'what a document says of the handoff that it sends',
  'service/people/gates.ts view.putHandoff': 'marks work that has gates',
  'service/settlement.ts view.putHandoff': 'reminders and the end of a silence, by the clock',
  'service/workflows/perform.ts placeHandoff': 'the steps of a run, by its definition',
  'service/documents/imported-handoff.ts view.putHandoff': 'adopts what was reached elsewhere',
  'service/documents/imported-handoff.ts newTask': 'the task of an adopted handoff, never done',
  'service/documents/imported-handoff.ts sendDocument': 'sends what a file hands over',
  'service/documents/import.ts adoptHandoff': 'import, and files from before Baton or from a commit',
  'service/blocks/block-record.ts sendDocument': 'sends what a block hands over',
  'service/redaction/redact.ts view.putHandoff': 'takes a text away for good',
  // Tasks and records.
  'service/tasks/tasks.ts newTask': 'creating',
  'service/tasks/tasks.ts view.putTask': 'a new task, and the place of its record in the log',
  'service/tasks/tasks.ts putTask': 'starting, updating, recording and completing',
  'service/tasks/tasks.ts addRecord': 'recording and completing',
  'service/tasks/tasks.ts view.addRecord': 'the record itself',
  'service/tasks/task-follow.ts view.putTask': 'every change of a task, with its entry',
  'service/tasks/task-follow.ts putTask': 'a task follows its handoff and its gates',
  'service/tasks/task-history.ts putTask': 'opens a task again that is done',
  'service/tasks/unchained.ts view.putTask': 'a record that was written beside the log',
  'service/tasks/unchained.ts putTask': 'its entry',
  'service/redaction/redact.ts view.putTask': 'takes a text away for good',
}

function callersIn(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8').replaceAll(/export (?:async )?function \w+\(/g, '')
  const calls = [...text.matchAll(PUTS)].map(([, call]) => `${file.replaceAll('\\', '/')} ${call}`)
  return [...new Set(calls)]
}

describe('one door', () => {
  it('lists every caller that puts a handoff, a task or a record, with the reason', () => {
    const files = globSync('**/*.ts', { cwd: SRC }).filter(
      (file) => !/\.(?:test|contract)\.ts$|^storage[\\/]|[\\/]fixtures[\\/]/.test(file),
    )

    assert.deepEqual(files.flatMap(callersIn).toSorted(), Object.keys(CALLERS).toSorted())
  })
})
