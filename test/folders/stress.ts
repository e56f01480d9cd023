import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'yaml'
import { markdownFolder } from '../../src/folders/markdown/kind.ts'
import { ask, BATON, cleanEnv } from '../support/program/command.ts'
import { aHandoffFolder, type HandoffFolder } from './handoffs.ts'

export interface Stress {
  readonly processes: number
  readonly seconds: number
  /** The watcher is killed this often, in the middle of whatever it does. */
  readonly killEveryMs?: number
}

/** Foreign processes beside a watcher, and what must be true when all have gone home. */
export async function stress(t: Parameters<typeof aHandoffFolder>[0], how: Stress): Promise<void> {
  const folder = await aHandoffFolder(t)
  await folder.sync()
  mkdirSync(join(folder.root, '..', 'aside'))
  const ended = new AbortController()
  const watching = keepWatching(folder, ended.signal, how.killEveryMs)
  await Promise.all(Array.from({ length: how.processes }, (_, i) => foreigner(folder, how.seconds, i + 1)))
  ended.abort()
  await watching
  for (let i = 0; i < 5 && (await folder.sync()).length > 0; i++);

  await nothingIsLost(folder)
  await eachInOnePlace(folder)
  const { clean, findings } = await ask<{ clean: boolean; findings: { note: boolean }[] }>(
    folder.where,
    'folders',
    'doctor',
    '--fix',
  )
  assert.ok(
    clean,
    JSON.stringify(
      findings.filter(({ note }) => !note),
      undefined,
      2,
    ),
  )
}

async function foreigner({ root }: HandoffFolder, seconds: number, seed: number): Promise<void> {
  const program = join(import.meta.dirname, 'foreigner.ts')
  const child = spawn(process.execPath, [program, root, String(seconds), String(seed)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
}

async function keepWatching(folder: HandoffFolder, signal: AbortSignal, killEveryMs?: number): Promise<void> {
  while (!signal.aborted) {
    const child: ChildProcess = spawn(process.execPath, [BATON, 'folders', 'watch', '--as', 'grok'], {
      cwd: folder.root,
      env: cleanEnv(folder.where),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const gone = once(child, 'exit')
    const pauseOver = pause(killEveryMs ?? 2_147_000_000, undefined, { signal }).catch(() => undefined)
    await Promise.race([pauseOver, gone])
    assert.equal(child.exitCode, null, `the watcher ended by itself: ${said}`)
    child.kill(killEveryMs === undefined ? 'SIGINT' : 'SIGKILL')
    await gone
  }
}

/** What was written is in a file of a handoff, in a problem, in a conflict, or where a foreigner put it. */
async function nothingIsLost(folder: HandoffFolder): Promise<void> {
  const aside = join(folder.root, '..', 'aside')
  const logs = readdirSync(aside).filter((name) => name.startsWith('written-'))
  const tokens = logs.flatMap((name) => readFileSync(join(aside, name), 'utf8').match(/token-\S+-end/g) ?? [])
  const kept = [
    ...folder.files().map((path) => folder.read(join('_handoffs', path))),
    ...readdirSync(aside)
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(join(aside, name), 'utf8')),
  ].join('\n')
  const lost = tokens.filter((token) => !kept.includes(token))
  assert.deepEqual(lost, [], `${lost.length} of ${tokens.length} versions are lost`)
  assert.ok(tokens.length > 20, `only ${tokens.length} versions were written`)
}

async function eachInOnePlace(folder: HandoffFolder): Promise<void> {
  const files = folder.files().filter((path) => path.endsWith('.md'))
  const drafts = files.map((path) => ({
    path,
    says: markdownFolder.read(folder.read(`_handoffs/${path}`), path),
  }))
  const marked = drafts.flatMap(({ path, says }) =>
    says.is === 'handoff' && says.uid ? [{ path, uid: says.uid }] : [],
  )
  let cursor: string | undefined
  const handoffs: { uid: string; id: string; state: string }[] = []
  do {
    const page: { items: typeof handoffs; next?: string } = await ask(
      folder.where,
      'handoff',
      'list',
      '--limit',
      '200',
      ...(cursor === undefined ? [] : ['--cursor', cursor]),
    )
    handoffs.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  assert.ok(handoffs.length > 0)
  for (const { uid, id, state } of handoffs) {
    const isEnded = ['completed', 'rejected', 'expired', 'cancelled', 'failed'].includes(state)
    const own = files.filter((path) => path.endsWith(`/${id}.md`))
    assert.deepEqual(own.length, 1, `${id} is ${state} and has ${own}`)
    assert.equal(own[0]!.startsWith(isEnded ? 'archived/' : 'active/'), true, `${id} is ${state} in ${own}`)
    assert.ok(
      marked.some((each) => each.uid === uid && each.path === own[0]),
      `${own} is torn`,
    )
  }
  const open = handoffs.filter(({ state }) => state === 'offered' || state === 'accepted')
  const index = parse(folder.read('_handoffs/_index.yaml'))
  assert.deepEqual(
    index.active_handoffs.map((each: { id: string }) => each.id).sort(),
    open.map(({ id }) => id).sort(),
  )
}
