import { invalidInput } from '../domain/errors.ts'
import type { AckOverrides } from '../domain/handoffs/deadlines.ts'
import { HOMES, type Home } from '../domain/home.ts'
import type { PeopleRules } from '../domain/people/silence.ts'
import { DEFAULT_POLICY, type ListedAgent, type Policy } from '../domain/policy.ts'
import { present } from '../domain/present.ts'
import type { Config } from './schema.ts'

// biome-ignore format: read as a table
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Dates go wrong long after this; nobody waits for longer. */
const LONGEST_MS = 3_650 * 86_400_000

/** Milliseconds of `90s`, `15m`, `4h` or `2d`; at least a second, at most ten years. */
export function parseDuration(text: string): number {
  const ms = toMilliseconds(text)
  if (ms === undefined)
    throw invalidInput(
      `${JSON.stringify(text)} is not a duration; write a number with s, m, h or d, for example 15m (at most 3650d)`,
      { value: text },
    )
  return ms
}

export const isDuration = (text: string, most = LONGEST_MS): boolean =>
  (toMilliseconds(text) ?? Number.POSITIVE_INFINITY) <= most

function toMilliseconds(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? []
  const ms = count === undefined ? 0 : Number(count) * UNIT_MS[unit!]!
  return ms >= 1_000 && ms <= LONGEST_MS ? ms : undefined
}

/** The rules that a `baton.yaml` sets, with the usual ones where it says nothing. */
export function toPolicy(config: Config | undefined): Policy {
  if (!config) return DEFAULT_POLICY
  return present({
    agents: config.agents && toListed(config.agents),
    defaultLimits: config.default_limits ?? DEFAULT_POLICY.defaultLimits,
    verifiers: config.verification?.verifiers ?? DEFAULT_POLICY.verifiers,
    chief: config.verification?.chief ?? DEFAULT_POLICY.chief,
    deadlines: toDeadlines(config.deadlines ?? {}),
    depthLimit: config.depth_limit ?? DEFAULT_POLICY.depthLimit,
    routes: config.routes,
    people: config.people && toPeople(config.people),
  })
}

function toPeople({ remind, silence }: NonNullable<Config['people']>): PeopleRules {
  const seconds = (text: string | undefined) => (text === undefined ? undefined : parseDuration(text) / 1_000)
  return {
    remind_s: seconds(remind),
    silence: silence && { policy: silence.policy, after_s: seconds(silence.after), to: silence.to },
  }
}

/** Without a prototype: an agent may be called `constructor`. */
function toListed(agents: NonNullable<Config['agents']>): Readonly<Record<string, ListedAgent>> {
  const listed: Record<string, ListedAgent> = Object.create(null)
  for (const [name, agent] of Object.entries(agents)) listed[name] = agent ?? {}
  return listed
}

function toDeadlines(deadlines: NonNullable<Config['deadlines']>): Policy['deadlines'] {
  const overrides: Partial<Record<Home, AckOverrides>> = {}
  for (const home of HOMES) {
    const { draft, accept } = deadlines[home] ?? {}
    if (draft === undefined && accept === undefined) continue
    overrides[home] = present({ draftMs: toMs(draft), offeredMs: toMs(accept) })
  }
  return overrides
}

const toMs = (text: string | undefined): number | 'none' | undefined =>
  text === undefined || text === 'none' ? text : parseDuration(text)
