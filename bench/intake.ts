// What does it cost to take a folder of files in for the first time, against reading and parsing each file once and
// as many transitions under group commit? In processor time, because other programs run beside it. Not measured: the
// disk. Its file system takes processor time too, and on ext4 without a journal each new file costs more the more
// files anybody deleted in the last minutes; `TMPDIR=/dev/shm` leaves that out. `npm run bench -- intake --files=1000`
// tries it with fewer files.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readDocuments } from '../src/dialects/index.ts'
import type { FolderKind } from '../src/folders/folder.ts'
import { markdownFolder } from '../src/folders/markdown/kind.ts'
import { packageFolder } from '../src/folders/package/kind.ts'
import { queueFolder } from '../src/folders/queue/kind.ts'
import { syncFolders } from '../src/folders/sync.ts'
import { foreign } from '../test/folders/foreign.ts'
import { call, closed, type Place, placeIn } from './support/folder-archives.ts'
import { type Finding, inFolder } from './support/measure.ts'

const FILES = Number(process.argv.find((arg) => arg.startsWith('--files='))?.slice(8) ?? 10_000)
/** As many as share a transaction. */
const TOGETHER = 500

interface Sample {
  readonly kind: FolderKind
  readonly path: string
  file(i: number): { readonly path: string; readonly text: string }
}

const SAMPLES: readonly Sample[] = [
  {
    kind: markdownFolder,
    path: '_handoffs',
    file: (i) => {
      const task = `BPRD-2026-${String(i).padStart(5, '0')}`
      const { id, text } = foreign({ from: `sender${i}`, to: `receiver${i}`, task })
      return { path: `active/${id}.md`, text }
    },
  },
  {
    kind: queueFolder,
    path: '.',
    file: (i) => {
      const request = {
        handoff_id: `hoff-${i}`,
        timestamp: '2026-02-21T14:30:00Z',
        status: 'pending',
        source: { agent_id: `@sender${i}`, phase: 11, agent_type: 'orchestrator' },
        target: { agent_id: `@receiver${i}`, phase: 13, agent_type: 'specialist' },
        context: { project_id: 'proj-001' },
        input: { schema: 'receiver.input.schema.json', data: { component: `Component ${i}` } },
        timeout_seconds: 300,
      }
      return { path: `handoffs/pending/hoff-${i}.json`, text: JSON.stringify(request, undefined, 2) }
    },
  },
  {
    kind: packageFolder,
    path: '.',
    file: (i) => ({
      path: `.project/07-audit/sessions/run-${i % 20}/handoffs/WORK-${i}.yaml`,
      text: `handoff:
  from: {agent: sender${i}, step: 3}
  to: {agent: receiver${i}, reason: "Need security validation before finalization"}
  expectations:
    deliverable: "Risk report on proposed architecture ${i}"
    success_criteria: ["No unaddressed critical risks"]
  context:
    summary: "API architecture ${i} defined, needs security review"
`,
    }),
  },
]

export async function intake(): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const sample of SAMPLES) found.push(await first(sample))
  return found
}

function first(sample: Sample): Promise<Finding> {
  return inFolder(async (folder) => {
    const place = await placeIn(sample, folder, 'files')
    for (let i = 0; i < FILES; i++) {
      const { path, text } = sample.file(i)
      mkdirSync(dirname(join(place.base, path)), { recursive: true })
      writeFileSync(join(place.base, path), text)
    }
    const other = await placeIn(sample, folder, 'transitions')
    const accept = await offered(other)
    const bare = await cpuMs(async () => {
      for (const { path, text } of filesBelow(place.base)) readDocuments(text, { path })
      await accept()
    })
    const ours = await cpuMs(() => syncFolders(place.options))
    const { items } = await place.service.deps.store.handoffs({}, { limit: 1 })
    if (items.length === 0) throw new Error('nothing was taken in')
    await closed(place, other)
    return {
      question: `the first intake of ${FILES} ${sample.kind.dialect} files against reading and parsing them once and as many transitions`,
      ratio: ours / bare,
      detail: `${(ours / 1_000).toFixed(1)} s against ${(bare / 1_000).toFixed(1)} s of processor time`,
      bound: { sign: '<=', value: 4 },
    }
  })
}

function* filesBelow(base: string): Generator<{ readonly path: string; readonly text: string }> {
  for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !path.includes('/.baton/')) yield { path, text: readFileSync(path, 'utf8') }
  }
}

/** Handoffs that were sent; answers how their receivers accept them. */
async function offered({ service }: Place): Promise<() => Promise<void>> {
  const each = async (work: (i: number) => Promise<unknown>): Promise<void> => {
    for (let from = 0; from < FILES; from += TOGETHER)
      await Promise.all(Array.from({ length: Math.min(TOGETHER, FILES - from) }, (_, i) => work(from + i)))
  }
  const ids: string[] = []
  await each(async (i) => {
    const { handoff } = await service.sending.send(call(`sender${i}`), {
      to: `receiver${i}`,
      title: `Work ${i}`,
      home: 'native',
      summary: 'The login module is written and needs a review',
      deliverables: ['Risk list'],
      criteria: ['npm test passes'],
    })
    ids[i] = handoff.uid
  })
  return () => each((i) => service.receiving.accept(call(`receiver${i}`), ids[i]!))
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000
}
