import * as z from 'zod'
import { present } from '../domain/present.ts'
import { isDuration, parseDuration } from './policy.ts'

const MOST_MS = 10 * 60_000
const SERVER_TIME = 'write a duration such as 30s or 2m, from 1s to 10m'
const ServerTime = z
  .string({ error: SERVER_TIME })
  .regex(/^\d{1,9}[smhd]$/, { error: SERVER_TIME, abort: true })
  .refine((text) => isDuration(text, MOST_MS), { error: SERVER_TIME })
const PoolSize = z.int().min(1).max(100)
const REQUESTS = 'write on, off, or a number such as 100 for one request in 100'
const QUERY = '30s'

/** Settings of `baton serve`, each with its usual value in brackets. */
export const ServerSchema = z
  .strictObject({
    pools: z
      .strictObject({
        writes: PoolSize.optional().describe('Transactions at the same time (2)'),
        reads: PoolSize.optional().describe('Quick reads at the same time (4)'),
        slow_reads: PoolSize.optional().describe('Searches and lists over history at the same time (2)'),
      })
      .optional()
      .describe('Connections to PostgreSQL by use; a SQLite store has one of each'),
    timeouts: z
      .strictObject({
        request: ServerTime.optional().describe('How long a client may take to send a request (60s)'),
        query: ServerTime.optional().describe(`How long a query of PostgreSQL may take (${QUERY})`),
        slow_read: ServerTime.optional().describe('How long one slow read may take (10s)'),
        slow_budget: ServerTime.optional().describe(
          'How long the slow reads of one agent may take in a minute (15s)',
        ),
      })
      .superRefine(({ query = QUERY, slow_read }, context) => {
        if (slow_read === undefined || !isDuration(slow_read) || !isDuration(query)) return
        if (parseDuration(slow_read) > parseDuration(query))
          context.addIssue({
            code: 'custom',
            path: ['slow_read'],
            message: `a slow read is a query; write at most ${query}, or a longer query timeout`,
          })
      })
      .optional()
      .describe('How long requests, queries and slow reads may take'),
    replica: z
      .string()
      .regex(/^postgres(ql)?:\/\//, {
        error: 'write the address of a standby: postgres://user@host/database',
      })
      .optional()
      .describe('A standby of the PostgreSQL store that answers lists of ended handoffs and searches'),
    keep_alive: ServerTime.optional().describe(
      'How long an idle connection is kept, longer than your balancer does (75s)',
    ),
    log_level: z
      .enum(['info', 'warn', 'error'])
      .optional()
      .describe('The least important lines of the log that are written (info)'),
    request_log: z
      .union([z.enum(['on', 'off'], { error: REQUESTS }), z.int({ error: REQUESTS }).min(2).max(1_000_000)])
      .optional()
      .describe(
        'A line for each request: on, off, or one in so many. Refusals and slow requests always have one (on)',
      ),
  })
  .describe('How baton serve uses the store, waits and logs. Needs: baton trust')

type Server = z.output<typeof ServerSchema>

const ms = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseDuration(text)

/** Settings of the store. */
export const storeSettings = ({ pools = {}, timeouts = {}, replica }: Server) => ({
  ...present({ replica }),
  limits: present({
    writers: pools.writes,
    readers: pools.reads,
    slowReaders: pools.slow_reads,
    queryMs: ms(timeouts.query),
    slowReadMs: ms(timeouts.slow_read),
    slowBudgetMs: ms(timeouts.slow_budget),
  }),
})

/** Times of the HTTP server that the settings change. */
export const serverTimes = ({ timeouts = {}, keep_alive }: Server) =>
  present({ requestMs: ms(timeouts.request), idleMs: ms(keep_alive) })
