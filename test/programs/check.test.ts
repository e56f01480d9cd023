import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { verdictOf } from './verdict.ts'

const CHECK = resolve(import.meta.dirname, 'check.ts')

describe('the check of the agent programs', () => {
  it('refuses a story that it does not know, also for a program that a story is not about', () => {
    for (const [args, why] of [
      [['--story', 'conect'], /conect is not a check of a story: connect, /],
      [['opencode', '--story', 'plugin connects'], /no story makes these checks with opencode/],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, [CHECK, ...args], { encoding: 'utf8' })
      assert.deepEqual([status, why.test(stderr)], [2, true], stderr)
    }
  })

  it('fails a check that was not reached and a size that was not measured', () => {
    const verdict = verdictOf({
      checks: ['connect', 'accept', 'stop'],
      sizes: ['tools', 'accept, much work'],
    })
    verdict.check('connect', true)
    verdict.check('accept', false, 'it is offered')
    verdict.end()

    assert.deepEqual(verdict.row, { connect: 'yes', accept: 'NO', stop: 'not reached' })
    assert.deepEqual(verdict.failures, [
      'accept: it is offered',
      'stop: not reached',
      'tools: not measured',
      'accept, much work: not measured',
    ])
  })

  it('excuses what the documentation of a program says that it cannot do, and names that', () => {
    const cannot = { 'start text': 'no hooks: https://example.com/' }
    const verdict = verdictOf({ checks: ['start text'], sizes: ['start text, much work'] }, cannot)
    verdict.check('start text', false)

    assert.deepEqual(verdict.end(), ['start text: no hooks: https://example.com/'])
    assert.deepEqual([verdict.row, verdict.failures], [{ 'start text': 'cannot' }, []])
  })
})
