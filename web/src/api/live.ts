import { useSyncExternalStore } from 'react'
import type { Event } from '../../../src/service/events.ts'
import { listening } from './listening.ts'
import { queries, refreshKinds } from './queries.ts'

export type Connection = 'connecting' | 'live' | 'lost'

/** A burst of events reads everything again once, not once for each. */
const GATHER_MS = 150
/** Where events never pause, a page rests this many times as long as reading and showing it took. */
const REST = 2
const MOST_REST_MS = 2_000
/** What is being read is let come in first, but not for longer than this. */
const MOST_WAIT_MS = 2_000
/** How soon to try anew where the browser does not by itself: after an answer that was no stream. */
const AGAIN_MS = 3_000
/** The server sends a sign every 15 seconds. A stream that is silent for longer is dead, whatever the browser believes. */
const SILENCE_MS = 30_000

const listeners = new Set<() => void>()
let connection: Connection = 'connecting'
let source: EventSource | undefined
let again: ReturnType<typeof setTimeout> | undefined
let silence: ReturnType<typeof setTimeout> | undefined
let isGathering = false
let restUntil = 0
const kinds = new Set<string>()

/**
 * Follows the server's events while somebody looks at the page. A hidden page lets go: browsers allow few connections
 * to one server, and a seventh tab would wait for the first six.
 */
export function follow(): () => void {
  const onVisibility = () => (document.hidden ? disconnect() : connect())
  const onOffline = () => {
    disconnect()
    become('lost')
  }
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('offline', onOffline)
  addEventListener('online', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    removeEventListener('offline', onOffline)
    removeEventListener('online', onVisibility)
    disconnect()
  }
}

function connect(): void {
  if (source) return
  const opened = new EventSource('/v1/events')
  source = opened
  heard()
  opened.onopen = () => {
    heard()
    become('live')
  }
  opened.addEventListener('beat', heard)
  opened.onerror = () => {
    become('lost')
    if (opened.readyState !== EventSource.CLOSED) return
    disconnect()
    again = setTimeout(connect, AGAIN_MS)
    // Maybe it is the session that has ended.
    void refreshKinds('session')
  }
  opened.onmessage = (event) => {
    heard()
    note(JSON.parse(event.data))
  }
}

function heard(): void {
  clearTimeout(silence)
  silence = setTimeout(() => {
    disconnect()
    become('lost')
    connect()
  }, SILENCE_MS)
}

function disconnect(): void {
  clearTimeout(again)
  clearTimeout(silence)
  source?.close()
  source = undefined
  if (connection === 'live') connection = 'lost'
}

function note({ kind }: Pick<Event, 'kind'>): void {
  kinds.add(kind)
  if (!isGathering) gather()
}

function gather(): void {
  isGathering = true
  setTimeout(readAgain, Math.max(GATHER_MS, restUntil - performance.now()))
}

async function readAgain(): Promise<void> {
  // Reading anew ends what is under way: under a steady stream nothing would ever arrive.
  const since = performance.now()
  while (queries.isFetching() > 0 && performance.now() - since < MOST_WAIT_MS) await pause(GATHER_MS)
  const begun = performance.now()
  const happened = [...kinds]
  kinds.clear()
  await Promise.race([refreshKinds(...happened), pause(MOST_WAIT_MS)])
  await new Promise(requestAnimationFrame)
  await pause(0)
  const now = performance.now()
  restUntil = now + Math.min(MOST_REST_MS, (now - begun) * REST)
  isGathering = false
  if (kinds.size > 0) gather()
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

function become(next: Connection): void {
  // What happened while nobody listened is not in what was read, the moments before the first time included.
  if (next === 'live' && connection !== 'live') {
    const isFirst = connection === 'connecting'
    if (!(listening() && isFirst)) note({ kind: 'anything' })
  }
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
