import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { liveFolders } from '../../src/compose/live-folders.ts'
import { createService } from '../../src/compose/main.ts'
import { openContext } from '../../src/compose/open.ts'
import { readEnvironment } from '../../src/config/config.ts'
import { syncFolders } from '../../src/folders/sync.ts'
import { ask, BATON, cleanEnv } from '../support/program/command.ts'
import { aQueueFolder, artifact, PLACES, type QueueFolder, response } from './queue.ts'
import { PATIENCE_MS, until } from './until.ts'

/** A specialist without Baton: takes whatever it can rename, and tells what it got. */
const TAKER = `
import os, sys, time
taken = []
while not os.path.exists(sys.argv[1]):
    for name in sorted(os.listdir('handoffs/pending')):
        if not name.endswith('.json'):
            continue
        try:
            os.rename('handoffs/pending/' + name, 'handoffs/in-progress/' + name)
            taken.append(name[:-5])
        except FileNotFoundError:
            pass
    time.sleep(0.002)
print(' '.join(taken))
`

/** Somebody who reads all the time: tells every file that was torn or in the wrong folder. */
const READER = `
import json, os, sys
bad, seen = [], 0
ENDS = {'completed': 'completed', 'failed': 'failed'}
while not os.path.exists(sys.argv[1]):
    for folder in ('pending', 'in-progress', 'completed', 'failed'):
        for name in os.listdir('handoffs/' + folder):
            if not name.endswith('.json'):
                continue
            try:
                text = open('handoffs/' + folder + '/' + name).read()
            except FileNotFoundError:
                continue
            seen += 1
            try:
                status = json.loads(text)['status']
            except Exception as error:
                bad.append(folder + '/' + name + ' ' + repr(error))
                continue
            if folder in ENDS and status != ENDS[folder]:
                bad.append(folder + '/' + name + ' ' + status)
print(json.dumps({'bad': bad, 'seen': seen}))
`

