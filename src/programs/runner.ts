import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatonError, onRefusal } from '../domain/errors.ts'
import type { Handoff, Usage } from '../domain/handoffs/handoff.ts'
import { isEnd } from '../domain/lifecycle.ts'
import { present } from '../domain/present.ts'
import { withoutSecrets } from '../domain/texts/secrets.ts'
import { visibleDeep } from '../domain/texts/visible.ts'
import type { Repository } from '../git/git.ts'
import { Attempt } from '../runner/attempt.ts'
import type { AgentLink, Claimed, HandoffContent, Link } from '../runner/link.ts'
import { demandProgram, LEASE_S } from '../runner/specialist.ts'
import { type StoredArtifact, toStoredFile, type Work, type WorkResult } from '../runner/work.ts'
import { WorkKept } from '../runner/work-failure.ts'
import { isAway, isLost } from '../runner/work-lease.ts'
import { blocksIn } from '../service/blocks/found-blocks.ts'
import { answerOf } from './answer.ts'
import { briefOf } from './brief.ts'
import { endMarked } from './guard.ts'
import type { ReadyRunner } from './known-programs.ts'
import { liveOutput } from './live-output.ts'
import { clearPlaces, committed, handoffPlace, watchOutside } from './places.ts'
import { Guard, runProgram } from './program.ts'
import { saidBy, usageOf } from './said.ts'

/** The world of the runners: a workspace here or at a server, and this machine. */
export interface RunnerHost {
  readonly link: Link
  /** The folder that programs work in, where they have no worktree. */
  readonly root: string
  readonly repository: Repository | undefined
  /** A place of an agent that no other process has; the next process that takes it goes on with its work. */
  readonly seat: (agent: string) => { readonly instance: string; leave(): void }
  /** The environment of a program: what is listed, and the name that it acts under. */
  readonly environment: (runner: ReadyRunner, instance: string) => Readonly<Record<string, string>>
  /** How a guard is started. */
  readonly guard: readonly string[]
  readonly tell: (event: RunnerEvent) => void
  /** Aborted: start nothing more. */
  readonly closing: AbortSignal
  /** Aborted: end what runs and give it back. */
  readonly stopped: AbortSignal
  /** Ends when there is nothing left to start. */
  readonly once: boolean
}

/** One step of a program, as it is told while it happens. */
export interface RunnerEvent {
  readonly agent: string
  readonly kind: 'started' | 'ended' | 'warning'
  readonly id?: string
  readonly title?: string
  readonly folder?: string
  readonly text?: string
}

const HOUR_MS = 3_600_000
export const INBOX_PAGE = 100
/** The program itself has ended the work: it may finish in peace. */
const OWN_ENDS: readonly unknown[] = ['in_review', 'completed', 'rejected', 'failed', 'retry_wait']

/** Starts programs for work that arrives, until `closing`; resolves when nothing runs any more. */
export async function runPrograms(host: RunnerHost, runners: readonly ReadyRunner[]): Promise<void> {
  const slots: Slot[] = []
  const running = new Set<string>()
  const guard = new Guard(host.guard)
  try {
    for (const runner of runners) {
      const starts: number[] = []
      for (let i = 0; i < runner.concurrency; i++)
        slots.push(await openSlot(host, runner, { starts, running, guard }))
    }
    await clearEnded(host, slots[0])
    let begun = 0
    do {
      begun = 0
      for (const count of await Promise.all(slots.map((slot) => slot.run()))) begun += count
    } while (host.once && begun > 0 && !host.closing.aborted)
  } finally {
    await guard.end()
    for (const slot of slots) slot.leave()
  }
}

async function openSlot(
  host: RunnerHost,
  runner: ReadyRunner,
  shared: Pick<SlotOptions, 'starts' | 'running' | 'guard'>,
): Promise<Slot> {
  const { instance, leave } = host.seat(runner.agent)
  const link = host.link.as(runner.agent, { instance })
  await demandProgram(link)
  return new Slot({ ...shared, host, runner, link, instance, leave })
}

