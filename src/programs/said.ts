import { Usage } from '../domain/handoffs/handoff.ts'
import { sumUsage } from '../domain/handoffs/retry.ts'
import { orElse } from '../domain/once.ts'

type EventData = Readonly<Record<string, unknown>>

export interface ProgramWords {
  /** The words of the program, without the events that it prints around them. */
  readonly text: string
  /** Cost and tokens, where it reports them. */
  readonly usage?: Usage
}

/** Reads the events that a known program prints, one a line or one document. Anything else is its words. */
export function saidBy(output: string): ProgramWords {
  const words: string[] = []
  let usage: Usage | undefined
  for (const piece of piecesIn(output)) {
    const events = eventsIn(piece)
    if (!events) words.push(piece)
    for (const event of events ?? []) {
      const text = eventText(event)
      if (text !== undefined) words.push(text)
      const used = usageOf(usageIn(event) ?? {})
      // opencode reports each step, the others report the whole at their end.
      if (used) usage = event.type === 'step_finish' ? sumUsage(usage ?? {}, used) : used
    }
  }
  return { text: words.join('\n'), ...(usage && { usage }) }
}

/** Cost and tokens by these names, from an event or from the metrics of a handoff block. */
export function usageOf(data: EventData): Usage | undefined {
  const names = ['cost_usd', 'input_tokens', 'output_tokens'].filter((name) => Number.isFinite(data[name]))
  const { data: usage } = Usage().safeParse(Object.fromEntries(names.map((name) => [name, data[name]])))
  return names.length > 0 ? usage : undefined
}

/** The lines, where a document of JSON over several lines is one piece. */
function piecesIn(output: string): readonly string[] {
  const pieces: string[] = []
  let open: string[] = []
  const close = () => {
    for (const line of open) pieces.push(line)
    open = []
  }
  for (const line of output.split('\n')) {
    if (line === '{') close()
    if (line !== '{' && open.length === 0) pieces.push(line)
    else open.push(line)
    if (line !== '}') continue
    const document = open.join('\n')
    if (eventsIn(document)) open = [document]
    close()
  }
  close()
  return pieces
}

/** Undefined for words. Some programs print all their events as one list. */
function eventsIn(piece: string): readonly EventData[] | undefined {
  if (!/^(?:\{["\n]|\[\{)/.test(piece)) return undefined
  const found = orElse(() => [JSON.parse(piece)].flat(), undefined)
  return found?.every(isEvent) ? found : undefined
}

const isEvent = (event: unknown): boolean =>
  typeof at(event, 'type') === 'string' ||
  typeof at(event, 'total_cost_usd') === 'number' ||
  at(event, 'stats', 'models') !== undefined

const at = (data: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((value, key) => (value as EventData | null | undefined)?.[key], data)

const TEXTS = [
  ['result'],
  ['response'],
  ['item', 'text'],
  ['part', 'text'],
  ['data', 'content'],
  ['content'],
] as const

function eventText(event: EventData): string | undefined {
  // Others wrote this one: the brief comes back as a message of the user.
  if (event.role === 'user' || event.type === 'user' || event.type === 'user.message') return undefined
  const content = at(event, 'message', 'content')
  const parts = Array.isArray(content) ? content.map((part) => at(part, 'text')) : []
  const said = [...TEXTS.map((path) => at(event, ...path)), parts.filter(Boolean).join('\n')]
  return said.find((text): text is string => typeof text === 'string' && text !== '')
}

function usageIn(event: EventData): EventData | undefined {
  if (event.type === 'step_finish') {
    const [input, output, read, write] = [['input'], ['output'], ['cache', 'read'], ['cache', 'write']].map(
      (path) => Number(at(event, 'part', 'tokens', ...path) ?? 0),
    )
    const input_tokens = input! + read! + write!
    return { cost_usd: at(event, 'part', 'cost'), input_tokens, output_tokens: output }
  }
  const isEnd = event.type === 'result' || event.type === 'turn.completed' || 'total_cost_usd' in event
  const tokens = at(event, 'usage') ?? at(event, 'stats') ?? {}
  const models = at(tokens, 'models') as EventData | undefined
  // A stream of Gemini CLI has the sum beside its models.
  if (models && at(tokens, 'input_tokens') === undefined)
    return Object.values(models).map(modelUsage).reduce(sumUsage, {})
  const counted = at(event, 'payload', 'info', 'total_token_usage')
  if (counted) return counted as EventData
  if (!isEnd || typeof tokens !== 'object') return undefined
  const count = (name: string) => Number(at(tokens, name) ?? 0)
  // Claude Code counts the tokens of its cache beside the others; elsewhere they are part of them.
  const cached =
    'cache_creation_input_tokens' in tokens
      ? count('cache_creation_input_tokens') + count('cache_read_input_tokens')
      : 0
  const input_tokens = 'input_tokens' in tokens ? count('input_tokens') + cached : undefined
  return { ...tokens, cost_usd: event.total_cost_usd, input_tokens }
}

/** Gemini CLI counts by model. */
const modelUsage = (model: unknown): Usage => ({
  input_tokens: Number(at(model, 'tokens', 'prompt') ?? 0),
  output_tokens: Number(at(model, 'tokens', 'candidates') ?? 0),
})
