import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createService, openStore } from '../../src/compose/main.ts'
import { Tree } from '../../src/folders/files/tree.ts'
import type { FolderKind } from '../../src/folders/folder.ts'
import { markdownFolder } from '../../src/folders/markdown/kind.ts'
import { packageFolder } from '../../src/folders/package/kind.ts'
import { queueFolder } from '../../src/folders/queue/kind.ts'
import { FolderState } from '../../src/folders/state.ts'
import { type FoldersOptions, syncFolders } from '../../src/folders/sync.ts'
import type { Service } from '../../src/service/service.ts'

/** How many files change between two passes. */
export const CHANGED = 10
const ENDED_AT = '2000-01-01T00:00:00.000Z'
const LATER_MS = 60_000

export interface Place {
  readonly service: Service
  readonly options: FoldersOptions
  /** The live folder. */
  readonly base: string
}

/** An archive of one kind of folder, and ten changes in it. */
export interface Archive {
  readonly kind: FolderKind
  readonly path: string
  readonly changes: string
  /** Where the file of an ended handoff lies. */
  file(i: number): string
  facts(i: number): unknown
  /** What lies beside the handoffs, and what is open. */
  begin(place: Place, archived: number): Promise<void>
  change(place: Place): Promise<void>
}

export const call = (name: string) => ({
  actor: { name, kind: 'agent' as const, auth: 'os-user' as const },
})

export async function placeIn(
  { kind, path }: Pick<Archive, 'kind' | 'path'>,
  folder: string,
  name: string,
): Promise<Place> {
  const root = join(folder, name)
  const dir = join(root, '.baton')
  mkdirSync(dir, { recursive: true })
  const store = await openStore({ engine: 'sqlite', path: join(dir, 'baton.db') })
  const service = createService(store, { home: kind.dialect })
  const live = { kind, path, accept: [] }
  return { service, options: { root, dir, folders: [live], service, host: 'bench' }, base: join(root, path) }
}

export async function closed(...places: readonly Place[]): Promise<void> {
  for (const { service } of places) await service.deps.store.close()
}

/** A folder with so many ended handoffs, which Baton has dealt with, and some open ones. */
export async function seeded(archive: Archive, folder: string, archived: number): Promise<Place> {
  const place = await placeIn(archive, folder, String(archived))
  // The first pass takes everything in; this one is not it.
  await syncFolders(place.options)
  for (let i = 0; i < archived; i++) write(place, archive.file(i), 'x')
  await archive.begin(place, archived)
  const state = new FolderState(join(place.options.dir, 'folders.db'))
  const tree = new Tree(place.base)
  const at = Date.now() + LATER_MS
  state.together(() => {
    for (let i = 0; i < archived; i++) {
      const path = archive.file(i)
      const known = { uid: `u${i}`, path, rev: 1, sha256: `${i}`, open: false, kept: 'ours' as const }
      state.putFile(archive.path, { ...known, ended_at: ENDED_AT, facts: archive.facts(i) })
      state.willWrite(archive.path, `${i}`, `u${i}`, 1)
      const [entry] = tree.entries(dirname(path), [path.slice(dirname(path).length + 1)])
      if (entry) state.putLook(archive.path, { ...entry, path, sha256: `${i}`, at })
    }
  })
  state.close()
  await syncFolders(place.options, { complete: true })
  return place
}

const made = new Set<string>()

function write({ base }: Place, path: string, text: string): void {
  const folder = join(base, dirname(path))
  if (!made.has(folder)) mkdirSync(folder, { recursive: true })
  made.add(folder)
  writeFileSync(join(base, path), text)
}

export const sendMarkdown = ({ service }: Place, i: number) =>
  service.sending.send(call(`sender${i}`), {
    to: `receiver${i}`,
    title: 'Work',
    task: `BPRD-2026-${1_000 + i}`,
    purpose: 'p',
    context: 'c',
    deliverables: ['d'],
    criteria: ['npm test passes'],
    links: { meeting: 'm', skill: 's' },
  })

let version = 0