/** A worktree is kept while its handoff is open: work that is refused goes on there. */
async function clearEnded({ repository, tell }: RunnerHost, slot: Slot | undefined): Promise<void> {
  if (!repository || !slot) return
  const { agent, link, running } = slot
  const hasEnded = async (uid: string) => {
    // A program that has ended its work may still finish in its folder.
    const found = running.has(uid) ? undefined : await link.handoff(uid).catch(() => undefined)
    return found !== undefined && isEnd(found.state)
  }
  for (const path of await clearPlaces(repository, hasEnded))
    tell({ agent, kind: 'warning', text: `${path} holds changes that are not committed, so it stays` })
}

interface SlotOptions {
  readonly host: RunnerHost
  readonly runner: ReadyRunner
  readonly link: AgentLink
  readonly instance: string
  /** When the programs of this runner were started; shared by its slots. */
  readonly starts: number[]
  /** Handoffs whose program has not ended yet; shared by all slots. */
  readonly running: Set<string>
  readonly guard: Guard
  readonly leave: () => void
}

/** One program at a time under an instance of its own. */
class Slot {
  readonly agent: string
  readonly link: AgentLink
  readonly running: ReadonlySet<string>
  readonly leave: () => void
  readonly #options: SlotOptions
  #program: Promise<unknown> = Promise.resolve()

