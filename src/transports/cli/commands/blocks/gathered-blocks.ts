import { lstatSync } from 'node:fs'
import {
  type Collected,
  type CollectedBlock,
  type CollectInput,
  type Verdict,
  verdictOf,
  worstVerdict,
} from '../../../../domain/blocks/block.ts'
import { ROUTE_MODES } from '../../../../domain/blocks/failure-routing.ts'
import { BatonError } from '../../../../domain/errors.ts'
import { present } from '../../../../domain/present.ts'
import { badOption, choiceOf, isOn, textOf } from '../../input/args.ts'
import { withProgress } from '../../screen/progress.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'
import { STDIN, type Target } from '../documents/files.ts'
import { placed } from '../documents/import.ts'
import { readFrom } from '../documents/pipe.ts'

/** A block with the file as people typed it. */
export type GatheredBlock = CollectedBlock & { readonly file: string }

export interface Gathered extends Omit<Collected, 'blocks'> {
  readonly blocks: readonly GatheredBlock[]
  /** Whether there was a workspace to store them in. */
  readonly stored: boolean
}

/** One call to a server takes this much, with room for escapes. */
const BATCH_CHARACTERS = 500_000
const BATCH_FILES = 500
/** Files that `--all` reports when they have no block. A README describes its folder and needs none. */
const SUMMARY = /[\\/](?!readme\.)[^\\/]*\.(?:md|markdown|mdx)$/i

/**
 * The workspace to store blocks in, made where the first handoff would make it. A pipeline that has none goes on
 * without one: nothing is made there that would vanish with the job.
 */
export async function openIfAny(shell: Shell): Promise<Session | undefined> {
  if (isOn(shell.args, 'no-store')) return undefined
  const { env, cwd } = shell.io
  try {
    return await shell.open({ write: true })
  } catch (error) {
    const isNamed = [shell.store, env.store, env.url, env.workspace].some((name) => name !== undefined)
    if (!(error instanceof BatonError) || isNamed) throw error
    const { findWorkspace } = await import('../../../../workspace/workspace.ts')
    const found = await findWorkspace(cwd, env)
    if (found && lstatSync(found.dir, { throwIfNoEntry: false })) throw error
    shell.say('not stored: there is no workspace here; to keep the history, make one with: baton init')
    return undefined
  }
}

/** The fields that the options set for all blocks. */
export function aboutAll(shell: Shell, session: Session | undefined): Omit<CollectInput, 'documents'> {
  const { args } = shell
  const [source, workflow, run] = ['source', 'workflow', 'run'].map((name) => textOf(args, name))
  const route_mode = choiceOf(args, 'route-mode', ROUTE_MODES)
  if (run !== undefined && !session)
    throw badOption('run', 'names a run of a workspace, and there is none here; leave it out')
  return present({ source, workflow, run, route_mode })
}

interface TargetText {
  readonly target: Target
  readonly path?: string
  readonly text: string
}

/** Reads the files and stores their blocks; without a workspace it only reads them. */
export async function gather(
  shell: Shell,
  session: Session | undefined,
  targets: readonly Target[],
  cut: (text: string) => string = (text) => text,
): Promise<Gathered> {
  const about = aboutAll(shell, session)
  const signal = shell.io.lasting()
  const blocks: GatheredBlock[] = []
  const order: Collected['order'][number][] = []
  const workflows: Collected['progress'][number][] = []
  const texts: TargetText[] = []
  const flush = async (): Promise<void> => {
    if (texts.length === 0) return
    const all = texts.splice(0)
    const collected = await collectedFrom(shell, session, about, all)
    blocks.push(...collected.blocks)
    order.push(...collected.order)
    workflows.push(...collected.progress)
  }
  await withProgress(shell, async (tell) => {
    for (const [i, target] of targets.entries()) {
      signal.throwIfAborted()
      tell(`read ${i} of ${targets.length} files`)
      const read = await readFrom(target, shell.io.stdin)
      if (read.text === undefined) {
        await flush()
        blocks.push(unreadable(target, read.problem))
        continue
      }
      const path = target.file === STDIN ? undefined : placed(shell, session ?? {}, target.path)
      texts.push({ target, ...present({ path }), text: cut(read.text) })
      const size = texts.reduce((sum, { text }) => sum + text.length, 0)
      if (size > BATCH_CHARACTERS || texts.length >= BATCH_FILES) await flush()
    }
    await flush()
  })
  return { blocks, order, progress: workflows, stored: session !== undefined }
}

async function collectedFrom(
  shell: Shell,
  session: Session | undefined,
  about: Omit<CollectInput, 'documents'>,
  texts: readonly TargetText[],
): Promise<Omit<Gathered, 'stored'>> {
  const documents = texts.map(({ text, path }) => ({ text, ...present({ path }) }))
  const input: CollectInput = { ...about, documents }
  const answer = session
    ? ((await session.call('document_collect', input, { key: textOf(shell.args, 'key') })) as Collected)
    : (await import('../../../../service/blocks/collection.ts')).readBlocks(input)
  const byPath = new Map(texts.map(({ target, path }) => [path, target]))
  const isAll = isOn(shell.args, 'all')
  const blocks = answer.blocks.flatMap((block): GatheredBlock[] => {
    const target = byPath.get(block.path)
    if (target?.isWalked && block.outcome === 'no_block' && !(isAll && SUMMARY.test(target.path))) return []
    return [{ ...block, file: target?.file ?? block.path ?? STDIN }]
  })
  return { ...answer, blocks }
}

const unreadable = (
  { file, isWalked }: Target,
  problem: CollectedBlock['diagnostics'][number],
): GatheredBlock => ({
  outcome: isWalked ? 'no_block' : 'invalid',
  file,
  line: 1,
  verdict: 'no_block',
  reason: problem.message,
  diagnostics: [problem],
})

/** The verdict for the pipeline: the last valid block decides, or with `all` the worst of everything. An invalid block never passes. */
export function verdictFor(blocks: readonly GatheredBlock[], all: boolean): Verdict {
  if (all) return worstVerdict(blocks.map(({ verdict }) => verdict))
  const last = blocks.findLast(({ status, outcome }) => status !== undefined && outcome !== 'inferred')
  const isInvalid = blocks.some(({ outcome }) => outcome === 'invalid')
  return last?.verdict === 'complete' && isInvalid ? 'no_block' : verdictOf(last?.status)
}
