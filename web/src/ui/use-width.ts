import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** How wide a part of the page is, so that a picture can be drawn for it and its text keeps its size. */
export function useWidth<E extends Element>(first: number): [RefObject<E | null>, number] {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(first)
  // Measured before the first frame, which is never wider than a phone.
  useLayoutEffect(() => {
    const part = ref.current
    if (!part) return
    const measure = () => setWidth(Math.max(240, part.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(part)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
