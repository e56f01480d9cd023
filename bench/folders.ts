// Does the cost of a pass over a live folder follow what changed, or what lies in the archive? And how soon is a
// file that another program wrote a step in the engine, against a bare watch of the folder and a bare commit? Files
// of the archive are written as they lie there; the engine does not hold their handoffs, and a pass does not ask.
import { mkdirSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { markdownFolder } from '../src/folders/markdown/kind.ts'
import { FolderState } from '../src/folders/state.ts'
import { type FoldersOptions, syncFolders } from '../src/folders/sync.ts'
import { watchFolders } from '../src/folders/watch.ts'
import { createService, openStore } from '../src/main.ts'
import type { Service } from '../src/service/service.ts'
import { type Finding, inFolder, interleaved, median } from './measure.ts'

const ROUNDS = 7
const CHANGED = 10
const TRIES = 40
const call = (name: string) => ({ actor: { name, kind: 'agent' as const, auth: 'os-user' as const } })

export async function folders(): Promise<readonly Finding[]> {
  return [await archive(), await pickUp()]
}

interface Place {
  readonly service: Service
  readonly options: FoldersOptions
  readonly active: string
}

async function placeIn(folder: string, name: string): Promise<Place> {
  const root = join(folder, name)
  const dir = join(root, '.baton')
  mkdirSync(dir, { recursive: true })
  const store = await openStore({ engine: 'sqlite', path: join(dir, 'baton.db') })
  const service = createService(store, { home: 'markdown' })
  const live = { kind: markdownFolder, path: '_handoffs', accept: [] }
  return {
    service,
    options: { root, dir, folders: [live], service, host: 'bench' },
    active: join(root, '_handoffs/active'),
  }
}

const send = ({ service }: Place, i: number) =>
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

async function archive(): Promise<Finding> {
  return inFolder(async (folder) => {
    const few = await seeded(folder, 1_000)
    const many = await seeded(folder, 100_000)
    const ms = await interleaved(ROUNDS, { few: () => pass(few), many: () => pass(many) })
    for (const { service } of [few, many]) await service.deps.store.close()
    return {
      question: `a pass that takes in ${CHANGED} changed files, with 100,000 archived against 1,000`,
      ratio: ms.many / ms.few,
      detail: `${ms.many.toFixed(0)} ms against ${ms.few.toFixed(0)} ms`,
      bound: { sign: '<=', value: 2 },
    }
  })
}

async function seeded(folder: string, archived: number): Promise<Place> {
  const place = await placeIn(folder, String(archived))
  for (let i = 0; i < CHANGED * 2; i++) await send(place, i)
  await syncFolders(place.options)
  const state = new FolderState(join(place.options.dir, 'folders.db'))
  state.together(() => {
    for (let i = 0; i < archived; i++) {
      const path = `archived/${2000 + (i % 20)}/01/handoff-a-b-BPRD-2000-${i}-20000101.md`
      const facts = { id: `handoff-${i}`, from: 'a', to: 'b', status: 'Complete' }
      const ended_at = '2000-01-01T00:00:00.000Z'
      state.putFile('_handoffs', {
        uid: `u${i}`,
        path,
        rev: 1,
        sha256: `${i}`,
        open: false,
        kept: 'ours',
        ended_at,
        facts,
      })
      state.willWrite('_handoffs', `${i}`, `u${i}`, 1)
    }
  })
  state.close()
  for (let i = 0; i < archived; i++) {
    const month = join(place.options.root, `_handoffs/archived/${2000 + (i % 20)}/01`)
    if (i < 20) mkdirSync(month, { recursive: true })
    writeFileSync(join(month, `handoff-a-b-BPRD-2000-${i}-20000101.md`), 'x')
  }
  return place
}

let version = 0

async function pass({ active, options }: Place): Promise<number> {
  version += 1
  for (const name of readdirSync(active)
    .filter((each) => each.endsWith('.md'))
    .slice(0, CHANGED))
    writeFileSync(join(active, name), `${readFileSync(join(active, name), 'utf8')}\n<!-- ${version} -->\n`)
  const started = performance.now()
  await syncFolders(options)
  return performance.now() - started
}

async function pickUp(): Promise<Finding> {
  return inFolder(async (folder) => {
    const place = await placeIn(folder, 'project')
    for (let i = 0; i < TRIES; i++) await send(place, i)
    await syncFolders(place.options)
    // Before there is a watcher: its passes would stand in the way.
    const quiet = await placeIn(folder, 'quiet')
    const times = { ours: [] as number[], bare: [] as number[] }
    for (let i = 0; i < TRIES; i++) times.bare.push(await bareWatch(quiet, i))
    const stop = new AbortController()
    const watching = watchFolders(place.options, { signal: stop.signal })
    const names = readdirSync(place.active).filter((each) => each.endsWith('.md'))
    for (const name of names) {
      times.ours.push(await acknowledged(place, name))
      // One at a time: the pass that took it in has its own file and index to write.
      await pause(100)
    }
    stop.abort()
    await watching
    for (const { service } of [place, quiet]) await service.deps.store.close()
    const ms = (values: readonly number[]) => `${median(values).toFixed(1)} ms`
    return {
      question: "a foreign file's step is in the engine, against a bare watch and a commit",
      ratio: median(times.ours) / median(times.bare),
      detail: `${ms(times.ours)} against ${ms(times.bare)}`,
      bound: { sign: '<=', value: 10 },
    }
  })
}

/** The least that anybody could do: hear of a file, and commit something. */
async function bareWatch({ service, options }: Place, i: number): Promise<number> {
  const heard = Promise.withResolvers<void>()
  const watcher = watch(options.root, () => heard.resolve())
  const started = performance.now()
  writeFileSync(join(options.root, 'touched'), String(i))
  await heard.promise
  await service.tasks.create(call('planner'), { id: `T.${i}`, title: 'Commit' })
  watcher.close()
  return performance.now() - started
}

async function acknowledged({ active, service }: Place, name: string): Promise<number> {
  const text = readFileSync(join(active, name), 'utf8')
  const to = /^to_agent: (\w+)$/m.exec(text)?.[1]
  const next = text
    .replace('status: Active', 'status: Acknowledged')
    .replace('acknowledged_by: null', `acknowledged_by: ${to}`)
  writeFileSync(join(active, `.${name}.draft`), next)
  const taken = Promise.withResolvers<void>()
  const look = async () => {
    if ((await service.deps.store.handoff(name.replace('.md', '')))?.state === 'accepted') taken.resolve()
  }
  const unsubscribe = service.deps.store.subscribe(() => void look())
  const timer = setInterval(() => void look(), 1)
  const started = performance.now()
  renameSync(join(active, `.${name}.draft`), join(active, name))
  await taken.promise
  clearInterval(timer)
  unsubscribe()
  return performance.now() - started
}
