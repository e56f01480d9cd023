import { type RefObject, useEffect, useRef, useState } from 'react'

/** How wide a part of the page is, so that a picture can be drawn for it and its text keeps its size. */
export function useWidth<E extends Element>(first: number): [RefObject<E | null>, number] {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(first)
  useEffect(() => {
    if (!ref.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(240, Math.floor(entry.contentRect.width)))
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
