// What the official conformance suite expects a server to offer, under its names. Nothing of the product but its
// wiring is behind it: that is what the suite is run against.
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  InMemoryServerEventBus,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'

/** Open streams hear of changes over it. */
export const bus = new InMemoryServerEventBus()

const codec = createRequestStateCodec({ key: 'only-for-the-conformance-suite-00' })
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
const NAME = z.object({ name: z.string() })
const OK = z.object({ ok: z.boolean() })

type Reply = CallToolResult | ReturnType<typeof inputRequired>
type Answer<T> = (args: T, context: ServerContext) => Promise<Reply> | Reply

const text = (said: string): CallToolResult => ({ content: [{ type: 'text', text: said }] })
const shortly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

/** A server with every fixture. */
export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: codec.verify },
    },
  )
  addContent(server)
  addConversations(server)
  addInputs(server)
  addInputState(server)
  addSchema(server)
  addPrompts(server)
  addResources(server)
  return server
}

function tool<T>(server: McpServer, name: string, schema: z.ZodType<T>, answer: Answer<T>): void {
  // Every schema here is that of an object.
  const inputSchema = schema as unknown as z.ZodObject
  server.registerTool(name, { description: name, inputSchema }, (args, context) => answer(args as T, context))
}

const plain = (server: McpServer, name: string, answer: Answer<object>): void =>
  tool(server, name, z.object({}), answer)

function addContent(server: McpServer): void {
  const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
  const embedded = (uri: string, mimeType: string, said: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text: said },
  })
  plain(server, 'test_simple_text', () => text('This is a simple text response for testing.'))
  plain(server, 'test_image_content', () => ({ content: [image] }))
  plain(server, 'test_audio_content', () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }))
  plain(server, 'test_embedded_resource', () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }))
  plain(server, 'test_multiple_content_types', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }))
  plain(server, 'test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  plain(server, 'test_trigger_tool_change', () => {
    bus.publish({ kind: 'tools_list_changed' })
    return text('ok')
  })
  plain(server, 'test_trigger_prompt_change', () => {
    bus.publish({ kind: 'prompts_list_changed' })
    return text('ok')
  })
}

function addConversations(server: McpServer): void {
  const log = async ({ mcpReq }: ServerContext, messages: readonly string[]) => {
    for (const message of messages) {
      await mcpReq.log('info', message)
      await shortly()
    }
    return text('done')
  }
  plain(server, 'test_tool_with_logging', (_, context) =>
    log(context, ['Tool execution started', 'Tool processing data', 'Tool execution completed']),
  )
  plain(server, 'test_logging_tool', (_, context) => log(context, ['hello']))
  plain(server, 'test_tool_with_progress', async (_, context) => {
    for (const progress of [0, 50, 100]) {
      await tellProgress(context, progress)
      await shortly()
    }
    return text('done')
  })
  plain(server, 'test_reconnection', async (_, { http }) => {
    http?.closeSSE?.()
    await shortly()
    return text('Reconnection test completed successfully')
  })
  tool(server, 'test_sampling', z.object({ prompt: z.string() }), async ({ prompt }, { mcpReq }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }]
    const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 })
    return text(`LLM response: ${Object(content).text}`)
  })
  const said = z.object({ message: z.string() })
  tool(server, 'test_elicitation', said, async ({ message }, context) => {
    const string = (description: string) => ({ type: 'string', description })
    const properties = { username: string("User's response"), email: string("User's email address") }
    const { action, content } = await elicit(context, message, properties, ['username', 'email'])
    return text(`User response: action=${action}, content=${JSON.stringify(content)}`)
  })
  for (const [name, properties] of Object.entries(ELICITED))
    plain(server, name, async (_, context) => {
      const { action, content } = await elicit(context, name, properties, [])
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)
    })
}

