import { useSyncExternalStore } from 'react'
import type { Happening } from '../../../src/service/events.ts'
import { noteHappening, queries } from './queries.ts'

export type Connection = 'connecting' | 'live' | 'lost'

/** A burst of events reads everything again once, not once for each. */
const GATHER_MS = 150
/** Where events never pause: what is being read is let come in first, but not for longer than this. */
const MOST_GATHER_MS = 2_000
const KEPT = 200
/** How soon to try anew where the browser does not by itself: after an answer that was no stream. */
const AGAIN_MS = 3_000

const listeners = new Set<() => void>()
let connection: Connection = 'connecting'
let recent: readonly Happening[] = []
let source: EventSource | undefined
let again: ReturnType<typeof setTimeout> | undefined
let isGathering = false
const kinds = new Set<string>()

/**
 * Follows the server's events while somebody looks at the page. A hidden page lets go: browsers allow few connections
 * to one server, and a seventh tab would wait for the first six.
 */
export function follow(): () => void {
  const onVisibility = () => (document.hidden ? disconnect() : connect())
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    disconnect()
  }
}

function connect(): void {
  if (source) return
  const opened = new EventSource('/v1/events')
  source = opened
  opened.onopen = () => become('live')
  opened.onerror = () => {
    become('lost')
    if (opened.readyState !== EventSource.CLOSED) return
    disconnect()
    again = setTimeout(connect, AGAIN_MS)
    // Maybe it is the session that has ended.
    noteHappening('session')
  }
  opened.onmessage = (event) => note(JSON.parse(event.data))
}

function disconnect(): void {
  clearTimeout(again)
  source?.close()
  source = undefined
  if (connection === 'live') connection = 'lost'
}

function note(happening: Happening): void {
  recent = [happening, ...recent].slice(0, KEPT)
  kinds.add(happening.kind)
  tell()
  if (isGathering) return
  isGathering = true
  setTimeout(readAgain, GATHER_MS, performance.now())
}

function readAgain(since: number): void {
  // Reading anew ends what is under way: under a steady stream nothing would ever arrive.
  if (queries.isFetching() > 0 && performance.now() - since < MOST_GATHER_MS) {
    setTimeout(readAgain, GATHER_MS, since)
    return
  }
  isGathering = false
  for (const kind of kinds) noteHappening(kind)
  kinds.clear()
}

function become(next: Connection): void {
  // What happened while nobody listened is not in what was read.
  if (next === 'live' && connection === 'lost') noteHappening('anything')
  connection = next
  tell()
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)
export const useRecent = (): readonly Happening[] => useSyncExternalStore(subscribe, () => recent)
