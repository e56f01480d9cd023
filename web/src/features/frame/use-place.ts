import { useEffect } from 'react'
import { useLocation } from 'wouter'

/** Pages that were left fill up again within this time. */
const MOST_WAIT_MS = 2_000
/** It is found when it stands still for so many frames: entries get their height when they come into sight. */
const STILL_FRAMES = 5

interface Place {
  readonly y: number
  /** An entry in sight and its distance from the top. Heights of others may be estimated. */
  readonly id?: string | undefined
  readonly top: number
}

const places = new Map<string, Place>()
const here = (): string => location.pathname + location.search
let isGoingBack = false
// Here, before the router listens: it shows the page at once.
addEventListener('popstate', () => {
  isGoingBack = true
})

/** Going back leads to the place where one was; another page begins at its top. */
export function usePlace(): void {
  const [path] = useLocation()
  useEffect(() => {
    history.scrollRestoration = 'manual'
    const onScroll = () => {
      if (!isGoingBack) places.set(here(), placeNow())
    }
    addEventListener('scroll', onScroll, { passive: true })
    return () => removeEventListener('scroll', onScroll)
  }, [])
  useEffect(() => {
    const place = isGoingBack ? places.get(here()) : undefined
    const since = performance.now()
    let frame = 0
    let still = 0
    const restore = () => {
      still = goTo(place) ? still + 1 : 0
      const isOver = still >= STILL_FRAMES || performance.now() - since > MOST_WAIT_MS
      if (isOver || place === undefined) isGoingBack = false
      else frame = requestAnimationFrame(restore)
    }
    restore()
    const stop = () => {
      cancelAnimationFrame(frame)
      isGoingBack = false
    }
    addEventListener('wheel', stop, { passive: true })
    addEventListener('touchmove', stop, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('wheel', stop)
      removeEventListener('touchmove', stop)
    }
  }, [path])
}

const COLUMNS = 8
const PROBES = [0.3, 0.5, 0.7, 0.9]

function placeNow(): Place {
  for (const down of PROBES)
    for (let i = 0; i < COLUMNS; i++) {
      const at = document.elementFromPoint(((i + 0.5) * innerWidth) / COLUMNS, down * innerHeight)
      const entry = at?.closest<HTMLElement>('[data-id]')
      if (entry) return { y: scrollY, id: entry.dataset.id, top: entry.getBoundingClientRect().top }
    }
  return { y: scrollY, top: 0 }
}

/** Whether the page is there already. */
function goTo(place: Place | undefined): boolean {
  const entry = place?.id && document.querySelector(`#content [data-id="${CSS.escape(place.id)}"]`)
  const by = entry ? entry.getBoundingClientRect().top - place.top : (place?.y ?? 0) - scrollY
  if (Math.abs(by) < 2) return true
  scrollBy(0, by)
  return false
}
