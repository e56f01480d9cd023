import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { recordIn } from '../../src/audit/entry.ts'
import { createService, openStore, type StoreTarget } from '../../src/compose/main.ts'
import { BatonError } from '../../src/domain/errors.ts'
import type { Handoff } from '../../src/domain/handoffs/handoff.ts'
import { DEFAULT_POLICY } from '../../src/domain/policy.ts'
import type { FolderKind } from '../../src/folders/folder.ts'
import { reconcileFile, reconcileHandoff } from '../../src/folders/reconcile.ts'
import { FolderState } from '../../src/folders/state.ts'
import { syncFolders, workOn } from '../../src/folders/sync.ts'
import type { Happened } from '../../src/folders/work.ts'
import type { OperationName } from '../../src/operations/index.ts'
import type { Service } from '../../src/service/service.ts'
import type { Store } from '../../src/storage/store.ts'
import { disclosed } from '../support/log/log.ts'
import { run } from '../support/program/invoke.ts'
import { Clock } from '../support/program/workspace.ts'
import { MemoryTree } from './memory-tree.ts'

/** One call of an operation, by whoever acts. */
export interface Act {
  readonly actor: string
  readonly op: OperationName
  readonly input: Readonly<Record<string, unknown>>
}

export interface WalkFile {
  readonly path: string
  readonly text: string
}

/** The agents of one walk, and a person. */
export interface Cast {
  readonly number: number
  readonly from: string
  readonly to: string
  readonly other: string
  readonly person: string
}

/** A step as both sides take it: the calls of the command, and what the document's author does with the file. */
export interface Step {
  readonly name: string
  /** The id of the handoff that it is about, where that is not the first one. */
  about?(cast: Cast): string
  /** The file is a new one and lies beside the others. */
  readonly begins?: true
  acts(cast: Cast, by: string, handoff: Handoff): readonly Act[]
  /** Undefined where the document has no words for it. */
  file(before: WalkFile, by: string, cast: Cast, handoff: Handoff): WalkFile | undefined
}

/** How one dialect walks. */
export interface Walker {
  readonly what: string
  readonly kind: FolderKind
  /** Walks without a disk and through real files; the long suite takes ten times as many. */
  readonly runs: { readonly memory: number; readonly files: number }
  readonly send: { act(cast: Cast): Act; file(cast: Cast): WalkFile }
  readonly steps: readonly Step[]
  /** Steps that the receiver always takes first. */
  readonly first?: readonly Step[]
  /** Lies in the folder from the start. */
  readonly beside?: WalkFile
}

/** A choice in a walk: which step, and who takes it. */
export interface Choice {
  readonly step: number
  readonly by: keyof Pick<Cast, 'from' | 'to' | 'other'>
}

export const anyWalk = (length: number, { steps }: Walker): fc.Arbitrary<readonly Choice[]> =>
  fc.array(
    fc.record({
      step: fc.nat({ max: steps.length - 1 }),
      by: fc.constantFrom('to', 'to', 'to', 'from', 'from', 'other'),
    }),
    { minLength: 1, maxLength: length, size: 'max' },
  )

/** The handoff of a walk on each side. */
interface Ids {
  readonly command: string
  readonly file: string
}

interface Side {
  readonly service: Service
  readonly store: Store
}

/** The side of the files: the folder, and a pass over it. */
export interface Files extends Side {
  read(path: string): string | undefined
  /** What an author does: the file moves and says something else. */
  change(before: WalkFile | undefined, after: WalkFile): void
  look(path: string): Promise<readonly Happened[]>
  /** Brings the file of another handoff to what the engine says, where a look does not. */
  follow?(handoff: Handoff): Promise<void>
  /** Files of earlier walks go, so that a walk costs the same however many there were. */
  clear?(): void
  /** Where the file of a handoff lies. */
  pathOf(handoff: Handoff): string | undefined
}

/** Both sides of the walks of one dialect. A store is used by many walks; nobody is in two of them. */
export class Walks {
  readonly #walker: Walker
  readonly #command: Side
  readonly #files: Files
  readonly #clock: Clock
  #made = 0
  /** Where the log of the files stood before the walk. */
  #since = ''

