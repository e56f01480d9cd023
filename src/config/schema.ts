import * as z from 'zod'
import { DIALECTS } from '../dialects/dialect.ts'
import { AGENT_NAME } from '../domain/actor.ts'
import { AGENT_KINDS, AGENT_ROLES, Limit } from '../domain/agent.ts'
import { HOMES } from '../domain/home.ts'
import { optional } from '../domain/once.ts'
import { matching, text } from '../domain/schema-parts.ts'
import { NotifySchema, PeopleSchema } from './people.ts'
import { isDuration } from './policy.ts'
import { Runner } from './runners.ts'
import { ServerSchema } from './server.ts'

const FORMAT_NAME = 'write a name in small letters, digits, dashes or underscores'

const WORKSPACE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const TASK_RULES = ['task-records', 'repository'] as const

/** Dialects that have a folder of their own. */
const LIVE_DIALECTS = ['markdown', 'queue', 'package'] as const

export const NAME_MESSAGE = 'write an agent name in small letters, digits, dots, dashes or underscores'
export const isAgentName = (text: string): boolean => AGENT_NAME.test(text)

const Name = matching(AGENT_NAME, NAME_MESSAGE).describe('Agent name, for example codex')

const Limits = z
  .strictObject({
    outgoing: optional(Limit(), 'How many open handoffs the agent may have sent'),
    incoming: optional(Limit(), 'How many open handoffs the agent may have received'),
  })
  .describe('How many open handoffs are allowed; left out: any number')

const DURATION = 'write a duration such as 90s, 15m, 4h or 2d (at most 3650d), or none'

/** The form is in the JSON Schema; the size is looked at by whoever turns it into milliseconds. */
const Deadline = z
  .string({ error: DURATION })
  .regex(/^(?:none|\d{1,9}[smhd])$/, { error: DURATION, abort: true })
  .refine((text) => text === 'none' || isDuration(text), { error: DURATION })
  .describe('A duration: 90s, 15m, 4h, 2d, or none for no deadline')

const ListedAgent = z
  .strictObject({
    kind: optional(
      z.enum(AGENT_KINDS),
      'The kind of the agent; people are human (agent). For human needs: baton trust',
    ),
    roles: optional(z.array(z.enum(AGENT_ROLES)), 'Rights beyond sending and receiving. Needs: baton trust'),
    capabilities: optional(z.array(text(100)).max(100), 'Skills of the agent'),
    limits: Limits.optional(),
    phase: optional(
      z.int().min(0).max(999),
      'Phase in the queue format: 6 to 12 for orchestrators, 13 to 16 for specialists',
    ),
  })
  .describe('One agent; may be empty')

const Deadlines = z
  .strictObject({
    accept: optional(Deadline, 'How long a sent handoff waits to be accepted: 24h, or none'),
    draft: optional(Deadline, 'How long a draft waits to be sent: 1h, or none'),
  })
  .describe('The deadlines of one format')

const Route = z
  .strictObject({
    from: z.union([Name, z.literal('*')]).describe('The sender, or * for everyone'),
    to: z
      .array(z.union([Name, z.literal('*')]))
      .min(1)
      .describe('The receivers, or * for everyone'),
  })
  .describe('One sender and whom it may hand to')

