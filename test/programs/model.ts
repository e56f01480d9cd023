import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Body, type Offered, type ToolCall, WIRES, type Wire } from './wires.ts'

export interface Call {
  /** The tool by the name that Baton gives it; a program may put more before it. */
  readonly tool: string
  readonly args?: unknown
}

/** One answer of the scripted model. A string ends the turn with that text. */
export type Step =
  | string
  | Call
  | { readonly calls: readonly Call[] }
  /** The answer comes after something else has happened. */
  | { readonly meanwhile: () => Promise<unknown>; readonly next: Step }

/** A request that a program sent to its model. */
export interface ModelRequest {
  readonly body: Body
  readonly text: string
  readonly wire: Wire
  readonly tools: readonly Offered[]
  /** One of the conversation, not a title or a summary. */
  readonly isMain: boolean
}

/** The answer to every request after the last step. */
const AT_THE_END = 'Nothing more to do.'

/** The same at every start, so that a home can name it; nothing else listens where the network was taken away. */
const PORT = 8790
export const MODEL_URL = `http://127.0.0.1:${PORT}`

/** The steps of one session: of the requests that hold its mark. */
interface Script {
  readonly mark: string
  /** The requests of its parent hold its mark too, in the call that starts it. */
  readonly isSubagent: boolean
  readonly steps: Step[] | Answering
  readonly requests: ModelRequest[]
}

/** An answer by what the conversation holds, for programs that are started again in the middle of it. */
type Answering = (request: ModelRequest) => Step

/** A model on 127.0.0.1 that plays its steps in every wire format, and keeps what it was asked. */
export class Model {
  readonly #scripts: Script[] = []
  #calls = 0
  #held: Promise<void> | undefined
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  static async start(): Promise<Model> {
    const model = new Model()
    model.#server.listen(PORT, '127.0.0.1')
    await once(model.#server, 'listening')
    return model
  }

  /** Plays these steps for requests with this text in them; the newest script that fits is played. */
  play(mark: string, steps: readonly Step[] | Answering, isSubagent = false): readonly ModelRequest[] {
    const script = { mark, isSubagent, steps: typeof steps === 'function' ? steps : [...steps], requests: [] }
    this.#scripts.unshift(script)
    return script.requests
  }

  /** Until the answered function is called, no request is answered. A program that ends meanwhile has taken no step. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    return resolve
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]!
    const text = await textOf(request)
    const wire = request.method === 'POST' ? WIRES.find((each) => each.path.test(path)) : undefined
    if (wire === undefined) {
      elsewhere(response, path)
      return
    }
    const body = parsed(text)
    const tools = wire.tools(body)
    const isMain = tools.length > 0 && !wire.isSide?.(body)
    const asked = { body, text, wire, tools, isMain }
    const fitting = this.#scripts.filter(({ mark }) => text.includes(mark))
    const script = fitting.find(({ isSubagent }) => !isSubagent) ?? fitting[0]
    if (isMain) script?.requests.push(asked)
    await this.#held
    if (response.destroyed) return
    let step = isMain && script ? stepOf(script, asked) : '{"title":"Work"}'
    while (typeof step === 'object' && 'meanwhile' in step) {
      await step.meanwhile()
      step = step.next
    }
    if (response.destroyed) return
    const calls = typeof step === 'string' ? [] : 'calls' in step ? step.calls : [step]
    const answer = wire.answer({
      ...{ body, path },
      text: typeof step === 'string' ? step : '',
      calls: calls.map((call) => toCall(call, asked, `call_${++this.#calls}`)),
    })
    if ('json' in answer) json(response, answer.json)
    else
      response
        .writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
        .end(answer.stream)
  }
}

const stepOf = ({ steps }: Script, asked: ModelRequest): Step =>
  typeof steps === 'function' ? steps(asked) : (steps.shift() ?? AT_THE_END)

const isNamed = ({ name }: Offered, wanted: string): boolean =>
  name === wanted || ['_', '.', '-'].some((sign) => name.endsWith(`${sign}${wanted}`))

/** The call under the name that this program gives the tool. */
function toCall({ tool, args = {} }: Call, { tools }: ModelRequest, id: string): ToolCall {
  const { name = tool, namespace } = tools.find((offered) => isNamed(offered, tool)) ?? {}
  return { id, name, namespace, args }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const encoding = request.headers['content-encoding']
  if (encoding === 'gzip') return gunzipSync(bytes).toString()
  if (encoding === 'zstd') return zstdDecompressSync(bytes).toString()
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  return bytes.toString()
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Programs ask for lists of models and counts of tokens too. */
function elsewhere(response: ServerResponse, path: string): void {
  if (path.endsWith('count_tokens')) json(response, { input_tokens: 1_000 })
  else if (path.endsWith(':countTokens')) json(response, { totalTokens: 1_000 })
  else if (path.endsWith('/models'))
    json(response, { object: 'list', data: [{ id: 'scripted', object: 'model' }] })
  else json(response, { error: { type: 'not_found_error', message: `${path} is not here` } }, 404)
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