  constructor(walker: Walker, clock: Clock, command: Side, files: Files) {
    this.#walker = walker
    this.#clock = clock
    this.#command = command
    this.#files = files
  }

  async walk(choices: readonly Choice[]): Promise<void> {
    this.#made += 1
    const number = this.#made
    this.#files.clear?.()
    this.#since = (await this.#files.store.changes(undefined, 1)).cursor
    const cast: Cast = {
      ...{ number, from: `ann${number}`, to: `ben${number}`, other: `cy${number}` },
      person: `dee${number}`,
    }
    const { send, steps, first = [] } = this.#walker
    if (first.length > 0) await this.#addPerson(cast)
    await this.#step('send', cast, [send.act(cast)], undefined, send.file(cast))
    const ids = await this.#handoffs(cast)
    const begun = new Set<string>()
    for (const step of first) await this.#choose(step, cast, 'to', ids, begun)
    for (const { step, by } of choices) await this.#choose(steps[step]!, cast, by, ids, begun)
    await this.#compare(cast)
  }

  /** Takes the step where its file has something to say. */
  async #choose(step: Step, cast: Cast, role: Choice['by'], ids: Ids, begun: Set<string>): Promise<void> {
    const other = step.about?.(cast)
    const [command, file] = await Promise.all([
      this.#command.store.handoff(other ?? ids.command),
      this.#files.store.handoff(other ?? ids.file),
    ])
    const path = file && this.#files.pathOf(file)
    const text = path === undefined ? undefined : this.#files.read(path)
    if (!command || !file || path === undefined || text === undefined) return
    const before = { path, text }
    const after = step.file(before, cast[role], cast, file)
    // Nothing in the file would change: nobody asks for anything.
    if (!after || (after.path === path && after.text === text) || begun.has(after.path)) return
    if (step.begins) begun.add(after.path)
    const acts = step.acts(cast, cast[role], command)
    await this.#step(step.name, cast, acts, step.begins ? undefined : before, after)
    if (!step.begins && !other) return
    const first = await this.#files.store.handoff(ids.file)
    if (first) await this.#files.follow?.(first)
  }

  async #addPerson({ person }: Cast): Promise<void> {
    const call = { actor: { name: 'admin', kind: 'human', auth: 'os-user' } } as const
    for (const { service } of [this.#command, this.#files])
      await run(service, call, 'agent_add', { name: person, kind: 'human' })
  }

  /** Takes one step on both sides. It is refused on both, or on none. */
  async #step(
    name: string,
    { person }: Cast,
    acts: readonly Act[],
    before: WalkFile | undefined,
    after: WalkFile,
  ): Promise<void> {
    this.#clock.pass(1_000)
    const byCommand = await refusalOf(async () => {
      for (const { actor, op, input } of acts) {
        // A file does not say who edits it, so work that somebody holds is edited by command alone.
        const auth = op === 'handoff_amend' ? 'file' : 'os-user'
        const kind = actor === person ? 'human' : 'agent'
        await run(this.#command.service, { actor: { name: actor, kind, auth } }, op, input)
      }
    })
    this.#files.change(before, after)
    const happened = await this.#files.look(after.path)
    const reason = happened.find(({ what }) => what === 'refused')?.reason
    const byFile = reason === undefined ? undefined : await this.#logged(reason)
    // The same code and sentence, unless the file cannot even ask for it.
    if (byFile !== undefined && byCommand !== undefined && !OF_THE_FILE.test(byFile))
      assert.equal(byFile, byCommand, name)
    assert.equal(
      byFile !== undefined,
      byCommand !== undefined,
      `${name}: by command ${byCommand ?? 'done'}; by file ${byFile ?? 'done'}\n${after.path}\n${after.text}`,
    )
  }

  /** The refusal as the log has it, with the code of a call where there is one. A version is logged once. */
  async #logged(reason: string): Promise<string> {
    const { entries } = await this.#files.store.changes(this.#since, 500)
    const logged = entries
      .filter(({ act }) => act === 'file.refused')
      .map((entry) => disclosed(entry))
      .findLast((each) => each.reason === reason)
    assert.ok(logged, `the log does not say: ${reason}`)
    return logged.code === undefined ? reason : `${logged.code}: ${reason}`
  }

  async #handoffs({ from }: Cast): Promise<Ids> {
    const of = async ({ store }: Side): Promise<string> => {
      const { items } = await store.handoffs({ from }, { limit: 1 })
      assert.equal(items.length, 1, `${from} sent nothing`)
      return items[0]!.uid
    }
    return { command: await of(this.#command), file: await of(this.#files) }
  }

  async #compare(cast: Cast): Promise<void> {
    const [command, file] = await Promise.all([seen(this.#command, cast), seen(this.#files, cast)])
    assert.deepEqual(file, command)
  }
}

/** Refusals of the document's own: it has no words for the step, whatever its author is allowed to do. */
const OF_THE_FILE =
  /cannot be changed in the file|a handoff that has ended is not changed|by hand|has no step from|only a pending handoff can be picked up|waits for a person/

async function refusalOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof BatonError)) throw error
    return `${error.code}: ${error.message}`
  }
}