  constructor(options: SlotOptions) {
    this.#options = options
    this.agent = options.runner.agent
    this.link = options.link
    this.running = options.running
    const keeping = setInterval(() => void this.#keepWaiting(), (LEASE_S * 1_000) / 3)
    this.leave = () => {
      clearInterval(keeping)
      options.leave()
    }
  }

  /** Answers how many programs it started. */
  async run(): Promise<number> {
    const { host, link, instance, running } = this.#options
    const { closing, stopped } = host
    // A program of a runner that was killed together with its guard.
    endMarked(programMark(instance))
    let begun = 0
    while (!closing.aborted) {
      let looks = 0
      // Woken from a wait it takes the next offer at once, as a worker does.
      const look = async () => (looks++ > 0 ? await this.#next() : undefined) ?? (await this.#look())
      const taken = host.once
        ? await look()
        : await link.until({ agent: this.agent }, look, closing).catch((error: unknown) => {
            if (!closing.aborted) throw error
          })
      if (!taken) break
      const { handoff } = taken
      begun += 1
      running.add(handoff.uid)
      try {
        const get = () => link.content(handoff.uid)
        // Read once for the attempt and for the brief, where the claim has not brought it.
        const content = taken.content ?? (await get().catch(() => undefined))
        const handler = async (work: Work) => this.#work(work, visibleDeep(content ?? (await get())))
        const options = { link, handler, stopped, hasFreeSlot: () => false }
        await new Attempt(options, { handoff, ...present({ content }) }).run()
        await this.#program
      } finally {
        running.delete(handoff.uid)
      }
      await clearEnded(host, this)
    }
    return begun
  }

  /** The next offer, where any may be taken: without a look at the inbox it begins twice as soon. */
  async #next(): Promise<Claimed | undefined> {
    const { link, runner, running } = this.#options
    if (runner.from !== undefined || running.size > 0) return undefined
    return this.#taken(() => link.claim(LEASE_S))
  }

  /** Work that this instance holds, because it was refused, answered or interrupted; else the next offer. */
  async #look(): Promise<Claimed | undefined> {
    const { link, instance, runner, running } = this.#options
    try {
      const { items } = await link.inbox(INBOX_PAGE)
      for (const handoff of items.filter((item) => isHeldBy(item, this.agent, instance))) {
        const taken = await this.#taken(async () => ({ handoff }))
        if (taken) return taken
      }
      // A program that gave up may still be in the folder where the next attempt works.
      for (const next of items.filter((item) => isFor(runner, item) && !running.has(item.uid))) {
        const input = { id: next.uid, lease_s: LEASE_S }
        const taken = await this.#taken(async () => {
          const { handoff } = await link.call('handoff_claim', input)
          return handoff && { handoff }
        })
        if (taken) return taken
      }
    } catch (error) {
      if (!isAway(error) && !isLost(error)) throw error
    }
  }

  /** Held work waits for its turn, or for a start that is left in the hour, and must not lapse. */
  async #keepWaiting(): Promise<void> {
    const { link, instance, running } = this.#options
    try {
      const { items } = await link.inbox(INBOX_PAGE)
      for (const item of items)
        if (isHeldBy(item, this.agent, instance) && item.state === 'in_progress' && !running.has(item.uid))
          await link.call('handoff_heartbeat', { id: item.uid, attempt: item.attempt })
    } catch {
      // The store is away, or the work is: the next look tells.
    }
  }

  /** Undefined where another runner was quicker, and where no start is left. */
  async #taken(claim: () => Promise<Claimed | undefined>): Promise<Claimed | undefined> {
    const { runner, starts } = this.#options
    const now = Date.now()
    if (starts.filter((at) => at > now - HOUR_MS).length >= runner.starts_per_hour) return undefined
    // Counted first: the other slots of this runner claim at the same time.
    starts.push(now)
    let taken: Claimed | undefined
    try {
      const claimed = await claim()
      taken = claimed?.handoff.state === 'accepted' ? await this.#accept(claimed) : claimed
    } catch (error) {
      if (!isLost(error) && !isAway(error)) throw error
    }
    if (taken?.handoff.state === 'in_progress') return taken
    starts.pop()
  }

  async #accept({ handoff: { uid, title }, ...rest }: Claimed): Promise<Claimed | undefined> {
    // As an object: a title that is only the word partial would ask back.
    const understood = { task: withoutSecrets(title) }
    const { handoff } = await this.link.call('handoff_accept', { id: uid, understood })
    return handoff.state === 'in_progress' ? { handoff, ...rest } : undefined
  }

  async #work(work: Work, found: HandoffContent): Promise<WorkResult> {
    const { host, runner, link, instance, guard } = this.#options
    const { handoff } = work
    const place =
      runner.worktree && host.repository
        ? await handoffPlace(host.repository, this.agent, handoff)
        : undefined
    const { refusal } = work
    const brief = briefOf({ runner, handoff, found, refusal, branch: place?.branch })
    const cwd = place?.folder ?? host.root
    const env = host.environment(runner, instance)
    const outside = place && host.repository ? await watchOutside(host.repository) : async () => ''
    const stop = new AbortController()
    const onLost = () => !isOwnEnd(work.signal) && stop.abort()
    work.signal.addEventListener('abort', onLost, { once: true })
    if (work.signal.aborted) onLost()
    const { id, title } = handoff
    const mask = (text: string) => withoutSecrets(withoutValues(text, [...runner.env, 'BATON_TOKEN'], env))
    const live = liveOutput(mask, (log) =>
      link.call('handoff_heartbeat', { id: handoff.uid, attempt: work.attempt, log }),
    )
    const running = withBrief(runner, brief, (command, input) =>
      runProgram({
        guard,
        command,
        cwd,
        env,
        mark: programMark(instance),
        input,
        timeoutMs: runner.timeoutMs,
        outputBytes: runner.outputBytes,
        onStart: () =>
          host.tell({ agent: this.agent, kind: 'started', id, title, folder: place?.path ?? '.' }),
        onOutput: (chunk) => live.add(chunk),
        signal: stop.signal,
      }),
    )
    this.#program = running.catch(() => undefined).then(() => live.end())
    const run = await running
    // At once: a run that is stopped waits for nothing that comes after.
    const text = run.ended ?? (run.end.reason ? 'not started' : `exit code ${run.end.code}`)
    host.tell({ agent: this.agent, kind: 'ended', id, title, text })
    const strayed = await outside()
    if (strayed !== '') host.tell({ agent: this.agent, kind: 'warning', text: `${id}: ${strayed}` })
    // The verifier reads the end of the output, and must see it too.
    const printed =
      strayed === '' ? run.output : `${run.output}\nBaton: ${strayed}; look there before you pass it\n`
    const output = mask(printed)
    const said = saidBy(output)
    const words = runner.setup === undefined ? output : said.text
    const block = runner.answer === 'block' ? blocksIn({ text: words }).blocks.at(-1) : undefined
    const usage = said.usage ?? usageOf(block?.said?.metrics ?? {})
    // A store that is away for a moment must not cost what was done.
    const get = () => link.content(handoff.uid).catch(onRefusal(undefined, 'unavailable'))
    const now = (await link.until({ handoff: handoff.uid }, get, AbortSignal.any([]))) ?? found
    const log = await this.#keepLog(work, output, usage)
    // It handed in itself and was refused before it ended: the refusal goes into its next brief.
    if (now.verifications.length > found.verifications.length) throw new WorkKept()
    const hasAsked = questionsIn(now) > questionsIn(found)
    const done = place && (await committed(host.repository, place))
    const evidence =
      done ?? (log === undefined ? `exit code ${run.end.code}` : `log of the program: ${log.path}`)
    const deliverables = found.package.deliverables ?? []
    const ended = { ...run, output: words }
    return answerOf({ runner, handoff, deliverables, run: ended, hasAsked, block, evidence, log })
  }

  /** The output as an artifact of the handoff. Where it cannot be kept, the work itself is not lost. */
  async #keepLog(work: Work, output: string, usage: Usage | undefined): Promise<StoredArtifact | undefined> {
    if (output.trim() === '') return undefined
    try {
      const name = `run-${work.attempt}-${work.handoff.rev}.log`
      const { path, bytes } = toStoredFile(work.handoff, name, Buffer.from(output))
      const content = Buffer.from(bytes).toString('base64')
      const about = { path, type: name, role: 'output' as const, handoff: work.handoff.uid, content }
      const { uid, sha256 } = await this.link.call('artifact_put', { ...about, ...present({ usage }) })
      return { id: uid, path, type: name, ...present({ sha256 }) }
    } catch (error) {
      const text = `the log of ${work.handoff.id} could not be kept: ${(error as Error).message}`
      this.#options.host.tell({ agent: this.agent, kind: 'warning', text })
      return undefined
    }
  }
}

