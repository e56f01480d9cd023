import { BatonError } from '../../../domain/errors.ts'
import type { EventOptions } from '../../../runner/link.ts'
import type { Event } from '../../../service/events.ts'
import { rest } from './rest.ts'

/** With a call at each opening and each end of a connection. */
export type RemoteEventOptions = EventOptions & { readonly onState?: (open: boolean) => void }

/** Asks for the stream, after this event if one was had; throws the error that a refusal means. */
type Open = (query: URLSearchParams, last: string | undefined, signal: AbortSignal) => Promise<Response>

const FIRST_PAUSE_MS = 500
const LONGEST_RECONNECT_MS = 30_000
/** The server says something every 15 seconds: a connection that is silent for longer is dead. */
const SILENCE_MS = 45_000

/** Events of a server, each once and in order, whatever becomes of the connection. Ends with the signal. */
export async function* eventsOf(open: Open, options: RemoteEventOptions = {}): AsyncGenerator<Event> {
  const { signal = new AbortController().signal, onState, ...filter } = options
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value)
  let last: string | undefined
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; ) {
    const silent = new AbortController()
    const both = AbortSignal.any([signal, silent.signal])
    try {
      const response = await open(query, last, both)
      onState?.(true)
      for await (const { id, data } of framesOf(response, silent)) {
        // Kept before it is told: the stream begins with an id alone, which says where to come back to.
        last = id ?? last
        if (data === undefined) continue
        pause = FIRST_PAUSE_MS
        yield JSON.parse(data)
      }
    } catch (error) {
      if (signal.aborted) return
      // An error that will not pass by itself is thrown; everything else is worth another try.
      if (error instanceof BatonError && !error.retry) throw error
    }
    onState?.(false)
    if (signal.aborted) return
    await rest(pause, signal)
    pause = Math.min(pause * 2, LONGEST_RECONNECT_MS)
  }
}

/** The frames of a stream; one that is silent for too long is given up by the controller. */
export async function* framesOf(response: Response, silent = new AbortController()) {
  if (!response.body) return
  let timer = setTimeout(() => silent.abort(), SILENCE_MS)
  let text = ''
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), SILENCE_MS)
      text += chunk
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const frame = text.slice(0, end)
        text = text.slice(end + 2)
        yield { id: /^id: (.*)$/m.exec(frame)?.[1], data: /^data: (.*)$/m.exec(frame)?.[1] }
      }
    }
  } finally {
    clearTimeout(timer)
  }
}