function python(folder: QueueFolder, program: string, ...args: readonly string[]): Promise<string> {
  const child = spawn('python3', ['-c', program, ...args], {
    cwd: folder.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return once(child, 'close').then(([code]) => {
    assert.equal(code, 0)
    return said.trim()
  })
}

const watcher = (folder: QueueFolder): ChildProcess =>
  spawn(process.execPath, [BATON, 'folders', 'watch', '--as', 'lead'], {
    cwd: folder.root,
    env: cleanEnv(folder.where),
    stdio: 'ignore',
  })

async function gone(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

describe('picking up while others move files', () => {
  it('[S1-69] [S1-67] gives each handoff to exactly one of many, and the engine agrees', async (t) => {
    const folder = await aQueueFolder(t)
    const stop = join(folder.root, '..', 'stop')
    const ids = Array.from({ length: 24 }, (_, i) => `hoff-${String(i).padStart(3, '0')}-1705147200000`)
    const watching = watcher(folder)
    const takers = Array.from({ length: 4 }, () => python(folder, TAKER, stop))
    const own: string[] = []
    const claiming = (async () => {
      for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
        const { handoff } = await ask<{ handoff?: { id: string } }>(
          folder.where,
          ...['handoff', 'claim', '--as', 'react-specialist'],
        )
        if (handoff) own.push(handoff.id)
        if (PLACES.every((place) => place === 'in-progress' || folder.names(place).length === 0)) {
          if (folder.names('in-progress').filter((name) => name.endsWith('.json')).length === ids.length)
            return
        }
      }
    })()

    for (const [i, id] of ids.entries()) {
      // Half of them are sent through Baton's own eyes first.
      folder.put('pending', id, folder.request(id))
      if (i % 2 === 0) await folder.sync()
    }
    await claiming
    writeFileSync(stop, '')
    const theirs = (await Promise.all(takers)).flatMap((text) => text.split(' ').filter(Boolean))
    await gone(watching, 'SIGTERM')
    await folder.sync()
    await folder.sync()

    assert.deepEqual([...theirs, ...own].sort(), ids)
    assert.ok(theirs.length > 0, 'no other program took anything')
    for (const id of ids) {
      const { state, attempts } = await folder.show(id)
      assert.deepEqual([state, attempts.length, folder.placesOf(id)], ['in_progress', 1, ['in-progress']])
    }
    assert.deepEqual(
      folder.names('in-progress').filter((name) => !name.endsWith('.json')),
      [],
    )
  })

  it('[S1-69] [S1-67] a file that is moved while a pass is under way is not put back beside it', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-000-1705147200000'
    const context = await openContext({
      cwd: folder.root,
      environment: readEnvironment(cleanEnv(folder.where)),
      as: 'lead',
      isTerminal: false,
      write: true,
    })
    t.after(() => context.close())
    const { store } = context.service.deps
    // Its folder was looked at by then, and the log says that it is new.
    const meanwhile = new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (name === 'changes' && folder.has(`handoffs/pending/${id}.json`))
          folder.move(id, 'pending', 'in-progress')
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const service = createService(meanwhile, context.service.deps)
    folder.put('pending', id, folder.request(id))

    await syncFolders({ ...liveFolders(context)!, service })

    assert.deepEqual(folder.placesOf(id), ['in-progress'])
    assert.equal((await folder.show(id)).state, 'in_progress')
  })

  it('[S1-69] [S1-81] whoever moves the file first has the work, before anybody has looked at the folder again', async (t) => {
    const folder = await aQueueFolder(t)
    const [theirs, ours] = ['hoff-001-1', 'hoff-002-1']
    for (const id of [theirs, ours]) folder.put('pending', id, folder.request(id))
    await folder.sync()
    const environment = readEnvironment(cleanEnv(folder.where))
    const asked = { cwd: folder.root, environment, as: 'react-specialist', isTerminal: false, write: true }
    const { service, close } = await openContext(asked)
    const call = (name: string) => ({ actor: { name, kind: 'specialist', auth: 'os-user' } as const })
    try {
      folder.move(theirs, 'pending', 'in-progress')
      await assert.rejects(service.receiving.accept(call('react-specialist'), theirs), {
        code: 'wrong_state',
      })
      await assert.rejects(service.receiving.accept(call('dotnet-specialist'), ours), { code: 'not_allowed' })
      const untouched = folder.placesOf(ours)
      const claimed = await service.receiving.claim(call('react-specialist'))
      const none = await service.receiving.claim(call('react-specialist'))

      assert.deepEqual(untouched, ['pending'])
      assert.deepEqual([claimed?.id, none], [ours, undefined])
      assert.deepEqual(folder.placesOf(ours), ['in-progress'])
    } finally {
      await close()
    }
    await folder.sync()
    for (const id of [theirs, ours]) assert.deepEqual((await folder.show(id)).attempts.length, 1)
  })

  it('[S1-67] a claim that is refused leaves the file where it was', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-001-1'
    folder.put('pending', id, folder.request(id))
    await folder.sync()
    const environment = readEnvironment(cleanEnv(folder.where))
    const asked = { cwd: folder.root, environment, as: 'react-specialist', isTerminal: false, write: true }
    const { service, close } = await openContext(asked)
    const { store, pickUp } = service.deps
    try {
      const handoff = await store.handoff(id)
      assert.ok(pickUp && handoff)
      const refused = pickUp(handoff, async () => {
        assert.deepEqual(folder.placesOf(id), ['in-progress'])
        throw new Error('the store said no')
      })

      await assert.rejects(refused, { message: 'the store said no' })
      assert.deepEqual(folder.placesOf(id), ['pending'])
    } finally {
      await close()
    }
  })

  it('[S1-68] shows no reader a torn file, nor one in completed/ or failed/ that says something else', async (t) => {
    const folder = await aQueueFolder(t)
    const stop = join(folder.root, '..', 'stop')
    const reading = python(folder, READER, stop)
    artifact(folder)
    const send = ['send', '--as', 'frontend-specialist', '--to', 'react-specialist', '--title', 'T']

    for (let i = 0; i < 6; i++) {
      const { handoff } = await ask<{ handoff: { id: string } }>(folder.where, ...send)
      await ask(folder.where, 'accept', handoff.id, '--as', 'react-specialist')
      const answer =
        i % 2 === 0
          ? ['submit', handoff.id, '--output', '"done"']
          : ['handoff', 'fail', handoff.id, '--code', 'VALIDATION_FAILED', '--message', 'no']
      await ask(folder.where, ...answer, '--as', 'react-specialist')
    }
    writeFileSync(stop, '')
    const { bad, seen } = JSON.parse(await reading) as { bad: string[]; seen: number }

    assert.deepEqual(bad, [])
    assert.ok(seen > 50, `only ${seen} files were read`)
    assert.deepEqual([folder.names('completed').length, folder.names('failed').length], [3, 3])
  })
})

