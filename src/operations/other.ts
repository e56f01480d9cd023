import * as z from 'zod'
import { Agent, AgentName, agentFields } from '../domain/agent.ts'
import { Artifact, artifactFields } from '../domain/handoffs/inputs.ts'
import { Stuck } from '../domain/handoffs/stuck.ts'
import { Notice } from '../domain/people/notice.ts'
import { present } from '../domain/present.ts'
import { MAX_BLOB_BYTES } from '../service/handoffs/artifacts.ts'
import { defineOperation } from './operation.ts'

const agentList = defineOperation({
  name: 'agent_list',
  summary: 'The agents that can send and receive here.',
  scope: 'agent:read',
  input: () => ({}),
  output: () => z.object({ items: z.array(Agent()) }),
  errors: ['unavailable'],
  untrusted: ['items'],
  examples: ['baton agent list'],
  run: async (service) => ({ items: [...(await service.agents.list())] }),
})

const agentAdd = defineOperation({
  name: 'agent_add',
  summary: 'Add an agent or a person, or change their kind, roles, capabilities or limits.',
  scope: 'agent:write',
  positional: ['name'],
  input: agentFields,
  output: Agent,
  errors: ['invalid_input', 'not_allowed', 'unavailable'],
  examples: ['baton agent add codex --max-incoming 5', 'baton agent add maria --kind human'],
  run: (service, call, input) => service.agents.add(call, input),
})

const agentRemove = defineOperation({
  name: 'agent_remove',
  summary: 'Let nobody hand to this agent any more and end its tokens; its history stays.',
  scope: 'agent:write',
  positional: ['name'],
  input: () => ({ name: AgentName }),
  output: Agent,
  errors: ['invalid_input', 'not_found', 'not_allowed', 'unavailable'],
  examples: ['baton agent remove codex'],
  run: (service, call, { name }) => service.agents.remove(call, name),
})

/** Base64 needs four characters for three bytes. */
const MAX_BASE64 = Math.ceil((MAX_BLOB_BYTES * 4) / 3) + 4

const artifactPut = defineOperation({
  name: 'artifact_put',
  summary: 'Register a file by path and hash, or store it with its bytes (up to 10 MB).',
  scope: 'artifact:write',
  positional: ['path'],
  input: () => ({
    ...artifactFields(),
    content: z
      .base64()
      .max(
        MAX_BASE64,
        `an artifact holds at most ${MAX_BLOB_BYTES / 1024 / 1024} MB; register a larger one by its path and hash`,
      )
      .optional()
      .describe('The bytes in base64'),
  }),
  output: Artifact,
  errors: ['invalid_input', 'not_found', 'not_allowed', 'too_large', 'unavailable'],
  examples: ['baton artifact put docs/plan.md --handoff HO-2026-001'],
  run: (service, call, { content, ...input }) =>
    service.artifacts.put(call, {
      ...input,
      ...(content !== undefined && { bytes: Buffer.from(content, 'base64') }),
    }),
})

const artifactGet = defineOperation({
  name: 'artifact_get',
  summary: 'One artifact, with its bytes in base64 where they are stored.',
  scope: 'artifact:read',
  positional: ['uid'],
  input: () => ({ uid: z.string().min(1).max(100) }),
  output: () => z.object({ artifact: Artifact(), content: z.string().optional() }),
  exact: true,
  errors: ['invalid_input', 'not_found', 'unavailable'],
  untrusted: ['artifact'],
  examples: ['baton artifact get 0199…'],
  run: async (service, _, { uid }) => {
    const { artifact, bytes } = await service.artifacts.get(uid)
    return { artifact, ...present({ content: bytes && Buffer.from(bytes).toString('base64') }) }
  },
})

const noticeAck = defineOperation({
  name: 'notice_ack',
  summary: 'Mark a notice as seen.',
  scope: 'notice:write',
  positional: ['uid'],
  input: () => ({ uid: z.string().min(1).max(100) }),
  output: Notice,
  errors: ['invalid_input', 'not_found', 'not_allowed', 'unavailable'],
  examples: ['baton notice ack 3f9a2c'],
  run: (service, call, { uid }) => service.looking.acknowledge(call, uid),
})

const status = defineOperation({
  name: 'report_status',
  summary: 'Stuck work with the way on, and how many handoffs and tasks are in which state.',
  scope: 'report:read',
  input: () => ({}),
  output: () =>
    z.object({
      store: z.object({ engine: z.string(), location: z.string(), workspace: z.string(), schema: z.int() }),
      handoffs: z.record(z.string(), z.int()),
      tasks: z.record(z.string(), z.int()),
      agents: z.record(z.string(), z.object({ outgoing: z.int(), incoming: z.int() })),
      entries: z.int(),
      stuck: z.array(Stuck()).describe('Work that does not move by itself, newest first'),
    }),
  untrusted: ['stuck'],
  errors: ['unavailable'],
  examples: ['baton status'],
  run: async (service) => {
    const { engine, location, workspace, schema } = service.deps.store.info
    const [counts, stuck] = await Promise.all([service.looking.counts(), service.looking.stuck()])
    return { store: { engine, location, workspace, schema }, ...counts, stuck }
  },
})

export const OTHER_OPERATIONS = [
  agentList,
  agentAdd,
  agentRemove,
  artifactPut,
  artifactGet,
  noticeAck,
  status,
] as const
