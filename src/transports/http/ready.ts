import { existsSync } from 'node:fs'
import type { Service } from '../../service/service.ts'

const ANSWER_MS = 2_000

/** Whether the store answers. A deleted SQLite file still answers those who have it open, so it is looked for. */
export async function isReady({ deps: { store } }: Service): Promise<boolean> {
  const { engine, location } = store.info
  if (engine === 'sqlite' && location !== ':memory:' && !existsSync(location)) return false
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MS)
  })
  const answer = store.token('').then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