/** The project itself, or relative and below it, and not where git or Baton keep their own. */
const FOLDER =
  /^\.$|^(?!.*(?:^|\/)(?:\.{1,2}|\.git|\.baton)(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._ -]*(?:\/[A-Za-z0-9._][A-Za-z0-9._ -]*)*$/

/** Keys of a mapping, with dots between the levels. */
const KEY_PATH = /^[A-Za-z0-9_-]{1,100}(?:\.[A-Za-z0-9_-]{1,100}){0,7}$/
const KeyPath = matching(KEY_PATH, 'write a key, with dots between levels: source.agent_id')
const Place = z.string().max(200).regex(FOLDER, { error: 'write a folder such as inbox or handoffs/pending' })

const TeamFormat = z
  .strictObject({
    base: z.enum(DIALECTS).describe('The known format that it is a relative of'),
    keys: z
      .record(KeyPath, KeyPath)
      .describe('Its keys and the keys of the base that they stand for: from_master: source.agent_id'),
    states: optional(
      z.record(text(100), text(100)),
      'Its words for a status and the words of the base: pending_pickup: pending',
    ),
    folders: optional(
      z.record(Place, Place),
      'Its folders and the folders of the base: inbox: handoffs/pending',
    ),
  })
  .describe('A known format in other words')

const LiveFolder = z
  .strictObject({
    dialect: z.enum(LIVE_DIALECTS).describe('The format of the files in it'),
    path: z
      .string()
      .max(200)
      .regex(FOLDER, { error: 'write a folder below the project, for example _handoffs, or .' })
      .describe('Path from the root of the project: _handoffs; . for handoffs/ and its neighbours'),
    format: optional(z.string(), 'A format of formats: that the files are written in'),
    accept: optional(
      z.array(z.enum(['verification', 'gate'])),
      'Decisions that a file alone may make; left out: neither verification nor gates. Needs: baton trust',
    ),
  })
  .describe('One folder that is kept in step with the workspace, both ways')

const WorkspaceName = matching(
  WORKSPACE_NAME,
  'write letters, digits, dots, dashes or underscores, for example shop',
)

/** `baton.yaml`. Editors get a JSON Schema made from it, so every field says what it is for. */
export const ConfigSchema = z
  .strictObject({
    agents: optional(
      z.record(Name, ListedAgent.nullable()),
      'Agents that can send and receive. When agents are listed, no other agent can',
    ),
    default_limits: optional(Limits, 'Limits of agents that have none of their own'),
    verification: optional(
      z.strictObject({
        verifiers: optional(z.array(Name).min(1), 'Verifiers of handoffs in the markdown format'),
        chief: optional(Name, 'Verifies when the verifier is the receiver'),
      }),
      'Agents that verify the work. Needs: baton trust',
    ),
    deadlines: optional(
      z.strictObject(
        Object.fromEntries(HOMES.map((home) => [home, Deadlines.optional()])) as Record<
          (typeof HOMES)[number],
          z.ZodOptional<typeof Deadlines>
        >,
      ),
      'How long handoffs wait, by format',
    ),
    routes: optional(z.array(Route), 'Allowed senders and receivers; left out: everyone to everyone'),
    depth_limit: optional(z.int().min(1).max(1_000), 'How many handoffs may follow from one (16)'),
    dialect: optional(z.enum(HOMES), 'The format of handoffs that do not name one (native)'),
    folders: optional(
      z.array(LiveFolder).max(20),
      'Folders of handoff files that are kept in step with the workspace, both ways',
    ),
    formats: optional(
      z.record(matching(/^[a-z][a-z0-9_-]{0,39}$/, FORMAT_NAME), TeamFormat),
      "A team's own formats, by name",
    ),
    people: PeopleSchema.optional(),
    notify: NotifySchema.optional(),
    store: optional(text(2_000), 'The store of the workspace: a file, or postgres://… Needs: baton trust'),
    workspace: optional(WorkspaceName, 'Name of the workspace in a PostgreSQL store (default)'),
    workspaces: optional(
      z.record(
        WorkspaceName,
        z
          .string()
          .max(2_000)
          .regex(/^postgres(?:ql)?:\/\//, { error: 'write the address of a PostgreSQL: postgres://…' })
          .describe('The PostgreSQL that holds the workspace of this name'),
      ),
      'Workspaces that baton serve answers under /w/NAME, by name. Needs: baton trust',
    ),
    checks: optional(
      z.strictObject({
        commands: optional(
          z.array(text(2_000)).max(100),
          'The commands that checks may run, word for word. Needs: baton trust',
        ),
      }),
      'Acceptance checks that Baton runs itself',
    ),
    tasks: optional(
      z.strictObject({
        rules: optional(
          z.enum(TASK_RULES),
          'The demands beside the record. task-records: a ticked checklist and a commit message of the form. repository: neither. Left out: task-records where the main branch has task prompts. For repository needs: baton trust',
        ),
      }),
      'How finished tasks are checked',
    ),
    runners: optional(
      z.record(Name, Runner(Name).nullable()),
      'Programs of agents that baton run starts when work arrives. Needs: baton trust',
    ),
    server: ServerSchema.optional(),
    install: optional(
      matching(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        'write letters, digits, dots or dashes, for example baton.example.com',
      ),
      'Name of this installation in the origin of its log, for example baton.example.com',
    ),
  })
  .superRefine(({ folders = [], formats = {} }, context) => {
    for (const [i, { dialect, format }] of folders.entries()) {
      const base = format === undefined ? dialect : formats[format]?.base
      if (base !== dialect)
        context.addIssue({
          code: 'custom',
          path: ['folders', i, 'format'],
          message: `name a format of formats: whose base is ${dialect}`,
        })
    }
    for (const name of Object.keys(formats).filter((each) => (DIALECTS as readonly string[]).includes(each)))
      context.addIssue({
        code: 'custom',
        path: ['formats', name],
        message: 'choose a name that no format of Baton has',
      })
  })
  .describe('Settings of a Baton workspace')

export type Config = z.infer<typeof ConfigSchema>

/** The JSON Schema of `baton.yaml`, for editors. */
export function configJsonSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(ConfigSchema, { io: 'input' })
  return `${JSON.stringify({ $schema, $comment: SCHEMA_MARK, title: 'baton.yaml', ...schema }, undefined, 2)}\n`
}

/** By this a schema file is known as one that Baton wrote and may write again. */
export const SCHEMA_MARK = 'Written by baton init for editors; changes are lost.'
