import { BatonError } from '../../../domain/errors.ts'
import type { Service } from '../../../service/service.ts'
import type { Log } from '../server/log.ts'
import { alarmOf, repeat } from './repeat.ts'

/** As many new entries are signed at once, however young they are. */
const LEAVES = 256
/** A log that has grown is not left unsigned for longer: what is not signed can be cut off unseen. */
const DIRTY_MS = 45_000
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
  const run = async (): Promise<void> => {
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
    if (await signed(audit)) dirtySince = undefined
    else await tell(audit)
  }
  return repeat(run, everyMs, { log, work: 'signing the log' })
}

type Audit = Awaited<ReturnType<Service['audit']>>

/** False where the key is not: whoever has it signs what is put in order here. */
async function signed(audit: Audit): Promise<boolean> {
  try {
    await audit.checkpoint()
    return true
  } catch (error) {
    if (!(error instanceof BatonError && error.code === 'unmet')) throw error
    await audit.sequence()
    return false
  }
}