describe('what a crash leaves behind', () => {
  it('[S1-08] [S1-110] a process that dies between the move and the claim leaves work that is claimed, and comes back', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-001-1705147200000'
    folder.put(
      'pending',
      id,
      folder.request(id, { timeout_seconds: 0.2, retry_policy: { max_retries: 1, retry_delay_seconds: 0 } }),
    )
    await folder.sync()
    const program = `
      import { openContext } from ${JSON.stringify(join(import.meta.dirname, '../../src/compose/open.ts'))}
      import { readEnvironment } from ${JSON.stringify(join(import.meta.dirname, '../../src/config/config.ts'))}
      const { service } = await openContext({ cwd: '.', environment: readEnvironment(), as: 'react-specialist', isTerminal: false, write: true })
      const { store, pickUp } = service.deps
      await pickUp(await store.handoff(${JSON.stringify(id)}), async () => process.kill(process.pid, 'SIGKILL'))
    `
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      cwd: folder.root,
      env: cleanEnv(folder.where),
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL')
    assert.deepEqual(folder.placesOf(id), ['in-progress'])

    await folder.sync()
    const claimed = await folder.show(id)
    await until(async () => {
      await folder.sync()
      return folder.placesOf(id).join() === 'pending'
    })

    assert.deepEqual(
      claimed.attempts.map(({ holder }) => holder),
      ['react-specialist'],
    )
    const file = folder.file('pending', id)
    assert.deepEqual(
      [file.retry_count, (file.retry_history as { error: { code: string } }[])[0]?.error.code],
      [1, 'TIMEOUT'],
    )
  })

  it('[S1-08] [S1-67] a watcher that is killed again and again loses nothing of what specialists in Python do', async (t) => {
    const folder = await aQueueFolder(t)
    const ids = Array.from({ length: 9 }, (_, i) => `hoff-${String(i).padStart(3, '0')}-1705147200000`)
    const program = join(import.meta.dirname, '../../examples/python-queue/specialist.py')
    for (const id of ids) folder.put('pending', id, folder.request(id))
    await folder.sync()
    const specialists = Array.from({ length: 3 }, () =>
      spawn('python3', [program, '--poll', '0.05'], { cwd: folder.root, stdio: 'ignore' }),
    )
    t.after(() => specialists.map((child) => child.kill('SIGKILL')))
    const isDone = () => ids.every((id) => folder.placesOf(id).includes('completed'))
    for (let kills = 0; kills < 4 || !isDone(); kills++) {
      assert.ok(kills < 100, 'it never came to an end')
      const watching = watcher(folder)
      await pause(300 + 100 * (kills % 5))
      await gone(watching, 'SIGKILL')
    }
    await until(async () => (await folder.sync()).length === 0)

    for (const id of ids) {
      const { state, attempts } = await folder.show(id)
      assert.deepEqual([id, state, attempts.length, folder.placesOf(id)], [id, 'completed', 1, ['completed']])
    }
  })

  it('[S1-08] a torn file is said and kept, and taken in when it was mended', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-002-1705147200000'
    const whole = JSON.stringify(folder.request(id), undefined, 2)
    folder.put('pending', id, whole.slice(0, 200))

    const happened = await folder.sync()
    assert.deepEqual(
      happened.map(({ what }) => what),
      ['refused'],
    )
    assert.ok(folder.has(`handoffs/pending/${id}.json.problem`))

    folder.put('pending', id, whole)
    await folder.sync()
    assert.equal((await folder.show(id)).state, 'offered')
  })

  it('[S1-67] of two files of one handoff the later step counts, and one is left', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-003-1705147200000'
    artifact(folder)
    folder.put('pending', id, folder.request(id))
    await folder.sync()
    folder.move(id, 'pending', 'in-progress')
    await folder.sync()
    // A specialist that died after writing the answer and before taking the request away.
    folder.put('completed', id, response(folder.file('in-progress', id)))

    await folder.sync()

    assert.deepEqual(folder.placesOf(id), ['completed'])
    assert.equal((await folder.show(id)).state, 'completed')
  })

  it('[S1-66] a file that was moved to failed/ and never written is a failure that can be tried again', async (t) => {
    const folder = await aQueueFolder(t)
    const id = 'hoff-004-1705147200000'
    folder.put('pending', id, folder.request(id))
    await folder.sync()
    folder.move(id, 'pending', 'in-progress')
    await folder.sync()

    folder.move(id, 'in-progress', 'failed')
    await folder.sync()

    const { status, error, retry_available } = folder.file('failed', id) as Record<string, unknown>
    assert.deepEqual(
      [status, (error as { code: string; message: string }).message, retry_available],
      ['failed', 'it was moved to failed/ without an error', true],
    )
  })

  it("[S1-66] [S1-65] gives document 001's own code, which moves first and writes then, the time to do so", async (t) => {
    const folder = await aQueueFolder(t)
    const ids = ['hoff-005-1', 'hoff-006-1']
    artifact(folder)
    const watching = watcher(folder)
    for (const id of ids) folder.put('pending', id, folder.request(id))
    await until(() =>
      ids.every((id) => folder.placesOf(id).join() === 'pending' && 'x_baton' in folder.file('pending', id)),
    )
    for (const id of ids) {
      folder.move(id, 'pending', 'in-progress')
      const request = folder.file('in-progress', id)
      await until(() => folder.file('in-progress', id).status === 'in_progress')
      folder.move(id, 'in-progress', 'completed')
      await pause(120)
      folder.put('completed', id, response(request))
    }
    await until(async () => (await folder.show(ids[1]!)).state === 'completed')
    await gone(watching, 'SIGTERM')
    await folder.sync()

    for (const id of ids)
      assert.deepEqual([(await folder.show(id)).state, folder.placesOf(id)], ['completed', ['completed']])
  })
})