const OPTIONS = ['option1', 'option2', 'option3']
const titled = (word: string) =>
  ['First', 'Second', 'Third'].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${word}` }))

const ELICITED: Readonly<Record<string, object>> = {
  test_elicitation_sep1034_defaults: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: titled('Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
  },
}

function elicit({ mcpReq }: ServerContext, message: string, properties: object, required: string[]) {
  // The suite's own words, which the types of the SDK are narrower than.
  const requestedSchema = { type: 'object', properties, required } as never
  return mcpReq.elicitInput({ message, requestedSchema })
}

async function tellProgress({ mcpReq }: ServerContext, progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  await mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress, total: 100 },
  })
}

const asks = (message: string, requestedSchema: typeof NAME | typeof OK) =>
  inputRequired.elicit({ message, requestedSchema })
const samples = (question: string, maxTokens = 100) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens,
  })

function addInputs(server: McpServer): void {
  plain(server, 'test_input_required_result_elicitation', (_, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name', NAME)
    if (given) return text(`Hello, ${given.name}!`)
    return inputRequired({ inputRequests: { user_name: asks('What is your name?', NAME) } })
  })
  plain(server, 'test_input_required_result_sampling', (_, { mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'capital_question')
    if (given.kind === 'sampling') return text(JSON.stringify(given.result.content))
    return inputRequired({ inputRequests: { capital_question: samples('What is the capital of France?') } })
  })
  plain(server, 'test_input_required_result_list_roots', (_, { mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots')
    if (given.kind === 'roots') return text(JSON.stringify(given.roots))
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
  plain(server, 'test_input_required_result_capabilities', (_, { mcpReq }) => {
    if (mcpReq.inputResponses) return text('done')
    const can = Object(Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY])
    const inputRequests = {
      ...(can.sampling && { q: samples('hi') }),
      ...(can.elicitation && { e: asks('hi', OK) }),
    }
    return inputRequired({ inputRequests })
  })
  plain(server, 'test_missing_capability', (_, { mcpReq }) =>
    mcpReq.inputResponses ? text('ok') : inputRequired({ inputRequests: { q: samples('hi') } }),
  )
  plain(server, 'test_streaming_elicitation', async (_, context) => {
    if (acceptedContent(context.mcpReq.inputResponses, 'e', OK)) return text('ok')
    await tellProgress(context, 1)
    return inputRequired({ inputRequests: { e: asks('hi', OK) } })
  })
}

function addInputState(server: McpServer): void {
  for (const name of [
    'test_input_required_result_request_state',
    'test_input_required_result_tampered_state',
  ])
    plain(server, name, async (_, { mcpReq }) => {
      if (acceptedContent(mcpReq.inputResponses, 'confirm', OK) && mcpReq.requestState())
        return text('state-ok')
      const inputRequests = { confirm: asks('Please confirm', OK) }
      return inputRequired({ inputRequests, requestState: await codec.mint({ name }) })
    })
  plain(server, 'test_input_required_result_multiple_inputs', async (_, { mcpReq }) => {
    const inputRequests = {
      user_name: asks('What is your name?', NAME),
      greeting: samples('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    }
    const given = mcpReq.inputResponses
    if (given && Object.keys(inputRequests).every((key) => inputResponse(given, key).kind !== 'missing'))
      return text('all inputs received')
    return inputRequired({ inputRequests, requestState: await codec.mint({ many: true }) })
  })
  const color = z.object({ color: z.string() })
  plain(server, 'test_input_required_result_multi_round', async (_, { mcpReq }) => {
    const state = mcpReq.requestState<{ step: number; name?: string }>()
    const first = acceptedContent(mcpReq.inputResponses, 'step1', NAME)
    const second = acceptedContent(mcpReq.inputResponses, 'step2', color)
    if (state?.step === 2 && second) return text(`${state.name} likes ${second.color}`)
    if (state?.step === 1 && first) {
      const message = 'Step 2: What is your favorite color?'
      return inputRequired({
        inputRequests: { step2: inputRequired.elicit({ message, requestedSchema: color }) },
        requestState: await codec.mint({ step: 2, name: first.name }),
      })
    }
    return inputRequired({
      inputRequests: { step1: asks('Step 1: What is your name?', NAME) },
      requestState: await codec.mint({ step: 1 }),
    })
  })
}

function addSchema(server: McpServer): void {
  const string = { type: 'string' }
  const address = { $anchor: 'addressDef', type: 'object', properties: { street: string, city: string } }
  const inputSchema = fromJsonSchema<Record<string, unknown>>({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address },
    properties: {
      name: string,
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: string,
      email: string,
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  })
  const description = 'Tool with JSON Schema 2020-12 features'
  server.registerTool('json_schema_2020_12_tool', { description, inputSchema }, () => text('ok'))
}

function addPrompts(server: McpServer): void {
  const user = <C>(content: C) => ({ role: 'user' as const, content })
  const words = (said: string) => user({ type: 'text' as const, text: said })
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, () => ({
    messages: [words('This is a simple prompt for testing.')],
  }))
  const cities = completable(z.string(), (value) =>
    ['paris', 'park', 'party'].filter((city) => city.startsWith(value)),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'arguments', argsSchema: z.object({ arg1: cities, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: 'resource' as const,
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        words('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'image' }, () => ({
    messages: [
      user({ type: 'image' as const, data: PNG, mimeType: 'image/png' }),
      words('Please analyze the image above.'),
    ],
  }))
  const given = z.object({ context: z.string() })
  server.registerPrompt('test_input_required_result_prompt', { description: 'asks' }, ({ mcpReq }) => {
    const accepted = acceptedContent(mcpReq.inputResponses, 'user_context', given)
    if (accepted) return { messages: [words(accepted.context)] }
    const user_context = inputRequired.elicit({ message: 'What context?', requestedSchema: given })
    return inputRequired({ inputRequests: { user_context } })
  })
}

function addResources(server: McpServer): void {
  const STATIC = {
    'test://static-text': {
      mimeType: 'text/plain',
      text: 'This is the content of the static text resource.',
    },
    'test://static-binary': { mimeType: 'image/png', blob: PNG },
    'test://watched-resource': { mimeType: 'text/plain', text: 'watched' },
  }
  for (const [uri, content] of Object.entries(STATIC))
    server.registerResource(uri.slice(7), uri, { description: uri, mimeType: content.mimeType }, () => ({
      contents: [{ uri, ...content }],
    }))
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => {
    const said = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text: said }] }
  })
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}
