import {
  appendFileSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { orElse } from '../domain/once.ts'
import type { News } from '../service/deps.ts'

/** Nobody reads the news of an agent that never comes back. */
const MOST_BYTES = 64_000

/**
 * The file of an agent's news lies in the folder of the workspace. Hooks only look whether it is there, which needs no
 * program. The folder `news` is made by the first session with such a hook; without it nobody reads and nothing is written.
 */
const newsFile = (dir: string, agent: string): string => join(dir, 'news', agent)

/** A link of that name would lead out of the workspace. */
const isFolder = (dir: string): boolean =>
  lstatSync(join(dir, 'news'), { throwIfNoEntry: false })?.isDirectory() === true

export function openNews(dir: string): void {
  if (!isFolder(dir)) mkdirSync(join(dir, 'news'), { recursive: true, mode: 0o700 })
}

/** Never throws: the change is made, and the inbox tells of it too. */
export function addNews(dir: string, { agent, ...news }: News, file = newsFile(dir, agent)): void {
  try {
    const known = isFolder(dir) ? lstatSync(file, { throwIfNoEntry: false }) : undefined
    if (!isFolder(dir) || (known && (!known.isFile() || known.size > MOST_BYTES))) return
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
    const opened = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    appendFileSync(opened, `${JSON.stringify(news)}\n`)
    closeSync(opened)
  } catch {
    // A full disk, or a workspace that was removed.
  }
}

/** Takes the news that `isFor` wants and drops what `isOver`. The process `asker` passes over the rest from now on. */
export function takeNews(
  dir: string,
  agent: string,
  isFor: (news: News) => boolean,
  isOver: (news: News) => boolean,
  asker: number,
): readonly News[] {
  const file = newsFile(dir, agent)
  const [old, fresh] = [newsTaken(`${file}@rest`, agent), newsTaken(file, agent)]
  const isLeft = (news: News) => !isFor(news) && !isOver(news)
  // Nobody else has looked at the fresh ones.
  if (fresh.some(isLeft))
    for (const name of readdirSync(join(dir, 'news')))
      if (name.startsWith(`${agent}@seen-`)) rmSync(join(dir, 'news', name), { force: true })
  const left = [...old, ...fresh].filter(isLeft)
  for (const news of left) addNews(dir, news, `${file}@rest`)
  if (left.length > 0) orElse(() => closeSync(openSync(`${file}@seen-${asker}`, 'wx', 0o600)), undefined)
  return [...old, ...fresh].filter(isFor)
}

function newsTaken(file: string, agent: string): readonly News[] {
  const own = `${file}@${process.pid}`
  // Only one of several hooks at once gets the file.
  orElse(() => renameSync(file, own), undefined)
  const lines = orElse(() => readFileSync(own, 'utf8'), '').match(/.+/g) ?? []
  rmSync(own, { force: true })
  return lines.flatMap((line) => orElse((): News[] => [{ ...JSON.parse(line), agent }], []))
}