/** Work that was offered to the agent by a sender that may start its program. */
export const isFor = ({ agent, from }: ReadyRunner, item: Handoff): boolean =>
  item.state === 'offered' && item.to === agent && (from === undefined || from.includes(item.from))

/** Work that a program of this instance can go on with. */
export const isHeldBy = ({ holder, instance, state }: Handoff, agent: string, seat: string): boolean =>
  holder === agent && instance === seat && (state === 'in_progress' || state === 'accepted')

const questionsIn = ({ thread = [] }: HandoffContent): number =>
  thread.filter(({ kind }) => kind === 'question').length

/** Everything that a program starts has its instance in the environment. */
const programMark = (instance: string): string => `BATON_INSTANCE=${instance}`

/** Variables that are shorter are words, and not secrets. */
const SHORTEST_SECRET = 8

/** The values of variables that were handed to the program, its token among them, are not kept. */
const withoutValues = (text: string, names: readonly string[], env: Readonly<Record<string, string>>) =>
  names.reduce((left, name) => {
    const value = env[name] ?? ''
    return value.length < SHORTEST_SECRET ? left : left.replaceAll(value, `[${name}]`)
  }, text)

const isOwnEnd = ({ reason }: AbortSignal): boolean =>
  reason instanceof BatonError && OWN_ENDS.includes(reason.details.outcome ?? reason.details.state)

/** Calls with the command and its standard input; a brief in a file lies where only this user can read it. */
async function withBrief<T>(
  { command, brief }: ReadyRunner,
  text: string,
  start: (command: readonly string[], input: string) => Promise<T>,
): Promise<T> {
  if (brief === 'stdin') return start(command, text)
  const folder = await mkdtemp(join(tmpdir(), 'baton-brief-'))
  try {
    const file = join(folder, 'brief.md')
    writeFileSync(file, text, { mode: 0o600 })
    return await start([...command, file], '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