/** Adds a remark to the first files of a folder, as their authors would. */
function remark({ base }: Place, folder: string, ending: string, text: (n: number) => string): void {
  version += 1
  const names = readdirSync(join(base, folder)).filter((name) => name.endsWith(ending))
  for (const name of names.slice(0, CHANGED)) {
    const file = join(base, folder, name)
    writeFileSync(file, `${readFileSync(file, 'utf8')}${text(version)}`)
  }
}

const markdown: Archive = {
  kind: markdownFolder,
  path: '_handoffs',
  changes: 'changed files',
  file: (i) => `archived/${2000 + (i % 20)}/01/handoff-a-b-BPRD-2000-${i}-20000101.md`,
  facts: (i) => ({ id: `handoff-${i}`, from: 'a', to: 'b', status: 'Complete' }),
  async begin(place) {
    for (let i = 0; i < CHANGED * 2; i++) await sendMarkdown(place, i)
  },
  change: async (place) => remark(place, 'active', '.md', (n) => `\n<!-- ${n} -->\n`),
}

const REQUEST = {
  timestamp: '2026-01-13T10:00:00.000Z',
  source: { agent_id: '@frontend-specialist', phase: 11, agent_type: 'orchestrator' },
  target: { agent_id: '@react-specialist', phase: 13, agent_type: 'specialist' },
  input: { schema: 'react-specialist.input.schema.json', data: { component_requirements: [] } },
  timeout_seconds: 3_600,
}
const MADE = 'artifacts/phase-13-react/artifact-react-comp-'
/** Several handoffs of the archive share an artifact: a phase has more of them than are looked at. */
const ARTIFACTS = 2_000

const queue: Archive = {
  kind: queueFolder,
  path: '.',
  changes: 'answers of a specialist',
  file: (i) => `handoffs/completed/hoff-${i}-946684800000.json`,
  facts: (i) => ({
    phase: 13,
    status: 'completed',
    handoff_id: `hoff-${i}-946684800000`,
    updated_at: ENDED_AT,
    made: { artifact_id: `artifact-react-comp-${i}`, phase: 13, file: `${MADE}${i % ARTIFACTS}.json` },
  }),
  async begin(place) {
    for (let i = 0; i < ARTIFACTS; i++) write(place, `${MADE}${i}.json`, '{}')
  },
  /** Picked up and known; then the answers lie in `completed/`. */
  async change(place) {
    version += 1
    const ids = Array.from({ length: CHANGED }, (_, i) => `hoff-${version}-${i}`)
    const started_at = new Date().toISOString()
    const picked = (id: string) => ({ handoff_id: id, status: 'in_progress', started_at, ...REQUEST })
    for (const id of ids) write(place, `handoffs/in-progress/${id}.json`, JSON.stringify(picked(id)))
    await syncFolders(place.options)
    for (const [i, id] of ids.entries()) {
      const file = join(place.base, 'handoffs/in-progress', `${id}.json`)
      const output = { artifact_id: `artifact-react-comp-${i}`, artifact_path: `${MADE}${i}.json` }
      const answer = { ...JSON.parse(readFileSync(file, 'utf8')), status: 'completed', output }
      write(place, `handoffs/completed/${id}.json`, JSON.stringify(answer, undefined, 2))
      rmSync(file)
    }
  },
}

const SESSIONS = '.project/07-audit/sessions'
const TODAY = new Date().toISOString().slice(0, 10)

const packages: Archive = {
  kind: packageFolder,
  path: '.',
  changes: 'changed files',
  file: (i) => `${SESSIONS}/run-${Math.floor(i / 100)}/handoffs/HO-${i}.yaml`,
  facts: (i) => ({ id: `HO-${i}`, created_at: ENDED_AT, from: 'a', to: 'b', state: 'completed' }),
  async begin(place) {
    for (let i = 0; i < CHANGED * 2; i++)
      await place.service.sending.send(call(`sender${i}`), {
        to: `receiver${i}`,
        title: 'Work',
        summary: 'The login module is written and needs a review',
        deliverables: ['d'],
        criteria: ['npm test passes'],
      })
  },
  change: async (place) => remark(place, `${SESSIONS}/${TODAY}/handoffs`, '.yaml', (n) => `# ${n}\n`),
}

export const ARCHIVES: readonly Archive[] = [markdown, queue, packages]