/** Fields that differ by design: ids, times, and that a document came in. */
const OWN: ReadonlySet<string> = new Set([
  ...[
    'uid',
    'id',
    'root',
    'rev',
    'aliases',
    'imported_at',
    'session',
    'created_at',
    'updated_at',
    'sent_at',
    'sent_seq',
  ],
  ...['accepted_at', 'started_at', 'ended_at', 'ack_deadline', 'lease_until', 'not_before', 'attempts'],
])
/** What only a file leaves in the log: the document that was kept, and that a version of it was refused. */
const OF_FILES: ReadonlySet<string> = new Set(['artifact.put', 'file.refused'])

/** State, content, notices and acts of the handoffs of a walk, without what differs by design. */
async function seen({ store }: Side, { from, to, other, person }: Cast): Promise<unknown> {
  const sent = await Promise.all(
    [from, to, other].map((name) => store.handoffs({ from: name }, { limit: 10 })),
  )
  const handoffs = sent.flatMap(({ items }) => items.toSorted((a, b) => (a.title < b.title ? -1 : 1)))
  const names = new Map(handoffs.flatMap(({ uid, id }, i) => [[uid, `UID${i}`] as const, [id, `ID${i}`]]))
  const logs = await Promise.all(
    [...new Set(handoffs.map(({ root }) => root))].map((root) => store.entries(root, 0, 500)),
  )
  const records = logs.flat().map((entry) => recordIn(entry))
  const contents = await Promise.all(handoffs.map(({ uid }) => store.content(uid)))
  const told = await Promise.all([from, to, other, person].map((name) => store.notices(name, { limit: 100 })))
  const notices = told.flatMap(({ items }) => items).filter(({ kind }) => kind !== 'refused')
  return plain(names, {
    handoffs: handoffs.map((handoff) =>
      Object.fromEntries(Object.entries(handoff).filter(([key]) => !OWN.has(key))),
    ),
    contents,
    notices: notices.map(({ to, kind, text }) => plain(names, `${to} ${kind} ${text}`)).sort(),
    acts: records
      .filter(({ act }) => !OF_FILES.has(act))
      .map(({ act, actor, sub, from, to }) => ({
        ...{ act, by: actor.id, from, to },
        sub: names.get(sub.id) ?? sub.k,
      })),
  })
}

const TIMES = /^(?:at|.+_at)$/

function plain(names: ReadonlyMap<string, string>, value: unknown): unknown {
  if (typeof value === 'string')
    return [...names]
      .toSorted(([a], [b]) => b.length - a.length)
      .reduce((text, [name, short]) => text.replaceAll(name, short), value)
  if (Array.isArray(value)) return value.map((each) => plain(names, each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => each !== undefined && !TIMES.test(key) && key !== 'uid')
      .map(([key, each]) => [key, plain(names, each)]),
  )
}

const POLICY = { ...DEFAULT_POLICY, limits: {} }
const ACCEPT = ['verification', 'gate'] as const

async function sideOf(target: StoreTarget, walker: Walker, clock: Clock): Promise<Side> {
  const store = await openStore(target)
  return {
    store,
    service: createService(store, { home: walker.kind.dialect, policy: POLICY, now: clock.now }),
  }
}

