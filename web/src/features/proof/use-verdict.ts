import { useEffect, useState } from 'react'
import { isSigned, recall, remember } from './platform.ts'
import { type Given, type Step, type ToldHead, verify, verifyHead } from './verify.ts'

/** What this browser finds when it checks a proof for itself; undefined while it is at it. */
export function useVerdict(given: Given | undefined, shown: readonly string[]): readonly Step[] | undefined {
  const [steps, setSteps] = useState<readonly Step[]>()
  useEffect(
    () =>
      given &&
      checking(given, async (known) => verify({ given, shown, remembered: known }, isSigned), setSteps),
    [given, shown],
  )
  return steps
}

/** The same for the signed head of the log alone. */
export function useHeadVerdict(told: ToldHead | undefined): readonly Step[] | undefined {
  const [steps, setSteps] = useState<readonly Step[]>()
  useEffect(
    () => told && checking(told, async (known) => (await verifyHead(told, known, isSigned)).steps, setSteps),
    [told],
  )
  return steps
}

/** Checks, tells, and keeps what was found good for the next time. Answers how to stop caring. */
function checking(
  { origin, vkey, size, root }: ToldHead,
  check: (known: ReturnType<typeof recall>) => Promise<readonly Step[]>,
  tell: (steps: readonly Step[]) => void,
): () => void {
  let isWanted = true
  void check(recall(origin)).then((found) => {
    if (!isWanted) return
    tell(found)
    if (found.every(({ ok }) => ok)) remember(origin, { vkey, size, root })
  })
  return () => {
    isWanted = false
  }
}
