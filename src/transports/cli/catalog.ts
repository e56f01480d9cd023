import { OPERATION_NAMES, type OperationName } from '../../operations/index.ts'

/** The short forms of the daily operations. */
export const SHORT_FORMS = {
  create: 'handoff_create',
  resend: 'handoff_resend',
  list: 'handoff_list',
  edit: 'handoff_amend',
  cancel: 'handoff_cancel',
  reassign: 'handoff_reassign',
  retry: 'handoff_retry',
  fail: 'handoff_fail',
  send: 'handoff_send',
  inbox: 'handoff_inbox',
  show: 'handoff_get',
  accept: 'handoff_accept',
  reject: 'handoff_reject',
  ask: 'handoff_ask',
  answer: 'handoff_answer',
  comment: 'handoff_comment',
  submit: 'handoff_submit',
  verify: 'handoff_verify',
  decide: 'gate_decide',
  wait: 'handoff_wait',
  next: 'task_next_actions',
  status: 'report_status',
} as const satisfies Record<string, OperationName>

/** Commands that are not operations, and their verbs where they have some; a noun of operations may have both. */
export const OTHER_COMMANDS = {
  init: [],
  run: [],
  serve: [],
  login: [],
  demo: [],
  mcp: [],
  setup: [],
  hook: [],
  whoami: [],
  find: [],
  watch: [],
  trust: [],
  check: [],
  convert: [],
  import: [],
  export: [],
  collect: [],
  block: [],
  'merge-check': [],
  migrate: [],
  task: ['audit', 'clean', 'finish', 'import', 'prompt'],
  workflow: ['init'],
  store: ['info', 'backup', 'restore', 'move', 'upgrade', 'grants'],
  agent: ['key'],
  audit: ['anchor', 'archive', 'export', 'trust', 'verify'],
  folders: ['sync', 'watch', 'doctor'],
  gc: [],
  doctor: [],
  uninstall: [],
  notify: ['send'],
  token: ['create', 'list', 'revoke'],
  completion: ['bash', 'zsh', 'fish'],
  help: [],
} as const satisfies Record<string, readonly string[]>
export type OtherCommand = keyof typeof OTHER_COMMANDS

/** Operations by noun: `{ task: { 'next-actions': 'task_next_actions', … } }`. */
export const NOUNS: Readonly<Record<string, Readonly<Record<string, OperationName>>>> = byNoun()

export const isOtherCommand = (word: string): word is OtherCommand => Object.hasOwn(OTHER_COMMANDS, word)

export const shortForm = (word: string): OperationName | undefined =>
  Object.hasOwn(SHORT_FORMS, word) ? SHORT_FORMS[word as keyof typeof SHORT_FORMS] : undefined

/** Operations whose command is written by hand: files are read and written where the person is. */
export const BY_HAND = {
  document_check: 'check',
  document_convert: 'convert',
  document_import: 'import',
  document_export: 'export',
  document_collect: 'collect',
} as const satisfies Partial<Record<OperationName, OtherCommand>>

export const byHand = (name: OperationName): OtherCommand | undefined =>
  Object.hasOwn(BY_HAND, name) ? BY_HAND[name as keyof typeof BY_HAND] : undefined

/** How people type an operation: its short form, else noun and verb. */
export function typedAs(name: OperationName): string {
  const short = Object.entries(SHORT_FORMS).find(([, operation]) => operation === name)
  return short ? short[0] : name.replace('_', ' ').replaceAll('_', '-')
}

/** Something that an input names and that is there already. */
export type ReferenceKind = 'handoff' | 'other handoff' | 'task' | 'notice' | 'run' | 'anything'

/** Which fields of an operation name something that is there already. */
export function referencesOf(operation: OperationName): Readonly<Record<string, ReferenceKind>> {
  const noun = operation.slice(0, operation.indexOf('_'))
  if (operation === 'handoff_create') return { parent: 'other handoff', supersedes: 'other handoff' }
  if (noun === 'handoff' || noun === 'gate')
    return { id: 'handoff', parent: 'other handoff', supersedes: 'other handoff' }
  if (noun === 'workflow') return { id: 'run', run: 'run' }
  if (operation === 'artifact_put') return { handoff: 'other handoff' }
  if (operation === 'task_create') return {}
  if (noun === 'task' || noun === 'thought') return { id: 'task', task_id: 'task' }
  if (noun === 'notice') return { uid: 'notice' }
  if (operation === 'audit_proof' || operation === 'document_export') return { id: 'anything' }
  return {}
}

/** Every first word that is shown: `find` is an old spelling of `list`. */
export const firstWords = (): string[] =>
  Object.keys({ ...SHORT_FORMS, ...NOUNS, ...OTHER_COMMANDS }).filter((word) => word !== 'find')

/** The words that may follow a first word which needs a second. */
export const secondWords = (first: string): readonly string[] =>
  isOtherCommand(first)
    ? [...Object.keys(NOUNS[first] ?? {}), ...OTHER_COMMANDS[first]]
    : Object.keys(NOUNS[first] ?? {})

function byNoun(): Record<string, Record<string, OperationName>> {
  const nouns: Record<string, Record<string, OperationName>> = {}
  for (const name of Object.keys(OPERATION_NAMES) as OperationName[]) {
    const at = name.indexOf('_')
    const noun = name.slice(0, at)
    nouns[noun] = { ...nouns[noun], [name.slice(at + 1).replaceAll('_', '-')]: name }
  }
  return nouns
}
