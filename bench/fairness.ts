// Does each of eight processes that write to one SQLite file get its share, and how long does a call wait at most?
// The ratio is the share of the one that got least, in parts of a fair share (1 = all equal).
// Not measured: more processes, readers beside them, a disk on which a sync takes long.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Fared, Start } from './support/fairness-writer.ts'
import { type Finding, inFolder, median, perSecond } from './support/measure.ts'

const WRITERS = 8
const FOR_MS = 3_000
const ROUNDS = 3

export const fairness = (): Promise<readonly Finding[]> =>
  inFolder(async (folder) => {
    const rounds: (readonly Fared[])[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await contend(join(folder, `${round}.db`)))
    const shares = rounds.map((round) => Math.min(...round.map(shareIn(round))))
    const most = rounds.map((round) => Math.max(...round.map(shareIn(round))))
    const longest = Math.max(...rounds.flat().map(({ longestMs }) => longestMs))
    const total = median(rounds.map((round) => sum(round) / (FOR_MS / 1_000)))
    const settings = `${WRITERS} processes, ${FOR_MS / 1_000} s, median of ${ROUNDS} rounds`
    return [
      {
        question: 'SQLite, least share of one process in parts of a fair one',
        ratio: median(shares),
        detail: `largest ${median(most).toFixed(2)}, ${perSecond(total)} lifecycles together (${settings})`,
        bound: { sign: '>=', value: 0.5 },
      },
      {
        question: 'SQLite, longest wait of a call in parts of 2 s',
        ratio: longest / 2_000,
        detail: `${Math.round(longest)} ms (${settings})`,
        bound: { sign: '<=', value: 1 },
      },
    ]
  })

async function contend(path: string): Promise<readonly Fared[]> {
  const writers = Array.from({ length: WRITERS }, () =>
    fork(join(import.meta.dirname, 'support/fairness-writer.ts'), { execPath: process.execPath }),
  )
  try {
    await Promise.all(writers.map((writer, number) => told(writer, { path, number } satisfies Start)))
    return (await Promise.all(writers.map((writer) => told(writer, FOR_MS)))) as readonly Fared[]
  } finally {
    for (const writer of writers) writer.kill()
  }
}

async function told(writer: ChildProcess, message: Start | number): Promise<unknown> {
  const answer = once(writer, 'message')
  writer.send(message)
  return (await answer)[0]
}

const sum = (round: readonly Fared[]): number =>
  round.reduce((total, { lifecycles }) => total + lifecycles, 0)

const shareIn =
  (round: readonly Fared[]) =>
  ({ lifecycles }: Fared): number =>
    lifecycles / (sum(round) / WRITERS)
