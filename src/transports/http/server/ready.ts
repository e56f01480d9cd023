import type { Service } from '../../../service/service.ts'

const ANSWER_MS = 2_000

/** Whether the store answers in time and would take a write. */
export async function isReady({ deps: { store } }: Service): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ANSWER_MS)
  })
  const answer = store.ping().then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
