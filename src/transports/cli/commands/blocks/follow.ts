import { statSync } from 'node:fs'
import type { Block } from '../../../../domain/blocks/block.ts'
import { verdictOf } from '../../../../domain/blocks/block.ts'
import type { Status } from '../../../../domain/blocks/phases.ts'
import { BatonError } from '../../../../domain/errors.ts'
import { LOOK_AGAIN_MS } from '../../../../service/waits.ts'
import { rest } from '../../../http/client/rest.ts'
import { numberOf } from '../../input/args.ts'
import { safeJson } from '../../screen/plain-text.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { filesAt, type Target } from '../documents/files.ts'
import { type GatheredBlock, gather, openIfAny } from './gathered-blocks.ts'
import { findings, rowOf } from './table.ts'

/** A file that did not change for this long is taken as written for now. */
const LOOK_MS = 250
const BLOCK_PAGE = 50

/** Shows new blocks as they come, one line each: out of files that grow, or out of the store. */
export async function follow(shell: Shell, words: readonly string[]): Promise<number> {
  let left = numberOf(shell.args, 'count', 1) ?? Infinity
  shell.io.lasting()
  shell.say(shell.screen.dim('following; Ctrl-C ends it'))
  const entries = words.length > 0 ? fromFiles(shell, words) : fromStore(shell)
  for await (const entry of entries) {
    shell.print(shell.isJson ? safeJson(entry) : shell.screen.table([rowOf(shell.screen, entry)]))
    await shell.io.drained?.()
    left -= 1
    if (left <= 0) break
  }
  return 0
}

/** Files are read again when they changed and then stood still for one look. */
async function* fromFiles(shell: Shell, words: readonly string[]): AsyncGenerator<GatheredBlock> {
  const { cwd } = shell.io
  const signal = shell.io.lasting()
  const session = await openIfAny(shell)
  const seen = new Set<string>()
  const taken = new Map<string, string>()
  const looked = new Map<string, string>()
  filesAt(words, cwd)
  while (!signal.aborted) {
    const changed = present(words, cwd).filter(({ path }) => {
      const mark = markOf(path)
      const isStill = looked.get(path) === mark
      looked.set(path, mark)
      if (!isStill || taken.get(path) === mark) return false
      taken.set(path, mark)
      return true
    })
    if (changed.length > 0) yield* newIn(shell, session, changed, seen)
    await rest(LOOK_MS, signal)
  }
}

async function* newIn(
  shell: Shell,
  session: Session | undefined,
  targets: readonly Target[],
  seen: Set<string>,
): AsyncGenerator<GatheredBlock> {
  const { blocksIn } = await import('../../../../service/blocks/found-blocks.ts')
  // A block whose fence is open may be half written: it is taken when it is closed.
  const closed = (text: string): string => {
    const open = blocksIn({ text }).blocks.find(({ isOpen }) => isOpen)
    return open === undefined ? text : text.split('\n', Math.max(0, open.line - 2)).join('\n')
  }
  const gathered = await gather(shell, session, targets, closed)
  const fresh = gathered.blocks.filter((entry) => {
    const key = entry.digest ?? `${entry.file}:${entry.line} ${entry.reason}`
    if (entry.outcome === 'no_block' || entry.outcome === 'inferred' || seen.has(key)) return false
    seen.add(key)
    return entry.outcome !== 'unchanged'
  })
  for (const line of findings({ blocks: fresh, order: [] })) shell.warn(line)
  yield* fresh
}

/** The files that the words name at this moment: a file may be missing while it is rewritten. */
function present(words: readonly string[], cwd: string): readonly Target[] {
  return words.flatMap((word) => {
    try {
      return filesAt([word], cwd)
    } catch (error) {
      if (error instanceof BatonError && error.code === 'not_found') return []
      throw error
    }
  })
}

function markOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : ''
}

/** Blocks stored from now on, each once. The last page has no next cursor, so it is read again. */
async function* fromStore(shell: Shell): AsyncGenerator<GatheredBlock> {
  const session = await shell.open({ write: false })
  const signal = shell.io.lasting()
  let wake: () => void = () => undefined
  const unsubscribe = session.context?.service.deps.store.subscribe(() => wake())
  signal.addEventListener('abort', () => wake(), { once: true })
  const seen = new Set<string>()
  let cursor: string | undefined
  const read = async function* (): AsyncGenerator<Block> {
    for (;;) {
      const input = { limit: BLOCK_PAGE, ...(cursor !== undefined && { cursor }) }
      const { items, next } = await session.call('report_history', input)
      for (const block of items as readonly Block[]) if (!seen.has(block.uid)) yield block
      if (next === undefined) return
      cursor = next
      seen.clear()
    }
  }
  try {
    for await (const { uid } of read()) seen.add(uid)
    while (!signal.aborted) {
      const woken = new AbortController()
      wake = () => woken.abort()
      for await (const block of read()) {
        seen.add(block.uid)
        yield followedBlock(block)
      }
      await rest(LOOK_AGAIN_MS, woken.signal)
    }
  } finally {
    unsubscribe?.()
  }
}

const followedBlock = ({
  raw: _,
  source = '-',
  run: __,
  on_failure: ___,
  status,
  ...block
}: Block): GatheredBlock => ({
  ...block,
  outcome: 'recorded',
  status: status as Status,
  verdict: verdictOf(status as Status),
  file: source,
  line: block.line ?? 1,
  diagnostics: [],
})
