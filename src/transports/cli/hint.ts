import { isOtherCommand, NOUNS, secondWords, shortForm } from './catalog.ts'

/** The name and the store that the caller typed; settings and the environment apply by themselves. */
export interface TypedContext {
  readonly as?: string | undefined
  readonly store?: string | undefined
}

/** A command as a sentence shows it. A comma or a full stop inside of an argument does not end it. */
const SHOWN =
  /(?<=(?:[:`(]|\bor|\brun|\bmean|\bsee) ?)baton(?: (?!(?:or|and|in) )(?:"[^"]*"|'[^']*'|[,;:?.](?!\s|$)|(?<= )\.|[^\s"'`(),;:?.|])+)+/g
/** The hint is for somebody else, who calls under a name of their own. */
const FOR_ANOTHER = /\b(?:people|(?:a|another|any) person|its (?:sender|receiver|verifier))\b[^;]*$/
/** Commands that open no store, so neither option means anything to them. */
const WITHOUT_STORE =
  /^baton (?:audit verify(?!-)|check|completion|convert|demo|help|init|migrate|setup|trust|workflow init)\b/
/** Commands that do not act for an agent. */
const WITHOUT_CALLER = /^baton (?:folders|login|mcp|serve)\b/

/** Every command that the text shows, with the options that it needs to mean the same caller and the same store. */
export function withContext(text: string, { as, store }: TypedContext): string {
  if (as === undefined && store === undefined) return text
  return text.replace(SHOWN, (command, at: number) => {
    if (!isCommand(command) || WITHOUT_STORE.test(command) || / (?:--help|-h)\b/.test(command)) return command
    const isOwn = !WITHOUT_CALLER.test(command) && !FOR_ANOTHER.test(text.slice(0, at))
    return [
      command,
      ...(as !== undefined && isOwn && !/ --as\b/.test(command) ? [`--as ${shellQuoted(as)}`] : []),
      ...(store !== undefined && !/ --store\b/.test(command)
        ? [`--store ${shellQuoted(withoutPassword(store))}`]
        : []),
    ].join(' ')
  })
}

function isCommand(shown: string): boolean {
  const [, first = '', second = ''] = shown.split(' ')
  if (shortForm(first)) return true
  if (!isOtherCommand(first) && !Object.hasOwn(NOUNS, first)) return false
  const verbs = secondWords(first)
  return verbs.length === 0 || verbs.includes(second)
}

/** As a shell takes it for one word. */
export const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A hint ends up in logs, so it never shows a password. */
export const withoutPassword = (store: string): string =>
  store.replace(/^(postgres(?:ql)?:\/\/[^/:@]*):.*@/, '$1@')
