import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { recordIn } from '../../src/audit/entry.ts'
import { createService, openStore } from '../../src/compose/main.ts'
import { markdownFolder } from '../../src/folders/markdown/kind.ts'
import { queueFolder } from '../../src/folders/queue/kind.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import type { Store } from '../../src/storage/store.ts'
import { foreign } from '../folders/foreign.ts'
import { tablesOf } from '../support/log/log.ts'

const KINDS: Readonly<Record<string, typeof markdownFolder>> = {
  markdown: markdownFolder,
  queue: queueFolder,
}

async function opened<T>(
  dialect: string,
  root: string,
  work: (options: Parameters<typeof syncFolders>[0], store: Store) => Promise<T>,
): Promise<T> {
  const dir = join(root, '.baton')
  mkdirSync(dir, { recursive: true })
  const kind = KINDS[dialect]!
  const store = await openStore({ engine: 'sqlite', path: join(dir, 'baton.db') })
  try {
    const service = createService(store, { home: kind.dialect })
    const live = { kind, path: 'live', accept: [] }
    return await work({ root, dir, folders: [live], service, host: 'test' }, store)
  } finally {
    await store.close()
  }
}

export const pass = (dialect: string, root: string): Promise<unknown> =>
  opened(dialect, root, (options) => syncFolders(options, { complete: true }))

/** One change that an author makes to the files of a project. */
interface Intake {
  readonly dialect: string
  /** No pass was made before: the files are adopted, several in one transaction. */
  readonly isFirst?: boolean
  /** What was taken in before. */
  readonly known?: { readonly path: string; readonly text: string }
  change(root: string): void
}

const { id, text } = foreign()
const FILE = `live/active/${id}.md`
const REQUEST = {
  handoff_id: 'hoff-1',
  timestamp: '2026-02-21T14:30:00Z',
  status: 'pending',
  source: { agent_id: '@orchestrator', phase: 11, agent_type: 'orchestrator' },
  target: { agent_id: '@react', phase: 13, agent_type: 'specialist' },
  context: { project_id: 'proj-001' },
  input: { schema: 'react.input.schema.json', data: { component: 'Test' } },
  timeout_seconds: 300,
}

export function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const edit = (root: string, change: (text: string) => string): void =>
  put(root, FILE, change(readFileSync(join(root, FILE), 'utf8')))

export const INTAKES: Readonly<Record<string, Intake>> = {
  'a new file': { dialect: 'markdown', change: (root) => put(root, FILE, text) },
  'files that were there before Baton': {
    dialect: 'queue',
    isFirst: true,
    change: (root) => {
      for (const name of ['old-1', 'old-2', 'hoff-3']) {
        const path = `live/handoffs/pending/${name}.json`
        put(root, path, JSON.stringify({ ...REQUEST, handoff_id: name }))
        // What was new when it was replaced stays a while.
        if (name.startsWith('old')) utimesSync(join(root, path), 1_700_000_000, 1_700_000_000)
      }
    },
  },
  'a changed file with a step': {
    dialect: 'markdown',
    known: { path: FILE, text },
    change: (root) =>
      edit(root, (old) =>
        old
          .replace('status: Active', 'status: Acknowledged')
          .replace('acknowledged_by: null', 'acknowledged_by: claude'),
      ),
  },
  'a file that goes to the archive': {
    dialect: 'markdown',
    known: { path: FILE, text },
    change: (root) =>
      edit(root, (old) =>
        old
          .replace('status: Active', 'status: Rejected')
          .replace('ticket:', 'rejected_by: claude\nrejection_reason: Too much\nticket:'),
      ),
  },
  'a claim by rename': {
    dialect: 'queue',
    known: { path: 'live/handoffs/pending/hoff-1.json', text: JSON.stringify(REQUEST) },
    change: (root) => {
      const at = (folder: string): string => join(root, `live/handoffs/${folder}/hoff-1.json`)
      renameSync(at('pending'), at('in-progress'))
    },
  },
}

/** What must be the same in the end: the files, the handoffs and each act in the log. */
async function endOf(dialect: string, root: string): Promise<unknown> {
  await pass(dialect, root)
  await pass(dialect, root)
  return opened(dialect, root, async (_options, store) => {
    const tables = await tablesOf(store)
    const handoffs = (tables.get('handoff') ?? []).map((row) => JSON.parse(String(row.doc)))
    const plain = (said: string): string =>
      handoffs
        .reduce((left: string, { uid }) => left.replaceAll(uid, 'UID'), said)
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    const live = join(root, 'live')
    const files = readdirSync(live, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    const replaced = readdirSync(join(root, '.baton/replaced'))
    return {
      // Of files that were old nothing stays.
      spare: replaced.filter((name) => name.includes('old-')),
      states: handoffs.map(({ id: name, state, rev }) => `${name} ${state} ${rev}`),
      acts: (tables.get('entry') ?? [])
        .map((row) => recordIn({ body: Buffer.from(row.body as Uint8Array).toString('utf8') }))
        .map(({ act, actor, sub }) => plain(`${act} ${actor.id} ${sub.k} ${sub.rev}`))
        .sort(),
      files: Object.fromEntries(
        files
          .map((each) => join(each.parentPath, each.name))
          .sort()
          .map((path) => [path.slice(live.length + 1), plain(readFileSync(path, 'utf8'))]),
      ),
    }
  })
}

/** A project right before the intake, and copies of it in which the process that takes it in dies. */
export class KilledIntake {
  readonly #intake: Intake
  readonly #folder = mkdtempSync(join(tmpdir(), 'baton-killed-'))
  #copies = 0

  constructor(name: string) {
    this.#intake = INTAKES[name]!
  }

  async prepare(): Promise<void> {
    const { dialect, isFirst, known, change } = this.#intake
    const root = join(this.#folder, 'before')
    mkdirSync(root)
    if (!isFirst) await pass(dialect, root)
    if (known) put(root, known.path, known.text)
    if (known) await pass(dialect, root)
    change(root)
  }

  /** How the intake ends when its process dies before this effect; the number of effects where it does not. */
  async endWhenKilled(at: number | 'away'): Promise<{ readonly end: unknown; readonly effects?: number }> {
    const root = join(this.#folder, String(this.#copies++))
    cpSync(join(this.#folder, 'before'), root, { recursive: true, preserveTimestamps: true })
    const { dialect } = this.#intake
    const program = join(import.meta.dirname, 'intake.ts')
    const hooks = join(import.meta.dirname, 'killed-at.ts')
    const child = spawn(process.execPath, ['--import', hooks, program, dialect, root], {
      env: { ...process.env, BATON_KILL_AT: String(at) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    const [code, signal] = await once(child, 'close')
    assert.ok(code === 0 || signal === 'SIGKILL', `the pass ended with ${code ?? signal}`)
    const end = await endOf(dialect, root)
    rmSync(root, { recursive: true, force: true })
    return signal === 'SIGKILL' ? { end } : { end, effects: Number(/effects (\d+)/.exec(said)?.[1]) }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
