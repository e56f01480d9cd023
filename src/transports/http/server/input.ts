import { BatonError, invalidInput } from '../../../domain/errors.ts'
import type { Operation } from '../../../operations/operation.ts'
import { parseJson } from '../../shared/json-limits.ts'

const MAX_BODY_BYTES = 1024 * 1024
/** Operations whose bodies may be bigger: ten megabytes of a file need fourteen in base64. */
const BODY_BYTES: Readonly<Record<string, number>> = { artifact_put: 14 * 1024 * 1024 }

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"?)?$/i

const UTF8 = new TextDecoder('utf-8', { fatal: true })

type Fields = Readonly<Record<string, unknown>>

/** The raw input of an operation: its path's fields, with the query of a GET or the JSON body of a POST. */
export async function inputOf(op: Operation, request: Request, path: Fields): Promise<Fields> {
  const query = request.url.includes('?') ? queryFields(new URL(request.url).searchParams) : {}
  if (op.http.method === 'GET') {
    if (announcesBody(request.headers)) throw invalidInput('a GET has no body; put the fields into the query')
    return merge(path, query)
  }
  const [stray] = Object.keys(query)
  if (stray !== undefined)
    throw invalidInput(`${stray}: a POST takes its fields from the body, not from the query`)
  return merge(path, await bodyOf(request, BODY_BYTES[op.name] ?? MAX_BODY_BYTES))
}

/** A key that is given once is a text, one that is repeated a list. */
function queryFields(params: URLSearchParams): Fields {
  const names = [...new Set(params.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = params.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** The path decides; a body that says otherwise is a mistake that must not pass unseen. */
function merge(path: Fields, given: Fields): Fields {
  for (const [name, value] of Object.entries(path))
    if (Object.hasOwn(given, name) && given[name] !== value)
      throw invalidInput(`${name}: the path and the fields beside it do not agree`)
  return { ...given, ...path }
}

/** The JSON object of a body, read no further than to its limit. */
export async function bodyOf(request: Request, limit: number): Promise<Fields> {
  const wrongType = () => invalidInput('send the body as plain JSON with Content-Type: application/json')
  const type = request.headers.get('content-type')
  if ((type !== null && !JSON_TYPE.test(type)) || request.headers.has('content-encoding')) throw wrongType()
  const text = await bodyText(request, limit)
  // An empty body means no fields; a broken one must not pass for empty.
  if (text === '') return {}
  if (type === null) throw wrongType()
  const body = parseJson(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidInput('the body is not a JSON object')
  return body as Fields
}

function announcesBody(headers: Headers): boolean {
  return headers.has('transfer-encoding') || (headers.get('content-length') ?? '0') !== '0'
}

/** The body as text. What is announced as too large is not read at all, what turns out so is read no further. */
async function bodyText(request: Request, limit: number): Promise<string> {
  const announced = request.headers.get('content-length')
  if (Number(announced ?? 0) > limit) throw tooLarge(limit)
  const bytes = announced === null ? await upTo(limit, request) : await wholeOf(request)
  if (bytes.length > limit) throw tooLarge(limit)
  if (announced !== null && bytes.length !== Number(announced)) refuseBroken()
  try {
    return UTF8.decode(bytes)
  } catch {
    throw invalidInput('the body is not UTF-8')
  }
}

/** No more than was announced can come, and to read it whole is much cheaper than as a stream. */
async function wholeOf(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer().catch(refuseBroken))
}

async function upTo(limit: number, request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (const reader = request.body?.getReader(); reader; ) {
    const { done, value } = await reader.read().catch(refuseBroken)
    if (done) break
    size += value.length
    // The stream is left as it is: cancelling it would end the connection before the answer is out.
    if (size > limit) throw tooLarge(limit)
    chunks.push(value)
  }
  return Buffer.concat(chunks)
}

function tooLarge(limit: number): BatonError {
  const most = limit < MAX_BODY_BYTES ? `${limit} bytes` : `${limit / MAX_BODY_BYTES} MB`
  return new BatonError('too_large', `the body is larger than ${most}`, { limit_bytes: limit })
}

function refuseBroken(): never {
  throw invalidInput('the body broke off before its end')
}
