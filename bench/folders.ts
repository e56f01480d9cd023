// Does the cost of a pass over a live folder follow what changed, or what lies in the archive? And how soon is a
// file that another program wrote a step in the engine, against a bare watch of the folder and a bare commit? Files
// of the archive are written as they lie there; the engine does not hold their handoffs, and a pass does not ask.
// Not measured: a step in a folder of document 004, whose state/current.json lists every handoff and is written anew;
// and listing a folder of 100,000 files in which something came or went, which is done at most each 20th of the time.
import { readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { markdownFolder } from '../src/folders/markdown/kind.ts'
import { syncFolders } from '../src/folders/sync.ts'
import { watchFolders } from '../src/folders/watch.ts'
import {
  ARCHIVES,
  CHANGED,
  call,
  closed,
  type Place,
  placeIn,
  seeded,
  sendMarkdown,
} from './support/folder-archives.ts'
import { type Finding, inFolder, interleaved, median } from './support/measure.ts'

const ROUNDS = 7
const TRIES = 40
const MARKDOWN = { kind: markdownFolder, path: '_handoffs' }

export async function folders(): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for (const archive of ARCHIVES) found.push(await size(archive))
  return [...found, await pickUp()]
}

function size(archive: (typeof ARCHIVES)[number]): Promise<Finding> {
  return inFolder(async (folder) => {
    const few = await seeded(archive, folder, 1_000)
    const many = await seeded(archive, folder, 100_000)
    const pass = async (place: Place): Promise<number> => {
      await archive.change(place)
      const started = performance.now()
      await syncFolders(place.options)
      return performance.now() - started
    }
    const ms = await interleaved(ROUNDS, { few: () => pass(few), many: () => pass(many) })
    await closed(few, many)
    return {
      question: `a pass over a ${archive.kind.dialect} folder that takes in ${CHANGED} ${archive.changes}, with 100,000 archived against 1,000`,
      ratio: ms.many / ms.few,
      detail: `${ms.many.toFixed(0)} ms against ${ms.few.toFixed(0)} ms`,
      bound: { sign: '<=', value: 2 },
    }
  })
}

async function pickUp(): Promise<Finding> {
  return inFolder(async (folder) => {
    const place = await placeIn(MARKDOWN, folder, 'project')
    for (let i = 0; i < TRIES; i++) await sendMarkdown(place, i)
    await syncFolders(place.options)
    const quiet = await placeIn(MARKDOWN, folder, 'quiet')
    const times = { ours: [] as number[], bare: [] as number[] }
    // Before there is a watcher and after it: its passes would stand in the way.
    for (let i = 0; i < TRIES / 2; i++) times.bare.push(await bareWatch(quiet, i))
    const stop = new AbortController()
    const watching = watchFolders(place.options, { signal: stop.signal })
    for (const name of readdirSync(join(place.base, 'active')).filter((each) => each.endsWith('.md'))) {
      times.ours.push(await acknowledged(place, name))
      // One at a time: the pass that took it in has its own file and index to write.
      await pause(100)
    }
    stop.abort()
    await watching
    for (let i = TRIES / 2; i < TRIES; i++) times.bare.push(await bareWatch(quiet, i))
    await closed(place, quiet)
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

async function acknowledged({ base, service }: Place, name: string): Promise<number> {
  const active = join(base, 'active')
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
