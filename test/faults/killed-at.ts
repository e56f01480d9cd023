// Loaded before a program: kills its process right before the effect on a disk or a store with this number, as
// BATON_KILL_AT says, and prints how many there were where it runs through.
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const killAt = Number(process.env.BATON_KILL_AT)
let effects = 0
const print = writeSync

function hook(on: object, names: readonly string[]): void {
  for (const name of names) {
    const real = Reflect.get(on, name) as (...args: unknown[]) => unknown
    Reflect.set(on, name, function (this: unknown, ...args: unknown[]) {
      effects += 1
      if (effects === killAt) process.kill(process.pid, 'SIGKILL')
      return real.apply(this, args)
    })
  }
}

/** Without those that only read: to die before one is to die after the effect before it. */
const FILES = ['openSync', 'writeSync', 'writeFileSync', 'fsyncSync', 'renameSync', 'linkSync', 'unlinkSync']
hook(fs, [...FILES, 'mkdirSync', 'rmSync', 'ftruncateSync', 'copyFileSync', 'utimesSync', 'closeSync'])
hook(DatabaseSync.prototype, ['exec', 'close'])
hook(StatementSync.prototype, ['run', 'get', 'all'])
syncBuiltinESMExports()
process.on('exit', () => print(1, `effects ${effects}\n`))
