import { useSyncExternalStore } from 'react'
import type { Happening } from '../../../src/service/events.ts'
import { noteHappening } from './queries.ts'

export type Connection = 'connecting' | 'live' | 'lost'

/** A burst of events reads everything again once, not once for each. */
const GATHER_MS = 150
const KEPT = 200

const listeners = new Set<() => void>()
let connection: Connection = 'connecting'
let recent: readonly Happening[] = []
let source: EventSource | undefined
let isGathering = false
const kinds = new Set<string>()

/** Follows the server's events while the page is open. The browser comes back by itself and misses nothing. */
export function follow(): () => void {
  source = new EventSource('/v1/events')
  source.onopen = () => become('live')
  source.onerror = () => become('lost')
  // Events are named by what happened, and a browser hands over only those that were asked for by name.
  source.onmessage = (event) => note(JSON.parse(event.data))
  return () => {
    source?.close()
    source = undefined
  }
}

function note(happening: Happening): void {
  recent = [happening, ...recent].slice(0, KEPT)
  kinds.add(happening.kind)
  if (isGathering) {
    tell()
    return
  }
  isGathering = true
  setTimeout(() => {
    isGathering = false
    for (const kind of kinds) noteHappening(kind)
    kinds.clear()
  }, GATHER_MS)
  tell()
}

function become(next: Connection): void {
  // What happened while nobody listened is not in what was read.
  if (next === 'live' && connection === 'lost')
    for (const kind of ['handoff', 'task', 'agent', 'run']) noteHappening(kind)
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
