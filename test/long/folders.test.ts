import { describe, it } from 'node:test'
import { stress } from '../folders/stress.ts'

describe('fifty foreign programs beside a watcher, for a minute', () => {
  it('lose nothing', (t) => stress(t, { processes: 50, seconds: 60 }))

  it('lose nothing either when the watcher is killed every second', (t) =>
    stress(t, { processes: 50, seconds: 60, killEveryMs: 1_000 }))
})
