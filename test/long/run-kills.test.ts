import { it } from 'node:test'
import { killRunners } from '../support/program/run-kills.ts'

it('a runner killed 50 times and its programs killed 50 times lose nothing and do nothing twice', (t) =>
  killRunners(t, 50))
