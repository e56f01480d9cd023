import {
  appendFileSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
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
export function addNews(dir: string, { agent, ...news }: News): void {
  try {
    const file = newsFile(dir, agent)
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

/** Takes the news that `isFor` wants and drops what `isOver`; the rest stays for other sessions. */
export function takeNews(
  dir: string,
  agent: string,
  isFor: (news: News) => boolean,
  isOver: (news: News) => boolean,
): readonly News[] {
  const file = newsFile(dir, agent)
  const taken = `${file}@${process.pid}`
  try {
    // Only one of several hooks at once gets the file.
    renameSync(file, taken)
    const lines = readFileSync(taken, 'utf8').split('\n')
    const all = lines.flatMap((line): readonly News[] =>
      line === '' ? [] : [{ ...JSON.parse(line), agent }],
    )
    rmSync(taken)
    for (const news of all) if (!isFor(news) && !isOver(news)) addNews(dir, news)
    return all.filter(isFor)
  } catch {
    rmSync(taken, { force: true })
    return []
  }
}
