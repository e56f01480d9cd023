import type { RetryPolicy } from './handoffs/retry.ts'

/** The home of a handoff: `native` or one of five dialects. Its rules follow from it. */
export const HOMES = ['native', 'markdown', 'queue', 'block', 'writeback', 'package'] as const
export type Home = (typeof HOMES)[number]

/** Homes in which a step can be handed over. Document 000 knows neither steps nor gates. */
export const STEP_HOMES = ['native', 'queue', 'block', 'writeback', 'package'] as const
export type StepHome = (typeof STEP_HOMES)[number]

/** Document 001's policy, for requests that bring none. */
export const DEFAULT_RETRY: RetryPolicy = { max: 3, delay_s: 30, multiplier: 2 }

type Seconds = number | 'none'
/** Conditions of completion, in the order in which they are told. */
export type Guard = 'accepted' | 'handed in' | 'evidence' | 'verified' | 'output' | Checks | 'validation'
type Checks = 'checks' | 'checks outside runs'
/** Duties of a live folder: the file is the claim, the inputs and outputs exist, artifacts by phase, shared context. */
type FolderDuty = 'claims' | 'inputs' | 'outputs' | 'artifacts' | 'context'

/** The rules of one home; `HOME_COLUMNS` says what each means. */
export interface HomeRules {
  readonly format: Exclude<Home, 'native'> | undefined
  readonly draft_s: Seconds
  readonly offered_s: Seconds
  readonly peopleHaveTime: boolean
  readonly lease_s: Seconds
  readonly retry: 'as sent' | 'never' | RetryPolicy
  readonly lastWord: 'sender' | 'verifier' | 'receiver'
  readonly completion: readonly Guard[]
  readonly begins: 'accepted' | 'started' | 'understood'
  readonly anyone: boolean
  readonly oneOpen: boolean
  readonly ids: 'HO' | 'hoff' | 'parties'
  readonly statuses: 'all' | 'own'
  readonly closesTask: boolean
  readonly sending: 'warns' | 'refuses'
  readonly fullFile: boolean
  readonly bodyIsContext: boolean
  readonly folder: readonly FolderDuty[]
}

type Cells<T> = readonly [native: T, markdown: T, queue: T, block: T, writeback: T, inPackage: T]
type Column<T> = readonly [asked: string, meaning: string, cells: Cells<T>]
const NO = false

/** Each rule with the requirements that ask for it. */
// biome-ignore format: read as a table
export const HOME_COLUMNS: { readonly [Name in keyof HomeRules]: Column<HomeRules[Name]> } = {
  format:         ['S0-56, S1-06, S2-01, S3-24, S4-02', 'documents',             [undefined,  'markdown', 'queue',    'block',    'writeback', 'package']],
  draft_s:        ['S0-33', 'seconds until a draft expires',                     ['none',     3_600,      'none',     'none',     'none',     'none']],
  offered_s:      ['S0-34', 'seconds until an offer expires',                    [86_400,     14_400,     'none',     'none',     'none',     'none']],
  peopleHaveTime: ['S4-56', 'an offer to a person does not expire',              [true,       NO,         NO,         NO,         NO,         NO]],
  lease_s:        ['S1-30, S1-110', 'seconds without a heartbeat until an attempt times out', [7_200, 'none', 300,    'none',     'none',     'none']],
  retry:          ['S0-32, S1-103, S1-105', 'retries; a policy is the default, and its maximum holds for everybody', ['as sent', 'never', DEFAULT_RETRY, 'as sent', 'as sent', 'as sent']],
  lastWord:       ['S0-80, S1-65', 'completes the work',                         ['sender',   'verifier', 'receiver', 'receiver', 'receiver', 'receiver']],
  completion:     ['S0-77, S0-78, S0-79, S1-48, S1-49', 'conditions of completion', [['accepted', 'handed in', 'evidence', 'checks'], ['accepted', 'verified', 'checks'], ['output', 'checks', 'validation'], ['checks outside runs'], ['checks outside runs'], ['accepted', 'checks outside runs']]],
  begins:         ['S0-75, S1-64, S4-40', 'work begins when the handoff is',     ['accepted', 'started',  'accepted', 'accepted', 'accepted', 'understood']],
  anyone:         ['S0-41, S1-81, S4-56', 'any person may take an offer to `human`', [true,   NO,         NO,         true,       true,       true]],
  oneOpen:        ['S0-21', 'a task has one open handoff between two agents',    [NO,         true,       NO,         NO,         NO,         NO]],
  ids:            ['S0-05, S1-10, S4-03', 'new ids: `HO-2026-001`; `hoff-001-…` in a live folder; sender, receiver, task and day', ['HO', 'parties', 'hoff', 'HO', 'HO', 'HO']],
  statuses:       ['S0-30', 'steps: all of the lifecycle, or those between the statuses of the format', ['all', 'own', 'all', 'all', 'all',   'all']],
  closesTask:     ['S0-109', 'completion closes the task',                       [NO,         true,       NO,         NO,         NO,         NO]],
  sending:        ['S4-29, S4-37', 'a breach of the rules for packages',         ['warns',    'warns',    'warns',    'warns',    'warns',    'refuses']],
  fullFile:       ['S0-68', 'a live folder demands every field of the file',     [NO,         true,       NO,         NO,         NO,         NO]],
  bodyIsContext:  ['S0-56', 'text below the data is the context',                [NO,         true,       NO,         NO,         NO,         NO]],
  folder:         ['S1-03, S1-42, S1-69, S1-109', 'duties of a live folder beside its files', [[], [], ['claims', 'inputs', 'outputs', 'artifacts', 'context'], [], [], []]],
}

/** The rules by which a handoff of each home is judged. */
export const HOME_RULES = Object.fromEntries(
  HOMES.map((home, at) => [
    home,
    Object.fromEntries(Object.entries(HOME_COLUMNS).map(([name, [, , cells]]) => [name, cells[at]])),
  ]),
) as unknown as Readonly<Record<Home, HomeRules>>