const MEMORY = { engine: 'sqlite', path: ':memory:' } as const

/** Walks without a disk: the text goes through the door of a pass, in a folder in memory. */
export async function memoryWalks(walker: Walker): Promise<Walks & AsyncDisposable> {
  const { kind } = walker
  const clock = new Clock()
  const [command, side] = [await sideOf(MEMORY, walker, clock), await sideOf(MEMORY, walker, clock)]
  const state = new FolderState(':memory:')
  const live = { kind, path: 'live', accept: [...ACCEPT] }
  // A pass makes a folder below this one, which stays empty.
  const dir = mkdtempSync(join(tmpdir(), 'baton-walks-'))
  const tree = new MemoryTree(dir)
  const options = { root: dir, dir, folders: [live], service: side.service, host: 'test' }
  state.putFolder('live', { cursor: (await side.store.changes(undefined, 1)).cursor })
  // A walk is one pass: a text that was read in it is not read again.
  const pass = () => ({ ...workOn(options, state, live), tree })
  let work = pass()
  const files: Files = {
    ...side,
    read: (path) => tree.files.get(path)?.text,
    clear() {
      tree.files.clear()
      work = pass()
      if (walker.beside) tree.write(walker.beside.path, walker.beside.text)
    },
    change(before, after) {
      if (before && before.path !== after.path) tree.files.delete(before.path)
      tree.write(after.path, after.text)
    },
    async look(path) {
      const before = work.happened.length
      await reconcileFile(work, path)
      return work.happened.slice(before)
    },
    follow: (handoff) => reconcileHandoff(work, handoff),
    pathOf: ({ uid }) => state.file('live', uid)?.path,
  }
  const walks = new Walks(walker, clock, command, files)
  return Object.assign(walks, {
    [Symbol.asyncDispose]: async () => {
      state.close()
      await Promise.all([command.store.close(), side.store.close()])
      rmSync(dir, { recursive: true })
    },
  })
}

/** Walks through real files: each step is a pass over a folder on a disk. */
export async function fileWalks(
  walker: Walker,
  target: (name: string, folder: string) => StoreTarget,
): Promise<Walks & AsyncDisposable> {
  const { kind } = walker
  const clock = new Clock()
  const root = mkdtempSync(join(tmpdir(), 'baton-walks-'))
  const [command, side] = [
    await sideOf(target('command', root), walker, clock),
    await sideOf(target('files', root), walker, clock),
  ]
  const live = { kind, path: 'live', accept: [...ACCEPT] }
  const options = { root, dir: join(root, '.baton'), folders: [live], service: side.service, host: 'test' }
  mkdirSync(options.dir)
  await syncFolders(options)
  const at = (path: string): string => join(root, 'live', path)
  const places = new Map<string, string>()
  const { beside } = walker
  if (beside) mkdirSync(dirname(at(beside.path)), { recursive: true })
  if (beside) writeFileSync(at(beside.path), beside.text)
  const files: Files = {
    ...side,
    read: (path) => readFileSync(at(path), 'utf8'),
    change(before, after) {
      mkdirSync(dirname(at(after.path)), { recursive: true })
      if (before && before.path !== after.path) renameSync(at(before.path), at(after.path))
      writeFileSync(at(after.path), after.text)
      // Nobody writes to it any more.
      utimesSync(at(after.path), 1, new Date(Date.now() - 10_000 - places.size))
    },
    async look() {
      const happened = await syncFolders(options, { complete: true })
      for (const { uid, path, what } of happened)
        if (uid !== undefined && what !== 'refused') places.set(uid, path.slice('live/'.length))
      return happened
    },
    pathOf: ({ uid }) => places.get(uid),
  }
  const walks = new Walks(walker, clock, command, files)
  return Object.assign(walks, {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([command.store.close(), side.store.close()])
      rmSync(root, { recursive: true, force: true })
    },
  })
}

/** Many walks, and the shortest one that shows a difference. */
export async function checkWalks(
  walks: Walks,
  walker: Walker,
  { numRuns, length }: { readonly numRuns: number; readonly length: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyWalk(length, walker), async (choices) => walks.walk(choices)),
    { numRuns },
  )
}
