import { ask, type Member } from '../../test/support/servers/crew.ts'
import type { OwnPostgres } from '../../test/support/servers/postgres.ts'
import { type Finding, median } from './measure.ts'

export interface LoadSize {
  readonly agents: number
  readonly seconds: number
  readonly handoffs: number
  readonly rounds: number
}

/** Two servers over a database with that many handoffs. */
export interface World {
  readonly size: LoadSize
  readonly postgres: OwnPostgres
  readonly address: string
  readonly members: readonly Member[]
  readonly searcher: Member
  readonly ports: readonly number[]
  close(): void
}

/** All filters of a search. */
export const OF_ALL =
  'state=completed&from=sender-1&to=receiver-0&type=sequential&with=sender-1&since=90d&kind=handoff'

/**
 * The calls of six handoffs: one that is verified after a question, one rejected, one tried again, one understood and
 * given back, one that is changed, moved to another receiver and sent again, and one that a worker claims.
 */
async function* lifeCalls({ members, searcher, ports: [port = 0] }: World) {
  const [sender, receiver, other] = [members[0]!, members[1]!, members[2]!]
  const call = (who: Member, id: string, operation: string, body: object, name = operation) => {
    const path = id === '' && operation === 'claim' ? 'claims' : `handoffs${id && `/${id}/${operation}`}`
    return { operation: name, run: () => ask(port, who.token, `/v1/${path}`, body) }
  }
  const evidence = [{ deliverable: 'a plan', evidence: 'plan.md' }]
  const sent = { to: receiver.name, title: 'Work', summary: 'Build it.', deliverables: ['a plan'] }
  const uidOf = (body: string): string => JSON.parse(body).handoff.uid
  const one = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, one, 'accept', {})
  yield call(receiver, one, 'heartbeat', { progress: 50 })
  yield call(receiver, one, 'ask', { question: 'Which port?' })
  yield call(sender, one, 'answer', { text: '4180' })
  yield call(receiver, one, 'submit', { evidence })
  yield call(sender, one, 'verify', { pass: true })
  const two = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, two, 'reject', { reason: 'Not mine' })
  const three = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, three, 'accept', {})
  yield call(receiver, three, 'fail', { message: 'The port is taken' })
  yield call(sender, three, 'retry', {})
  yield call(sender, three, 'cancel', { reason: 'No longer needed' })
  const four = uidOf(yield call(sender, '', 'send', sent))
  yield call(receiver, four, 'accept', { understood: 'Build the plan' }, 'accept {understood}')
  yield call(receiver, four, 'release', {})
  yield call(sender, four, 'cancel', {})
  const five = uidOf(yield call(sender, '', 'send', sent))
  yield call(sender, five, 'amend', { title: 'Other work' })
  yield call(sender, five, 'comment', { text: 'It is for Friday' })
  yield call(sender, five, 'reassign', { to: other.name })
  yield call(sender, five, 'cancel', {})
  const again = uidOf(yield call(sender, five, 'resend', {}))
  yield call(sender, again, 'cancel', {})
  // An agent with no other work takes this one.
  const six = uidOf(yield call(sender, '', 'send', { ...sent, to: searcher.name }))
  yield call(searcher, '', 'claim', {})
  yield call(searcher, six, 'release', {})
  yield call(sender, six, 'cancel', {})
}

/** The median of each call of a handoff's life, one caller, in turn call by call. */
export async function lifeOf(full: World, empty: World): Promise<readonly Finding[]> {
  const times = new Map<string, Map<World, number[]>>()
  for (let round = 0; round < full.size.rounds; round += 1) {
    const lives = [full, empty].map((world) => ({ world, life: lifeCalls(world), answer: '' }))
    for (let isOver = false; !isOver; )
      // The other goes first in every second round.
      for (const each of round % 2 === 0 ? lives : lives.toReversed()) {
        const { value, done } = await each.life.next(each.answer)
        isOver = done === true
        if (!value) continue
        const { status, body, ms } = await value.run()
        if (status !== 200) throw new Error(`${value.operation}: ${status} ${body}`)
        each.answer = body
        const seen = times.get(value.operation) ?? new Map([full, empty].map((world) => [world, []]))
        times.set(value.operation, seen)
        seen.get(each.world)!.push(ms)
      }
  }
  return [...times].map(([operation, seen]) => {
    const [many, none] = [median(seen.get(full)!), median(seen.get(empty)!)]
    return {
      question: `${operation} at ${full.size.handoffs.toLocaleString('en')} handoffs, against an empty store`,
      ratio: many / none,
      detail: `${many.toFixed(2)} ms, ${none.toFixed(2)} ms`,
      bound: { sign: '<=', value: 1.3 },
    }
  })
}
