import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CALLS } from './calls.ts'
import { goWays } from './suite.ts'
import { TAMPERING } from './tampering.ts'
import { DOORS, GOALS, type Way } from './way.ts'

/** As many as the docs promise. */
const LEAST_WAYS = 60
const ALL = [...CALLS, ...TAMPERING]

/** On PostgreSQL a few of them; the long suite goes all. */
const ON_POSTGRES = [
  'deletes an entry of the log',
  'sets the row of the gate to completed',
  'puts a token of the person into the store',
  'plants a trigger that widens every new token',
  'deletes tree and checkpoints',
]
const isOnPostgres = ({ how }: Way): boolean => ON_POSTGRES.includes(how)

goWays('sqlite')
goWays('postgres', isOnPostgres)

describe('the ways of an agent', () => {
  it('are at least sixty, lead to every goal and go through every door', () => {
    assert.ok(ALL.length >= LEAST_WAYS, String(ALL.length))
    assert.deepEqual(new Set(ALL.map(({ goal }) => goal)), new Set(GOALS))
    assert.deepEqual(new Set(ALL.map(({ door }) => door)), new Set(DOORS))
    assert.equal(new Set(ALL.map(({ goal, door, how }) => `${goal} ${door} ${how}`)).size, ALL.length)
  })

  it('are found by their names where only some are gone', () => {
    assert.equal(ALL.filter(isOnPostgres).length, ON_POSTGRES.length)
  })

  it('each end in a refusal or in a finding, never in both', () => {
    assert.deepEqual(
      ALL.filter(({ refused, found }) => (refused === undefined) === (found === undefined)),
      [],
    )
  })
})
