import { describe, it } from 'node:test'
import { disturb } from '../support/program/pipeline-run.ts'
import { ENGINES } from '../support/program/workspace.ts'

/** Moments that are the same in every run, each with the program that ends: mostly the workers. */
const moments = [0.9, 0.1, 0.7, 0.2, 0.8, 0.6, 0.9, 0.3, 0.6, 0.4]
const random = () => {
  let at = 0
  return () => moments[at++ % moments.length]!
}

for (const engine of ENGINES)
  describe(`a pipeline of four receivers with a delegation, a question and a gate, on ${engine}`, {
    concurrency: 2,
  }, () => {
    it('loses nothing and records nothing twice when its programs are killed', (t) =>
      disturb(t, { engine, times: 5, signal: 'SIGKILL', random: random() }))

    it('spends no attempt when its programs are closed', (t) =>
      disturb(t, { engine, times: 5, signal: 'SIGTERM', random: random() }))
  })
