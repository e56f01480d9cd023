import { homedir, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { Format } from '../dialects/relative.ts'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import type { Config } from './schema.ts'

export type { Config } from './schema.ts'

/** The values that Baton takes from the environment. This file is its only reader. */
export interface Environment {
  /** `BATON_AGENT`: who is calling. */
  readonly agent?: string
  /** `BATON_INSTANCE`: the running process of the agent that this call belongs to. */
  readonly instance?: string
  /** `BATON_WORKSPACE`: the folder that holds, or will hold, `.baton`. */
  readonly workspace?: string
  /** `BATON_URL` and `BATON_TOKEN`: a server to ask instead of a store here. */
  readonly url?: string
  readonly token?: string
  /** `BATON_STORE`: a file or a PostgreSQL address. */
  readonly store?: string
  /** `BATON_TRUST`: the hash of a `baton.yaml` that may be trusted, for CI. */
  readonly trust?: string
  /** Under its `.baton/` lie the user's keys and trust. `BATON_HOME` replaces it. */
  readonly home: string
  /** `HOME`: other programs keep their settings there. */
  readonly userHome?: string
  readonly ci: boolean
  /** The variable that shows a coding agent. */
  readonly codingAgent?: string
  /** The system user's name. */
  readonly user: string
  /** Absent where the system has no numbers for users. */
  readonly uid?: number
  readonly noColor: boolean
  /** `GITHUB_STEP_SUMMARY`: the file that GitHub Actions shows as the summary of a step. */
  readonly stepSummary?: string
  /** `PATH`: where the system looks for commands. */
  readonly path?: string
  /** `BATON_DEBUG`: show what a failure inside looked like. */
  readonly debug: boolean
}

/** Variables that coding agents set for the commands they run. Codex has several; people set those left out for themselves. */
const CODING_AGENT =
  /^(?:CLAUDECODE|CLAUDE_CODE|GEMINI_CLI|CURSOR_AGENT|AI_AGENT|COPILOT_CLI|OPENCODE|OPENCODE_CLIENT|QWEN_CODE|AMP_CURRENT_THREAD_ID|AUGMENT_AGENT|GOOSE_TERMINAL|CLINE_ACTIVE|ANTIGRAVITY_AGENT|PI_CODING_AGENT|CODEX_(?!HOME$|.*(?:KEY|TOKEN|URL)$).*)$/

/** Most services set CI; those that do not are known by a name of their own. */
const CI_SERVICE = /^(?:CI|CONTINUOUS_INTEGRATION|JENKINS_URL|TF_BUILD|TEAMCITY_VERSION|CODEBUILD_BUILD_ID)$/

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const uid = process.getuid?.()
  return present({
    agent: ifGiven(env.BATON_AGENT),
    instance: ifGiven(env.BATON_INSTANCE),
    workspace: ifGiven(env.BATON_WORKSPACE),
    url: ifGiven(env.BATON_URL),
    token: ifGiven(env.BATON_TOKEN),
    store: ifGiven(env.BATON_STORE),
    trust: ifGiven(env.BATON_TRUST),
    home: homeOf(env),
    userHome: ifGiven(env.HOME),
    ci: oneOn(env, CI_SERVICE) !== undefined,
    codingAgent: codingAgentIn(env),
    user: userOf(env, uid),
    uid,
    stepSummary: ifGiven(env.GITHUB_STEP_SUMMARY),
    path: ifGiven(env.PATH),
    noColor: Boolean(env.NO_COLOR) || env.TERM === 'dumb',
    debug: isOn(env.BATON_DEBUG),
  })
}

/** The agent that `baton run` started this process for. It goes before the name that setup wrote for the program. */
export const startedAgent = ({ agent, instance }: Environment): string | undefined =>
  instance === undefined ? undefined : agent

/** A secret that `baton.yaml` names by its variable. */
export const readSecret = (variable: string, env: NodeJS.ProcessEnv = process.env): string | undefined =>
  ifGiven(env[variable])

/** The folder of compiled code that bin/code-cache.cjs makes. */
export const codeCache = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.NODE_COMPILE_CACHE || tmpdir(), `baton-code-${process.getuid?.()}`)

/** The variable of an environment that shows a coding agent. */
export const codingAgentIn = (env: NodeJS.ProcessEnv): string | undefined => oneOn(env, CODING_AGENT)

const oneOn = (env: NodeJS.ProcessEnv, names: RegExp): string | undefined =>
  Object.keys(env)
    .sort()
    .find((name) => names.test(name) && isOn(env[name]))

/** A variable that is set to nothing, 0 or false was switched off on purpose. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:0|false|no|off|)$/i.test(value.trim())
}

/** An empty variable says no more than one that is not there. */
const ifGiven = (value: string | undefined): string | undefined => value?.trim() || undefined

function homeOf(env: NodeJS.ProcessEnv): string {
  const home = [env.BATON_HOME, env.HOME].find(ifGiven)
  if (home !== undefined) return resolve(home)
  // A container may run as a user that no list knows: without a home nothing can be trusted, all else works.
  return orElse(() => resolve(homedir()), '/')
}

const userOf = (env: NodeJS.ProcessEnv, uid: number | undefined): string =>
  orElse(() => userInfo().username, env.USER || env.LOGNAME || `user-${uid ?? 'unknown'}`)

/** The team's own formats that a `baton.yaml` names. */
export const formatsIn = ({ formats = {} }: Config): readonly Format[] =>
  Object.entries(formats).map(([name, format]) => ({ name, ...format }))

/** The environment of a process that works in a workspace of its own: nothing in it points at another. */
export function apartEnvironment(
  own: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('BATON_'))
  return { ...Object.fromEntries(kept), ...own }
}

/** Variables that every program needs to run at all; nothing here is a secret. */
const FOR_PROGRAMS = /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_[A-Z]+)$/

/** The environment of a program that is started for an agent: those, and the listed ones. */
export const programEnvironment = (
  listed: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && (FOR_PROGRAMS.test(name) || listed.includes(name)) ? [[name, value]] : [],
    ),
  )

/** Variables that a person sets for all of git. The others point at one repository, as inside git's hooks. */
const FOR_GIT =
  /^GIT_(?:ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|EXEC_PATH|SSL_\w+|HTTP_\w+|PROXY_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/

/** The environment that git is started with. */
export function gitEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || FOR_GIT.test(name))
  return Object.fromEntries(kept)
}

/** Variables that name a commit's repository and index to its hooks; the folder around may be another. */
const FOR_HOOKS = ['GIT_INDEX_FILE', 'GIT_DIR', 'GIT_WORK_TREE']

/** The environment that git is started with inside one of its hooks. */
export function hookEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const own = FOR_HOOKS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
  return { ...gitEnvironment(env), ...Object.fromEntries(own) }
}
