import { setTimeout as pause } from 'node:timers/promises'
import { onRefusal } from '../../../domain/errors.ts'
import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { alarmOf, repeat } from './repeat.ts'

/** As many new entries are signed at once, however young they are. */
const LEAVES = 256
/** A log that has grown is not left unsigned for longer: what is not signed can be cut off unseen. */
const DIRTY_MS = 45_000
/** A log that is further behind is taken into its tree in small steps first. */
const CATCH_UP = 32 * LEAVES
const TELL_MS = 10_000
/** More than one server with the key leaves unsigned. */
const ALARM = { entries: 512, seconds: 60 }

/**
 * Takes the entries of the log into its tree and signs its head, again and again, one run at a time. Where the key is
 * not, the tree grows all the same; whoever has the key compares with the newest checkpoint, however the tree grew.
 */
export function startSequenceWorker(
  service: Service,
  log: Log,
  { everyMs = 250, dirtyMs = DIRTY_MS }: { readonly everyMs?: number; readonly dirtyMs?: number } = {},
): () => Promise<void> {
  let dirtySince: number | undefined
  const alarm = alarmOf(log, 'entries of the log are unsigned')
  let problem: string | undefined
  const tell = async (audit: Audit): Promise<void> => {
    const before = problem
    problem = (await audit.signingProblem()) ?? ''
    if (problem !== '' && problem !== before)
      log('warn', 'this server cannot sign the log', { reason: problem })
  }
  const run = async (stopping: AbortSignal): Promise<void> => {
    const audit = await service.audit()
    if (problem === undefined) await tell(audit)
    const { entries, seconds } = await audit.unsigned()
    if (entries === 0) dirtySince = undefined
    else dirtySince ??= performance.now()
    if (dirtySince === undefined) return
    if (entries > ALARM.entries || seconds > ALARM.seconds)
      alarm({ entries, seconds: Math.round(seconds), advice: 'start the server that has the key' })
    const waited = Math.max(performance.now() - dirtySince, seconds * 1_000)
    if (entries < LEAVES && waited < dirtyMs) return
    if (entries > CATCH_UP) await audit.sequence(besideCalls(log, stopping))
    if (stopping.aborted) return
    if (await signed(audit)) dirtySince = undefined
    else await tell(audit)
  }
  return repeat(run, everyMs, { log, work: 'signing the log' })
}

/** How often a part fits into the rest after it. With 2, calls on PostgreSQL took 2.5 times as long. */
const RESTS = 4

/** Rests for longer than each part took, so that most calls do not meet one; says how far it is. */
export function besideCalls(log: Log, stopping: AbortSignal): (left: number) => Promise<boolean> {
  let [begun, told] = [performance.now(), performance.now()]
  return async (left) => {
    if (performance.now() - told > TELL_MS) {
      told = performance.now()
      log('info', 'the tree of the log is catching up', { entries_left: left })
    }
    await pause(RESTS * (performance.now() - begun))
    begun = performance.now()
    return !stopping.aborted
  }
}

type Audit = Awaited<ReturnType<Service['audit']>>

/** False where the key is not: whoever has it signs what is put in order here. */
async function signed(audit: Audit): Promise<boolean> {
  const isSigned = await audit.checkpoint().then(() => true, onRefusal(false, 'unmet'))
  if (!isSigned) await audit.sequence()
  return isSigned
}
