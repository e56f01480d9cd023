import assert from 'node:assert/strict'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import { DEFAULT_POLICY } from '../../src/domain/policy.ts'
import type { Service } from '../../src/service/service.ts'
import { type Acknowledged, checkInvariants } from './check-invariants.ts'
import { LIFE_POLICY, OPERATIONS } from './life.ts'
import type { Pool, Worker } from './pool.ts'
import type { Note, Reply } from './worker.ts'

/** How many live at the same time, so that whoever is killed leaves others in the middle of theirs. */
const ALIVE = 3
/** Started ahead of time: a start takes longer than a life. */
const SPARE = 3
const LONGEST_LIFE_MS = 60

export interface CrashReport {
  readonly answers: number
  /** Calls that nobody knew the outcome of, asked again with their key. */
  readonly repeated: number
}

/**
 * Kills workers at random instants of full lifecycles. What the dead one asked for last is asked again with its
 * key by somebody else; at the end everything that was ever answered must be there, and nothing by halves.
 */
export async function crash(
  pool: Pool,
  target: StoreTarget,
  cycles: number,
  seed: number,
): Promise<CrashReport> {
  const random = seeded(seed)
  const store = await openStore(target)
  const service = createService(store, { policy: { ...DEFAULT_POLICY, ...LIFE_POLICY } })
  const crew = new Crew(pool, target, cycles, `s${seed}`)
  const acknowledged: Acknowledged[] = []
  let repeated = 0
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await crew.fill()
      await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_LIFE_MS))
      const { answers, open } = await crew.killOne(random())
      acknowledged.push(...answers)
      if (!open) continue
      repeated += 1
      acknowledged.push(...(await repeat(service, open)))
    }
    acknowledged.push(...(await crew.killAll()))
    assert.ok(acknowledged.length > cycles, `only ${acknowledged.length} answers in ${cycles} lives`)
    assert.ok(repeated > cycles / 4, `only ${repeated} of ${cycles} were killed in the middle of a call`)
    await checkInvariants(store, { acknowledged })
    await checkSentOnce(service)
    return { answers: acknowledged.length, repeated }
  } catch (error) {
    throw new Error(`killed with the seed ${seed}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  } finally {
    await crew.killAll()
    await store.close()
  }
}

type Asked = Extract<Note, { asked: unknown }>['asked']

/** Workers in the middle of their lives, and others that wait for their turn. */
class Crew {
  readonly #start: () => Promise<Worker>
  readonly #waiting: Promise<Worker>[] = []
  readonly #alive: { readonly worker: Worker; readonly life: Promise<Reply> }[] = []
  readonly #name: string
  #left: number

  constructor(pool: Pool, target: StoreTarget, lives: number, name: string) {
    this.#name = name
    this.#left = lives + ALIVE
    this.#start = async () => {
      const worker = await pool.start()
      await worker.open(target, LIFE_POLICY)
      return worker
    }
    for (let i = 0; i < ALIVE + SPARE; i++) this.#prepare()
  }

  async fill(): Promise<void> {
    while (this.#alive.length < ALIVE) {
      const worker = await (this.#waiting.shift() ?? this.#start())
      const life = worker.tell({ do: 'live', name: `${this.#name}-${worker.name}` })
      this.#alive.push({ worker, life })
    }
  }

  /** Kills one of those alive; answers what it was told, and the call whose answer it did not live to see. */
  async killOne(random: number): Promise<{ answers: readonly Acknowledged[]; open: Asked | undefined }> {
    const [victim] = this.#alive.splice(Math.floor(random * this.#alive.length), 1)
    assert.ok(victim)
    await victim.worker.kill()
    const reply = await victim.life
    assert.ok(!reply.ok && reply.code === 'killed', `a call was refused: ${JSON.stringify(reply)}`)
    this.#prepare()
    const { notes } = victim.worker
    const answers = notes.flatMap((note) =>
      'answered' in note && note.answered !== 'nothing' ? [note.answered] : [],
    )
    const last = notes.at(-1)
    return { answers, open: last && 'asked' in last ? last.asked : undefined }
  }

  async killAll(): Promise<readonly Acknowledged[]> {
    const answers: Acknowledged[] = []
    while (this.#alive.length > 0) answers.push(...(await this.killOne(0)).answers)
    for (const worker of await Promise.all(this.#waiting.splice(0))) await worker.kill()
    return answers
  }

  #prepare(): void {
    if (this.#left <= 0) return
    this.#left -= 1
    const worker = this.#start()
    // Told to whoever takes it; until then it is no accident.
    worker.catch(() => undefined)
    this.#waiting.push(worker)
  }
}

/** Asks again twice: the same key has one effect and one answer, whether the first call took effect or not. */
async function repeat(service: Service, { op, call, about }: Asked): Promise<readonly Acknowledged[]> {
  const first = await OPERATIONS[op]?.(service, call, about)
  const second = await OPERATIONS[op]?.(service, call, about)
  assert.equal(second?.uid, first?.uid, `I8: ${op} with the key ${call.key} answered two handoffs`)
  return first ? [first] : []
}

/** Every send has a title of its own. */
async function checkSentOnce(service: Service): Promise<void> {
  const titles: string[] = []
  let cursor: string | undefined
  do {
    const page = await service.deps.store.handoffs({}, { limit: 500, ...(cursor && { cursor }) })
    titles.push(...page.items.filter(({ type }) => type !== 'return').map(({ title }) => title))
    cursor = page.next
  } while (cursor !== undefined)
  assert.equal(new Set(titles).size, titles.length, 'I8: a send had two effects')
}

/** Mulberry32: the same seed, the same instants. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
