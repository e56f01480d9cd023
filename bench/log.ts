// What does the log cost a caller, against the same writes with a log that takes nothing? The empty log stands between
// the service and the store: decisions run as ever, and what they append goes nowhere.
import { join } from 'node:path'
import { createService, openStore } from '../src/compose/main.ts'
import type { Store, Unit, View } from '../src/storage/store.ts'
import { lifecycle, TRANSITIONS } from './support/lifecycle.ts'
import { type Finding, inFolder, interleaved, perSecond, throughput } from './support/measure.ts'

const ROUNDS = 9
const ALONE = 120
const TOGETHER = 1_200

export const log = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    const open = (name: string) => openStore({ engine: 'sqlite', path: join(folder, name) })
    const [kept, empty] = [await open('kept.db'), await open('empty.db')]
    const sides = { kept: createService(kept), empty: createService(withoutLog(empty)) }
    for (const service of Object.values(sides)) await throughput(8, 200, (i, c) => lifecycle(service, i, c))
    const rate = (service: typeof sides.kept, callers: number, total: number) => () =>
      throughput(callers, total, (i, c) => lifecycle(service, i, c))
    const rates = await interleaved(ROUNDS, {
      aloneKept: rate(sides.kept, 1, ALONE),
      aloneEmpty: rate(sides.empty, 1, ALONE),
      manyKept: rate(sides.kept, 32, TOGETHER),
      manyEmpty: rate(sides.empty, 32, TOGETHER),
    })
    await Promise.all([kept.close(), empty.close()])
    const versus = (name: string, withLog: number, without: number): Finding => ({
      question: `SQLite, ${name}: cost of a write with the log against without`,
      ratio: without / withLog,
      detail: `${perSecond(withLog * TRANSITIONS)} transitions with the log, ${perSecond(without * TRANSITIONS)} without (median of ${ROUNDS} rounds)`,
    })
    return [
      { ...versus('one caller', rates.aloneKept, rates.aloneEmpty), bound: { sign: '<=', value: 1.25 } },
      versus('32 callers', rates.manyKept, rates.manyEmpty),
    ]
  })

/** A view whose log is never written. Everything else is the store's own. */
function withoutLog(store: Store): Store {
  const silent = (view: View): View =>
    new Proxy(view, {
      get: (target, name) => {
        if (name === 'append') return () => 0
        const value = Reflect.get(target, name, target) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  const quiet = <T>(unit: Unit<T>): Unit<T> => ({ ...unit, decide: (view) => unit.decide(silent(view)) })
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'transact') return <T>(unit: Unit<T>) => target.transact(quiet(unit))
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
