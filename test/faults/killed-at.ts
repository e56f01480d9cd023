// Loaded before a program: kills its process right before the effect on a disk or a store with this number, as
// BATON_KILL_AT says, and prints how many there were where it runs through. `away`: while a file that is replaced has no name.
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const killAt = process.env.BATON_KILL_AT
let effects = 0
let isAway = false
const print = writeSync

function hook(on: object, names: readonly string[], isEffect: Judge = () => true): void {
  for (const name of names) {
    const real = Reflect.get(on, name) as (...args: unknown[]) => unknown
    Reflect.set(on, name, function (this: unknown, ...args: unknown[]) {
      if (isEffect(this, args)) effects += 1
      if (String(effects) === killAt || (killAt === 'away' && isAway)) process.kill(process.pid, 'SIGKILL')
      isAway = name === 'renameSync' && /\.old$/.test(String(args[1]))
      return real.apply(this, args)
    })
  }
}

/** Whether a call changes something: to die before one that only reads is to die after the effect before it. */
type Judge = (on: unknown, args: readonly unknown[]) => boolean

hook(fs, ['writeSync', 'writeFileSync', 'fsyncSync', 'renameSync', 'linkSync', 'unlinkSync', 'mkdirSync'])
hook(fs, ['rmSync', 'ftruncateSync', 'copyFileSync', 'utimesSync'])
const WRITING = fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT
hook(fs, ['openSync'], (_, [, flags]) =>
  typeof flags === 'number' ? (flags & WRITING) !== 0 : flags !== 'r',
)
hook(DatabaseSync.prototype, ['exec', 'close'])
const writes: Judge = (on) => !/^\s*(?:SELECT|PRAGMA)/i.test((on as StatementSync).sourceSQL)
hook(StatementSync.prototype, ['run', 'get', 'all'], writes)
syncBuiltinESMExports()
process.on('exit', () => print(1, `effects ${effects}\n`))
