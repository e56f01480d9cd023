/** A tool as a program offers it to its model. */
export interface Offered {
  readonly name: string
  readonly namespace?: string | undefined
  readonly raw: unknown
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string | undefined
  readonly args: unknown
}

/** The body of a request: JSON that a program sent, of which each wire reads its own part. */
export type Body = Readonly<Record<string, unknown>>

export interface Answering {
  readonly body: Body
  readonly path: string
  readonly text: string
  readonly calls: readonly ToolCall[]
}

/** One wire format between a program and its model. */
export interface Wire {
  readonly path: RegExp
  tools(body: Body): readonly Offered[]
  /** The texts of the tool results in a request, oldest first. */
  results(body: Body): readonly string[]
  /** A question of the program's own, not one of the conversation. */
  isSide?(body: Body): boolean
  /** Events of a stream, or one document. */
  answer(answering: Answering): { readonly stream: string } | { readonly json: unknown }
}

type Item = Readonly<Record<string, unknown>>
const items = (value: unknown): readonly Item[] => (Array.isArray(value) ? (value as Item[]) : [])
const item = (value: unknown): Item => (value ?? {}) as Item
const name = ({ name, type }: Item): string => String(name ?? type)
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? items(value)
          .map(({ text }) => text ?? '')
          .join('\n')
      : JSON.stringify(value)

const event = (data: Item): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

const ANTHROPIC: Wire = {
  path: /\/messages$/,
  tools: ({ tools }) => items(tools).map((raw) => ({ name: name(raw), raw })),
  results: ({ messages }) =>
    items(messages)
      .flatMap(({ content }) => items(content))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => textOf(content)),
  answer({ body, text, calls }) {
    const content: Item[] = [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id: `toolu_${id}`, name, input: args })),
    ]
    const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    const message = {
      ...{ id: `msg_${Date.now()}`, type: 'message', role: 'assistant', model: body.model },
      ...{ content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    }
    const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
    if (!body.stream) return { json: { ...message, content, stop_reason } }
    const blocks = content.flatMap((block, index) => {
      const isText = block.type === 'text'
      const begun = isText ? { type: 'text', text: '' } : { ...block, input: {} }
      const delta = isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
      return [
        event({ type: 'content_block_start', index, content_block: begun }),
        event({ type: 'content_block_delta', index, delta }),
        event({ type: 'content_block_stop', index }),
      ]
    })
    const end = {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 5 },
    }
    return {
      stream: [
        event({ type: 'message_start', message }),
        ...blocks,
        event(end),
        event({ type: 'message_stop' }),
      ].join(''),
    }
  },
}

const RESPONSES: Wire = {
  path: /\/responses$/,
  // Codex puts the tools of one server into a namespace.
  tools: ({ tools }) =>
    items(tools).flatMap((raw) =>
      raw.type === 'namespace'
        ? items(raw.tools).map((tool) => ({ name: name(tool), namespace: String(raw.name), raw: tool }))
        : [{ name: name(raw), raw }],
    ),
  results: ({ input }) =>
    items(input)
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => textOf(output)),
  answer({ text, calls }) {
    const id = `resp_${Date.now()}`
    const said = { type: 'output_text', text, annotations: [] }
    const output: Item[] = [
      ...(text === ''
        ? []
        : [{ type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [said] }]),
      ...calls.map(({ id, name, namespace, args }) => ({
        ...{ type: 'function_call', id: `fc_${id}`, call_id: id, name, status: 'completed' },
        ...(namespace !== undefined && { namespace }),
        arguments: JSON.stringify(args),
      })),
    ]
    const usage = {
      ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    }
    const parts = output.flatMap((each, output_index) =>
      ['added', 'done'].map((step) =>
        event({ type: `response.output_item.${step}`, output_index, item: each }),
      ),
    )
    const created = event({ type: 'response.created', response: { id, status: 'in_progress', output: [] } })
    const response = { id, status: 'completed', output, usage }
    return { stream: [created, ...parts, event({ type: 'response.completed', response })].join('') }
  },
}

const CHAT: Wire = {
  path: /\/chat\/completions$/,
  tools: ({ tools }) => items(tools).map((raw) => ({ name: name(item(raw.function)), raw })),
  results: ({ messages }) =>
    items(messages)
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => textOf(content)),
  // Qwen Code lets its model write memories down after each turn.
  isSide: ({ messages }) => /^Managed memory has/.test(textOf(items(messages).at(-1)?.content)),
  answer({ body, text, calls }) {
    const head = { id: `chatcmpl-${Date.now()}`, created: Math.floor(Date.now() / 1_000), model: body.model }
    const tool_calls = calls.map(({ id, name, args }, index) => ({
      ...{ index, id, type: 'function' },
      function: { name, arguments: JSON.stringify(args) },
    }))
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const message = { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls }) }
    if (!body.stream)
      return {
        json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
      }
    const chunk = { ...head, object: 'chat.completion.chunk' }
    const first = data({ ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] })
    const last = data({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage })
    return { stream: `${first}${last}data: [DONE]\n\n` }
  },
}

/** Gemini CLI asks its model for the next speaker and for a route in this form. */
const asksForJson = ({ generationConfig }: Body): boolean =>
  item(generationConfig).responseMimeType === 'application/json'

const GEMINI: Wire = {
  path: /:(?:stream)?generateContent$/i,
  tools: ({ tools }) =>
    items(tools)
      .flatMap(({ functionDeclarations }) => items(functionDeclarations))
      .map((raw) => ({ name: name(raw), raw })),
  results: ({ contents }) =>
    items(contents)
      .flatMap(({ parts }) => items(parts))
      .flatMap(({ functionResponse }) => (functionResponse ? [item(functionResponse).response] : []))
      .map((response) => textOf(item(response).output ?? response)),
  isSide: asksForJson,
  answer({ body, path, text, calls }) {
    const side = { reasoning: 'scripted', next_speaker: 'user', model_choice: 'flash', complexity_score: 1 }
    const said = asksForJson(body) ? JSON.stringify(side) : text
    const parts = [
      ...(said === '' ? [] : [{ text: said }]),
      ...calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } })),
    ]
    const reply = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'scripted',
    }
    return /stream/i.test(path) ? { stream: data(reply) } : { json: reply }
  },
}

export const WIRES: readonly Wire[] = [ANTHROPIC, RESPONSES, CHAT, GEMINI]
