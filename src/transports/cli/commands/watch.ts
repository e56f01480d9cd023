import type { LogEntry, Store } from '../../../service/service.ts'
import type { Command } from '../command.ts'
import { GLOBAL_FLAGS } from '../input/args.ts'
import { oneLine, safeJson } from '../screen/plain-text.ts'
import type { Screen } from '../screen/screen.ts'
import { cut, pad } from '../screen/width.ts'
import { actOf, STATE_STYLES } from '../views/words.ts'

interface Happening {
  readonly at: string
  readonly act: string
  readonly by: string
  readonly auth: string
  readonly subject: string
  readonly id?: string
  readonly title?: string
  readonly state?: keyof typeof STATE_STYLES
  readonly hash: string
  /** Where to go on after this one. */
  readonly cursor: string
}

const PAGE = 200
/** Signals are hints: whoever follows looks for itself this often. */
const LOOK_AGAIN_MS = 1_000

export const watch: Command = {
  name: 'watch',
  summary: 'Follows what happens in the workspace, live, until Ctrl-C.',
  flags: [
    {
      name: 'since',
      takes: 'value',
      placeholder: 'cursor',
      about: 'Begin after this one (0: from the first)',
    },
    { name: 'count', takes: 'value', placeholder: 'number', about: 'End after so many' },
    ...GLOBAL_FLAGS,
  ],
  examples: ['baton watch', 'baton watch --since 0 --json'],
  async run(shell, { texts }) {
    const { context } = await shell.open({ write: false, local: true })
    const { store } = context!.service.deps
    const { signal } = shell.io
    let left = Number(texts.get('count')?.[0] ?? Number.POSITIVE_INFINITY)
    shell.say(shell.screen.dim('watching; Ctrl-C ends it'))
    for await (const happening of happenings(store, texts.get('since')?.[0], signal, () =>
      context!.service.settle(),
    )) {
      shell.print(shell.isJson ? safeJson(happening) : lineOf(happening, shell.screen))
      left -= 1
      if (left <= 0) break
    }
    return 0
  },
}

/** Everything after the cursor, each once and in order, then whatever comes. */
async function* happenings(
  store: Store,
  since: string | undefined,
  signal: AbortSignal,
  settle: () => Promise<unknown>,
): AsyncGenerator<Happening> {
  let wake: () => void = () => undefined
  // Subscribed before the first look: what happens in between must not be missed.
  const unsubscribe = store.subscribe(() => wake())
  signal.addEventListener('abort', () => wake(), { once: true })
  try {
    let cursor = since ?? (await store.changes(undefined, 1)).cursor
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await settle()
      const page = await store.changes(cursor, PAGE)
      cursor = page.cursor
      for (const entry of page.entries) yield await toHappening(store, entry, cursor)
      if (page.entries.length === PAGE) continue
      const timer = setTimeout(() => wake(), LOOK_AGAIN_MS)
      await woken
      clearTimeout(timer)
    }
  } finally {
    unsubscribe()
  }
}

async function toHappening(store: Store, entry: LogEntry, cursor: string): Promise<Happening> {
  const record = JSON.parse(entry.body.slice(entry.body.lastIndexOf('\n') + 1))
  const about = (await store.handoff(entry.subject)) ?? (await store.task(entry.subject))?.task
  return {
    at: entry.at,
    act: entry.act,
    by: record.actor.id,
    auth: record.auth,
    subject: entry.subject,
    ...(about && { id: about.id, title: about.title }),
    ...(record.to !== undefined && { state: record.to }),
    hash: entry.hash,
    cursor,
  }
}

function lineOf(happening: Happening, screen: Screen): string {
  const { at, by, act, id, subject, title = '', state } = happening
  if (!screen.isTerminal) return [at, by, act, id ?? subject, state ?? '', oneLine(title)].join('\t')
  const time = new Date(at).toTimeString().slice(0, 8)
  const what = cut(actOf(act), 18)
  const style = state && STATE_STYLES[state]
  const lead = `${screen.dim(time)}  ${pad(cut(oneLine(by), 14), 14)}  ${style ? screen.paint(style, pad(what, 18)) : pad(what, 18)}  ${screen.bold(oneLine(id ?? subject))}`
  return `${lead}  ${cut(oneLine(title), Math.max(10, screen.columns - 60))}`.trimEnd()
}
