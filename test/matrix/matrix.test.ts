import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeRules } from './matrix.ts'
import { RULES } from './rules.ts'
import { CALLS, KINDS, SURFACES, type Surface } from './table.ts'

describeRules(RULES, 'sqlite')
// The other engine for a rule of each kind of judgement; all of them in test/long/.
describeRules(
  RULES.filter(({ rule }) =>
    /^(?:Work is not completed past|A sender has no more|A task is done)/.test(rule),
  ),
  'postgres',
)

describe('the table of rules and surfaces', () => {
  it('has a cell for every rule and surface', () => {
    for (const { rule, cells } of RULES)
      for (const surface of SURFACES) {
        const cell = cells[surface]
        assert.ok(cell, `${rule}: ${surface} is empty`)
        if (cell.why !== undefined) assert.match(cell.why, /^[A-Z].*\.$/, `${rule}: ${surface}`)
      }
  })

  it('has at least two rules of every kind, each refused by every surface that takes calls', () => {
    for (const kind of KINDS) assert.ok(RULES.filter((rule) => rule.kind === kind).length >= 2, kind)
    for (const { rule, cells } of RULES)
      for (const surface of Object.keys(CALLS) as Surface[])
        assert.equal(cells[surface].is, 'refused', `${rule}: ${surface}`)
  })
})
