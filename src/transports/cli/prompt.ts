import { createInterface } from 'node:readline/promises'
import type { Actor } from '../../domain/actor.ts'
import { BatonError, type ErrorDetails, notAllowed } from '../../domain/errors.ts'
import { confirmed, personOnly } from '../../workspace/identity.ts'
import type { Io } from './io.ts'
import { Interrupted } from './shell.ts'

/** Asks a question at the terminal. Whoever calls has made sure that there is one. */
export async function askFor(io: Io, question: string): Promise<string> {
  const lines = createInterface({
    input: io.stdin,
    output: io.stderr as NodeJS.WritableStream,
    terminal: true,
  })
  const ended = new AbortController()
  // Ctrl-D: readline would leave the question open for ever.
  lines.once('close', () => ended.abort())
  lines.once('SIGINT', () => ended.abort(new Interrupted()))
  try {
    return (await lines.question(question, { signal: ended.signal })).trim()
  } catch (error) {
    if (ended.signal.reason instanceof Interrupted) throw new Interrupted()
    if (ended.signal.aborted) return ''
    throw error
  } finally {
    lines.close()
  }
}

/** The caller as a person at the terminal; whoever is not known to be one is refused. */
export async function personHere(io: Io, actor: Actor, operation: string, called?: string): Promise<Actor> {
  const isHere = io.isTerminal && io.env.codingAgent === undefined
  personOnly(isHere ? confirmed(actor) : actor, operation, called)
  return marked(io, confirmed(actor))
}

/** A caller who counts as a person, with what is in doubt about that. */
export async function marked(io: Io, actor: Actor): Promise<Actor> {
  const doubt = actor.kind === 'human' ? await io.doubt?.() : undefined
  return doubt === undefined ? actor : { ...actor, doubt }
}

/** Goes on with a yes alone: anything else is refused with this sentence. */
export async function demandYes(
  io: Io,
  question: string,
  refusal: string,
  details: ErrorDetails,
): Promise<void> {
  if (!(await askYesNo(io, question, false))) throw notAllowed(refusal, details)
}

/** A yes or a no; anything else is asked again, nothing is the default. */
export async function askYesNo(io: Io, question: string, otherwise?: boolean): Promise<boolean> {
  const choice = otherwise === undefined ? 'y/n' : otherwise ? 'Y/n' : 'y/N'
  for (let round = 0; round < 5; round++) {
    const answer = (await askFor(io, `${question} [${choice}] `)).toLowerCase()
    if (/^y(es)?$/.test(answer)) return true
    if (/^no?$/.test(answer)) return false
    if (answer === '' && otherwise !== undefined) return otherwise
  }
  throw new BatonError('invalid_input', 'the question was not answered with y or n, so nothing was done')
}
