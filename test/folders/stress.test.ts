import { describe, it } from 'node:test'
import { stress } from './stress.ts'

describe('foreign programs beside a watcher', () => {
  it('[S0-20] lose nothing: every handoff has one whole file, every version was taken in, refused or kept', (t) =>
    stress(t, { processes: 6, seconds: 8 }))

  it('[S0-98] lose nothing either when the watcher is killed every second', (t) =>
    stress(t, { processes: 4, seconds: 8, killEveryMs: 1_000 }))
})
