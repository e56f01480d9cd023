import { describe, it } from 'node:test'
import { disturb } from '../support/program/pipeline-run.ts'
import { ENGINES } from '../support/program/workspace.ts'

for (const engine of ENGINES)
  describe(`a pipeline of four receivers with a delegation, a question and a gate, on ${engine}`, () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const)
      it(`is whole after 200 times ${signal} at random moments`, (t) =>
        disturb(t, { engine, times: 200, signal, random: Math.random }))
  })
