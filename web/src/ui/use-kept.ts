import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react'

interface Item {
  readonly uid: string
}

/** Tells what somebody is at, so that it is not taken away. */
export interface Keeping {
  /** Whether something is begun there that would be lost. */
  begun(uid: string, isBegun: boolean): void
  /** It was brought to an end here, or is not wanted any more. */
  done(uid: string): void
}

/**
 * What waits, and what somebody is at although it waits no more: with the focus inside of the element that has its uid,
 * or with something begun. That stays at its place until it is done.
 */
export function useKept<T extends Item>(
  waiting: readonly T[],
): { readonly shown: readonly T[]; readonly keeping: Keeping } {
  const [, showAgain] = useReducer((times: number) => times + 1, 0)
  const before = useRef<readonly T[]>([])
  const [begun, kept, done] = useRef([
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
  ] as const).current
  const keeping = useMemo<Keeping>(
    () => ({
      begun: (uid, isBegun) => void (isBegun ? begun.add(uid) : begun.delete(uid)),
      done(uid) {
        done.add(uid)
        showAgain()
      },
    }),
    [begun, done],
  )
  const shown = withKept(
    before.current,
    waiting,
    ({ uid }) => !done.has(uid) && (kept.has(uid) || begun.has(uid) || hasFocus(uid)),
  )
  useLayoutEffect(() => {
    const waits = new Set(waiting.map(({ uid }) => uid))
    before.current = shown
    kept.clear()
    for (const { uid } of shown) if (!waits.has(uid)) kept.add(uid)
    // It may come back one day.
    for (const uid of done) if (!waits.has(uid)) done.delete(uid)
  })
  return { shown, keeping }
}

/** Something begun here is not taken away. */
export function useBegun(keeping: Keeping, uid: string, isBegun: boolean): void {
  useEffect(() => {
    keeping.begun(uid, isBegun)
    return () => keeping.begun(uid, false)
  }, [keeping, uid, isBegun])
}

/** The list as it is now, with what is held of the one before at its place. */
function withKept<T extends Item>(
  before: readonly T[],
  now: readonly T[],
  isHeld: (item: T) => boolean,
): readonly T[] {
  const shown = [...now]
  const waits = new Set(now.map(({ uid }) => uid))
  for (const [i, item] of before.entries()) if (!waits.has(item.uid) && isHeld(item)) shown.splice(i, 0, item)
  return shown
}

const hasFocus = (uid: string): boolean =>
  document.getElementById(uid)?.contains(document.activeElement) ?? false
