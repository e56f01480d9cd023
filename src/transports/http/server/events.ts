import { BatonError } from '../../../domain/errors.ts'
import { present } from '../../../domain/present.ts'
import { EVENT_KINDS, type Event, type Events, isWanted } from '../../../service/events.ts'

interface Bounds {
  readonly stopping?: AbortSignal | undefined
  /** A line that says nothing, so that proxies and clients see that the connection lives. */
  readonly heartbeatMs?: number
  /** Whether the caller may still listen: a stream ends with the token that it was opened with. */
  readonly isGood?: () => Promise<boolean>
  /** Called when the stream has ended, whoever ended it. */
  readonly onEnd?: () => void
}

const FIELDS = ['agent', 'handoff', 'task', 'kind', 'act', 'since'] as const
/** Which events a listener wants: all of these that are given must agree. */
type Filter = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>

const CURSOR = /^\d{1,15}$/
const HEARTBEAT_MS = 15_000
/** Browsers hide a comment from their pages; an event with a name reaches a page that asks for it, and nobody else. */
const BEAT = ':\nevent: beat\ndata:{}\n\n'
/** After a broken connection a client comes back in this time. */
const COME_BACK_MS = 1_000

/**
 * The events as an SSE stream. `Last-Event-ID`, or `since` in the query, is the cursor of the last one that the
 * caller has had. A client that reconnects with it, here or elsewhere, misses nothing and gets nothing twice.
 */
export async function eventStream(events: Events, request: Request, bounds: Bounds = {}): Promise<Response> {
  const { since, ...filter } = wanted(request)
  const start = await events.startOf(since)
  const ended = new AbortController()
  const signals = [ended.signal, request.signal, bounds.stopping].filter((signal) => signal !== undefined)
  const signal = AbortSignal.any(signals)
  if (bounds.onEnd) signal.addEventListener('abort', bounds.onEnd)
  if (signal.aborted) bounds.onEnd?.()
  const followed = events.pages({ since: start, signal })
  const stream = toStream({ start, followed, filter }, ended, bounds, signal)
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Some proxies gather answers until they are complete; this one never is.
      'x-accel-buffering': 'no',
    },
  })
}

interface Told {
  readonly start: string
  readonly followed: AsyncGenerator<readonly Event[]>
  readonly filter: Filter
}

function toStream(
  { start: place, followed, filter }: Told,
  ended: AbortController,
  { heartbeatMs = HEARTBEAT_MS, isGood = async () => true }: Bounds,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let beat: NodeJS.Timeout | undefined
  const done = () => {
    clearInterval(beat)
    ended.abort()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // An event without data is told to nobody, and its id is kept: a connection that breaks before the first
        // event is taken up where it began.
        controller.enqueue(encoder.encode(`retry: ${COME_BACK_MS}\nid: ${place}\n\n`))
        beat = setInterval(() => {
          void isGood().then((good) => good || done())
          // A client that does not read gets no heartbeats either: they must not pile up.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(BEAT))
        }, heartbeatMs)
        const end = () => {
          clearInterval(beat)
          void followed.return(undefined)
          try {
            controller.close()
          } catch {
            // The reader went first.
          }
        }
        // A caller that left before the stream began fires no event any more, and its heartbeat would beat for ever.
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      },
      // Asked only when the reader has room: a slow one holds up nobody and nothing is kept for it.
      async pull(controller) {
        try {
          for (;;) {
            const { value, done: isEnd } = await followed.next()
            if (isEnd || signal.aborted) return
            const wanted = value.filter((event) => isWanted(event, filter))
            if (wanted.length === 0) continue
            if (!(await isGood())) return done()
            if (signal.aborted) return
            controller.enqueue(encoder.encode(wanted.map(toText).join('')))
            return
          }
        } catch (error) {
          done()
          controller.error(error)
        }
      },
      cancel: done,
    },
    { highWaterMark: 2 },
  )
}

const texts = new WeakMap<Event, string>()

/** Listeners share events, and their texts. */
function toText(event: Event): string {
  const text = texts.get(event) ?? `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`
  texts.set(event, text)
  return text
}

function wanted(request: Request): Filter {
  const query = new URL(request.url).searchParams
  for (const name of query.keys())
    if (!FIELDS.some((known) => known === name))
      throw new BatonError('invalid_input', `${name}: events are filtered by ${FIELDS.join(', ')}`, { name })
  const given = Object.fromEntries(
    FIELDS.flatMap((name) => {
      const value = query.get(name)
      return value === null ? [] : [[name, value.slice(0, 200)]]
    }),
  )
  if (given.kind !== undefined && !EVENT_KINDS.includes(given.kind))
    throw new BatonError('invalid_input', `kind: ${given.kind} is not one of ${EVENT_KINDS.join(', ')}`, {
      kind: given.kind,
    })
  // A browser that comes back says so in the header, and its address still names where it began.
  const since = request.headers.get('last-event-id') ?? given.since
  if (since !== undefined && !CURSOR.test(since))
    throw new BatonError('invalid_input', 'this cursor is not one that Baton gave out', {
      cursor: since.slice(0, 40),
    })
  return { ...given, ...present({ since }) }
}
