import { type FocusEvent, useEffect, useMemo, useReducer } from 'react'

interface Item {
  readonly uid: string
}

/** Tells what somebody is at, so that it is not taken away. */
export interface Keeping {
  /** Whether something is begun there that would be lost. */
  begun(uid: string, isBegun: boolean): void
  /** It was brought to an end here, or is not wanted any more. */
  done(uid: string): void
  /** Props of the element around it: whether the focus is inside. */
  around(uid: string): {
    readonly onFocus: () => void
    readonly onBlur: (event: FocusEvent) => void
  }
}

interface Kept<T> {
  readonly waiting: readonly T[]
  readonly shown: readonly T[]
  /** `focus UID` and `begun UID`. */
  readonly pins: ReadonlySet<string>
  readonly done: ReadonlySet<string>
}

type Change<T> =
  | { readonly waiting: readonly T[] }
  | { readonly pin: string; readonly isOn: boolean }
  | { readonly done: string }

/**
 * Items that wait, and items that somebody is at although they wait no more: with the focus inside, or with something
 * begun. Such an item stays at its place until it is done. `waiting` must be the same array while nothing changes.
 */
export function useKept<T extends Item>(
  waiting: readonly T[],
): { readonly shown: readonly T[]; readonly keeping: Keeping } {
  const [state, change] = useReducer(changed<T>, undefined, () => ({
    waiting,
    shown: waiting,
    pins: new Set<string>(),
    done: new Set<string>(),
  }))
  if (state.waiting !== waiting) change({ waiting })
  const keeping = useMemo<Keeping>(
    () => ({
      begun: (uid, isOn) => change({ pin: `begun ${uid}`, isOn }),
      done: (uid) => change({ done: uid }),
      around: (uid) => ({
        onFocus: () => change({ pin: `focus ${uid}`, isOn: true }),
        onBlur: ({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) change({ pin: `focus ${uid}`, isOn: false })
        },
      }),
    }),
    [],
  )
  return { shown: state.shown, keeping }
}

function changed<T extends Item>(state: Kept<T>, change: Change<T>): Kept<T> {
  if ('pin' in change) {
    if (state.pins.has(change.pin) === change.isOn) return state
    const pins = new Set(state.pins)
    if (change.isOn) pins.add(change.pin)
    else pins.delete(change.pin)
    return { ...state, pins }
  }
  const waiting = 'waiting' in change ? change.waiting : state.waiting
  const waits = new Set(waiting.map(({ uid }) => uid))
  const all = 'done' in change ? [...state.done, change.done] : state.done
  const isHeld = ({ uid }: T) =>
    !new Set(all).has(uid) &&
    (state.pins.has(`focus ${uid}`) ||
      state.pins.has(`begun ${uid}`) ||
      !state.waiting.some((each) => each.uid === uid))
  const shown = [...waiting]
  for (const [i, item] of state.shown.entries())
    if (!waits.has(item.uid) && isHeld(item)) shown.splice(i, 0, item)
  // One that waits again later is kept again.
  return { ...state, waiting, shown, done: new Set([...all].filter((uid) => waits.has(uid))) }
}

/** Something begun here is not taken away. */
export function useBegun(keeping: Keeping, uid: string, isBegun: boolean): void {
  useEffect(() => {
    keeping.begun(uid, isBegun)
    return () => keeping.begun(uid, false)
  }, [keeping, uid, isBegun])
}
