import { platformSha256 } from '../../../src/archive/audit-platform.ts'
import { rootOfLeaves } from '../../../src/audit/merkle.ts'
import { type Entry, LogWriter, randomOf } from './export-log.ts'

const AGENTS = ['claude', 'codex', 'gemini', 'grok']

interface Thing {
  readonly stream: string
  readonly id: string
  readonly kind: 'handoff' | 'task' | 'session'
  rev: number
  state: string
  /** Index of its first entry, and whose it is. */
  readonly start: number
  readonly by: string
}

// biome-ignore format: read as a table
const STEPS: Readonly<Record<string, readonly (readonly [act: string, to: string])[]>> = {
  draft: [['handoff.send', 'offered'], ['handoff.cancel', 'cancelled']],
  offered: [['handoff.accept', 'in_progress'], ['handoff.accept', 'accepted'], ['handoff.reject', 'rejected']],
  accepted: [['handoff.start', 'in_progress'], ['handoff.retry_later', 'retry_wait']],
  in_progress: [['handoff.submit', 'in_review'], ['handoff.heartbeat', ''], ['handoff.ask', 'needs_input'], ['handoff.fail', 'failed']],
  needs_input: [['handoff.answer', 'in_progress'], ['gate.approve', 'completed']],
  in_review: [['handoff.verify_pass', 'completed'], ['handoff.verify_fail', 'in_progress']],
  retry_wait: [['handoff.retry', 'offered']],
  failed: [['handoff.retry', 'offered']],
}

/** A log of about `count` entries in which handoffs, tasks and sessions go their lawful ways; the same for a seed. */
export function storyOf(seed: number, count: number): readonly Entry[] {
  const log = new LogWriter()
  const random = randomOf(seed)
  const things: Thing[] = []
  while (log.entries.length < count) {
    // Only the newest: a log in which everything stays open would be one long session.
    const open = things
      .slice(-40)
      .filter(({ state }) => !['completed', 'rejected', 'cancelled', 'sealed', 'done'].includes(state))
    if (open.length < 3 || random.below(5) === 0) things.push(born(log, random, things.length))
    else moveOn(log, random, random.pick(open))
  }
  return log.entries
}

function born(log: LogWriter, random: ReturnType<typeof randomOf>, n: number): Thing {
  // Sessions are rare: each holds many entries.
  const kind = random.below(12) === 0 ? 'session' : random.pick(['handoff', 'handoff', 'task'] as const)
  const by = random.pick(AGENTS)
  const id = kind === 'task' ? `P0.${n}` : `018f3c00-0000-7000-8000-${String(n).padStart(12, '0')}`
  const stream = kind === 'task' ? `018f3c00-0000-7000-9000-${String(n).padStart(12, '0')}` : id
  const start = log.entries.length
  const sub = { id, k: kind, rev: 1 } as const
  if (kind === 'handoff') {
    log.add(
      stream,
      { act: 'handoff.send', by, sub, from: 'draft', to: 'offered' },
      { title: `Work ${n} – ü`, summary: { n } },
    )
    return { stream, id, kind, rev: 1, state: 'offered', start, by }
  }
  if (kind === 'task') {
    log.add(stream, { act: 'task.create', by, sub, to: 'todo' }, { title: `Task ${n}` })
    return { stream, id, kind, rev: 1, state: 'todo', start, by }
  }
  log.add(stream, { act: 'audit_session_start', by, sub, to: 'open' })
  return { stream, id, kind, rev: 1, state: 'open', start, by }
}

function moveOn(log: LogWriter, random: ReturnType<typeof randomOf>, thing: Thing): void {
  const { stream, id, kind, by } = thing
  const sub = { id, k: kind, rev: thing.rev + 1 } as const
  thing.rev += 1
  if (kind === 'session') seal(log, thing, sub)
  else if (kind === 'task') workOn(log, thing, sub)
  else {
    const [act, to] = random.pick(STEPS[thing.state]!)
    if (to === '') log.add(stream, { act, by, sub })
    else {
      const fields = random.below(2) === 0 ? { note: `${act} ${thing.rev}` } : {}
      log.add(stream, { act, by, sub, from: thing.state, to }, fields)
      thing.state = to
    }
  }
}

function workOn(
  log: LogWriter,
  thing: Thing,
  sub: { id: string; k: 'handoff' | 'task' | 'session'; rev: number },
): void {
  const { stream, by } = thing
  if (thing.state === 'todo') {
    log.add(stream, { act: 'task.start', by, sub, to: 'in_progress' })
    thing.state = 'in_progress'
    return
  }
  log.add(
    stream,
    { act: 'thought_record', by, sub, to: 'in_progress' },
    { summary: 'What was done', tests_run: ['npm test'] },
  )
  thing.rev += 1
  log.add(stream, { act: 'task.done', by, sub: { ...sub, rev: thing.rev }, to: 'done' })
  thing.state = 'done'
}

function seal(
  log: LogWriter,
  thing: Thing,
  sub: { id: string; k: 'handoff' | 'task' | 'session'; rev: number },
): void {
  const size = log.entries.length
  const leaves = log.leaves.slice(thing.start).filter((_, i) => log.by[thing.start + i] === thing.by)
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
  log.add(thing.stream, {
    act: 'session.seal',
    by: thing.by,
    cp: { size, root: text(log.tree.root()) },
    from: 'open',
    seal: { n: leaves.length, root: text(rootOfLeaves(platformSha256, leaves)) },
    sub,
    to: 'sealed',
  })
  thing.state = 'sealed'
}
