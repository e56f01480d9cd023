import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createService, openStore } from '../src/compose/main.ts'
import { searchQuery } from '../src/domain/search.ts'
import { hasWords, indexedWords, wordsIn } from '../src/domain/texts/words.ts'
import { loadOperation, type OperationName } from '../src/operations/index.ts'
import { invoke } from '../src/operations/operation.ts'
import type { Call } from '../src/service/deps.ts'
import type { Store } from '../src/storage/store.ts'
import { by, describeOnEngines, person, type Workspace } from './support/program/workspace.ts'
import { startOwnPostgres } from './support/servers/postgres.ts'
import { newDatabase, newPostgresPlace, newSqlitePlace, query } from './support/store/store-places.ts'
import { offer, until } from './support/store/store-units.ts'

interface Found {
  readonly items: readonly { readonly title: string }[]
  readonly found?: readonly { kind: string; id: string; title: string; place?: string; text?: string }[]
  readonly unread?: readonly string[]
  readonly next?: string
}

const maria = person('maria')
const called = async <T = Found>(w: Workspace, name: OperationName, input: object, call: Call = maria) =>
  (await invoke(await loadOperation(name), w.service, call, input)) as T
const search = (w: Workspace, text: string, more: object = {}, call?: Call) =>
  called(w, 'handoff_list', { text, ...more }, call)
const placed = async (w: Workspace, text: string, more: object = {}) =>
  (await search(w, text, more)).found?.map(({ kind, title, place }) => `${kind} ${title}: ${place}`)

/** One document of each kind, with a word of its own in every place. */
async function filled(w: Workspace): Promise<void> {
  const { sending, receiving, tasks, agents } = w.service
  await agents.add(maria, { name: 'codex', capabilities: ['typescript-refactoring'] })
  await tasks.create(maria, { id: 'P0.1.1', title: 'Set up', criteria: ['Flibbertigibbet passes'] })
  const sent = { to: 'codex', title: 'Add limits', summary: 'A token bucket for each client' }
  const { handoff } = await sending.send(by('planner'), sent)
  await receiving.accept(by('codex'), handoff.id, { understood: 'Limit it' })
  await receiving.ask(by('codex'), handoff.id, 'Which Zürich endpoints are public?')
  await receiving.answer(by('planner'), handoff.id, 'Only 東京大学の研究 and /v1')
  await called(w, 'handoff_comment', { id: handoff.id, text: 'Quokkas like it 🦘' }, by('codex'))
  const other = await sending.send(by('planner'), { to: 'gemini', title: 'Measure the bucket' })
  await receiving.reject(by('gemini'), other.handoff.id, { type: 'other', message: 'No xylophone here' })
}

describeOnEngines('search', (open) => {
  it('finds what is only in a package, a question, an answer, a comment, a reason, a task or an agent', async (t) => {
    const w = await open(t)
    await filled(w)

    assert.deepEqual(await placed(w, 'each CLIENT'), ['handoff Add limits: package.summary'])
    assert.deepEqual(await placed(w, 'zurich endpoint'), ['handoff Add limits: question'])
    assert.deepEqual(await placed(w, '大学'), ['handoff Add limits: answer'])
    assert.deepEqual(await placed(w, 'quokka'), ['handoff Add limits: comment'])
    assert.deepEqual(await placed(w, '🦘'), ['handoff Add limits: comment'])
    assert.deepEqual(await placed(w, 'xylophone'), ['handoff Measure the bucket: reason'])
    assert.deepEqual(await placed(w, 'flibberti'), ['task Set up: criteria'])
    assert.deepEqual(await placed(w, 'refactoring'), ['agent codex: capabilities'])
    for (const nothing of ['okkas', 'each nobody', '!!!', '\' & | " * NOT ('])
      assert.deepEqual(await placed(w, nothing), [], nothing)
    assert.match((await search(w, 'bucket')).found?.[1]?.text ?? '', /^A token bucket for each client$/)
  })

  it('ranks ids and titles first, and filters by who, state, kind and time', async (t) => {
    const w = await open(t)
    await filled(w)
    const titles = async (text: string, more: object = {}) =>
      (await search(w, text, more)).found?.map(({ title }) => title)

    assert.deepEqual(await titles('bucket'), ['Measure the bucket', 'Add limits'])
    assert.deepEqual(await titles('bucket', { with: 'codex' }), ['Add limits'])
    assert.deepEqual(await titles('bucket', { state: ['rejected'] }), ['Measure the bucket'])
    assert.deepEqual(await titles('bucket', { kind: 'task' }), [])
    assert.deepEqual(await titles('', { kind: 'task' }), ['Set up'])
    const ofCodex = await called<Found>(w, 'handoff_list', { with: 'codex' })
    assert.deepEqual(
      ofCodex.items.map(({ title }) => title),
      ['Add limits'],
    )
    assert.deepEqual(await titles('bucket', { from: 'planner', to: 'gemini' }), ['Measure the bucket'])
    assert.deepEqual(await titles('002'), ['Measure the bucket'])
    w.clock.pass(600_000)
    assert.deepEqual(await titles('bucket', { since: '5m' }), [])
    await called(w, 'handoff_comment', { id: 'HO-2026-001', text: 'Late' }, by('planner'))
    assert.deepEqual(await titles('bucket', { since: '5m' }), ['Add limits'])
    assert.deepEqual(await titles('bucket', { since: '2020-01-01' }), ['Measure the bucket', 'Add limits'])
    await assert.rejects(search(w, 'bucket', { since: 'soon' }), { code: 'invalid_input' })
    const first = await search(w, 'bucket', { limit: 1 })
    const second = await search(w, 'bucket', { limit: 1, cursor: first.next })
    assert.deepEqual(
      [...first.found!, ...second.found!].map(({ title }) => title),
      ['Measure the bucket', 'Add limits'],
    )
    assert.equal(second.next, undefined)
    assert.deepEqual(
      (await called<Found>(w, 'task_list', { text: 'passes' })).items.map(({ title }) => title),
      ['Set up'],
    )
  })

  it('begins with the handoff whose whole id was typed, and shows it on no other page', async (t) => {
    const w = await open(t)
    await filled(w)
    for (const title of ['Next to HO-2026-002', 'After HO-2026-002'])
      await w.service.sending.send(by('planner'), { to: 'codex', title })
    const titles = async (more: object = {}) => {
      const { found, next } = await search(w, 'ho-2026-002', more)
      return [...found!.map(({ title }) => title), ...(next ? [next] : [])]
    }
    const all = ['Measure the bucket', 'After HO-2026-002', 'Next to HO-2026-002']
    // Its number may be the year.
    assert.equal(searchQuery('ho-2026-2026', {}).id, 'HO-2026-2026')

    assert.deepEqual(await titles(), all)
    assert.deepEqual(await titles({ to: 'codex' }), all.slice(1))
    const [first, second, cursor] = await titles({ limit: 2 })
    assert.deepEqual([first, second, ...(await titles({ limit: 2, cursor }))], all)
  })

  it('shows the kinds that a token may read, and says which scopes it lacks', async (t) => {
    const w = await open(t)
    await filled(w)
    const bound: Call = { ...maria, may: (scope) => scope === 'handoff:read' }

    const { found, unread } = await search(w, 'set up', {}, bound)

    assert.deepEqual([found, unread], [[], ['task:read', 'workflow:read', 'agent:read']])
    assert.equal((await search(w, 'bucket', {}, bound)).found?.length, 2)
    assert.deepEqual((await search(w, 'set', { kind: 'task' }, bound)).found, [])
  })

  it('follows a change that another process made', async (t) => {
    const w = await open(t)
    const beside = await w.beside()
    const { handoff } = await w.service.sending.create(by('planner'), { to: 'codex', title: 'Old words' })
    assert.equal((await search(w, 'old words')).items.length, 1)

    await beside.sending.amend(by('planner'), handoff.id, { title: 'New words' })

    assert.equal((await search(w, 'old words')).items.length, 0)
    assert.equal((await search(w, 'new words')).items.length, 1)
  })
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        'Straße',
        'café',
        'CAFE',
        'ﬁle',
        '東京',
        'ログイン',
        '大学',
        '한국어',
        'ภาษาไทย',
        '🚀',
        "o'neill",
        'HO-1',
        'İstanbul',
        'a',
      ),
      { maxLength: 6 },
    )
    .map((words) => words.join(' ')),
)

describe('search on two engines', () => {
  it('finds the same for any text, and the same as a plain look at every word', async (t) => {
    const stores = await opened(t)
    const written: { title: string; uid: string }[] = []
    const property = fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 5 }),
      text,
      async (titles, sought) => {
        for (const title of titles) {
          const { uid } = await offer(stores[0]!, { title })
          await offer(stores[1]!, { title, uid, root: uid, id: `HO-${uid.slice(-9)}` })
          written.push({ title, uid })
        }
        const words = wordsIn(sought)
        const known = written.filter(
          (each) =>
            words.length > 0 &&
            hasWords([...indexedWords(each.title), ...indexedWords(`HO-${each.uid.slice(-9)}`, true)], words),
        )
        for (const store of stores) {
          const { items } = await store.search(searchQuery(sought, words.length === 0 ? { kind: [] } : {}), {
            limit: 10_000,
          })
          assert.deepEqual(
            items.map(({ uid }) => uid),
            known.map(({ uid }) => uid).reverse(),
          )
        }
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })

  it('holds no byte of a redacted word in the files of its index, which PostgreSQL would keep', async (t) => {
    // Old rows stay while a transaction anywhere on the server may see them, so it is one of its own.
    const server = await startOwnPostgres()
    t.after(() => server.stop())
    const url = await newDatabase(server.url)
    const store = await openStore({ engine: 'postgres', url, workspace: 'default' })
    t.after(() => store.close())
    const service = createService(store)
    const call = async (name: OperationName, input: object) =>
      invoke(await loadOperation(name), service, maria, input)
    const word = `sklive${randomBytes(8).toString('hex')}`
    const filesWith = async () => {
      await query(url, 'CHECKPOINT')
      const files = await query(
        url,
        `SELECT c.relname AS name, current_setting('data_directory') || '/' || pg_relation_filepath(c.oid) AS path
         FROM pg_class w, pg_class c WHERE w.oid = 'baton.word'::regclass AND (c.oid IN (w.oid, w.reltoastrelid)
           OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (w.oid, w.reltoastrelid)))`,
      )
      return files
        .filter(({ path }) => readFileSync(String(path)).includes(word))
        .map(({ name }) => String(name))
        .sort()
    }
    const send = (summary: string) =>
      service.sending.send(by('planner'), { to: 'codex', title: 'Work', summary })
    for (let i = 1; i < 40; i++) await send(`Step ${i}`)
    // Rows that stay are moved over the end of the last one, where its longest words are.
    const longer = Array.from({ length: 9 }, (_, i) => `${i}`.repeat(50)).join(' ')
    const { handoff } = await send(`Use ${word} ${longer}`)
    await call('handoff_list', { text: word })
    assert.deepEqual(await filesWith(), ['word', 'word_words'])
    const earlier = [
      query(url, 'SELECT pg_sleep(0.7)'),
      query(server.url, 'SELECT pg_current_xact_id(), pg_sleep(2)'),
    ]
    const sleeping = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
    await until('a read and a write', async () => (await query(url, sleeping)).length === 2)

    await call('audit_redact', { id: handoff.id, field: 'summary', reason: 'leaked-key' })

    assert.deepEqual(await filesWith(), [])
    await Promise.all(earlier)
    assert.deepEqual(((await call('handoff_list', { text: word })) as Found).found, [])
    assert.deepEqual(await filesWith(), [])
  })

  it('is prepared once where two processes are behind, and the other one waits', async () => {
    const url = await newDatabase()
    const target = { engine: 'postgres', url, workspace: 'default' } as const
    const stores = [await openStore(target), await openStore(target)]
    const count = 600
    for (let i = 0; i < count; i += 50)
      await Promise.all(Array.from({ length: 50 }, (_, n) => offer(stores[0]!, { title: `Work ${i + n}` })))

    const pages = await Promise.all(
      stores.map((store) => store.search(searchQuery('work', {}), { limit: 1_000 })),
    )

    // A session tells its counts when it ends.
    for (const store of stores) await store.close()
    assert.deepEqual(
      pages.map(({ items }) => items.length),
      [count, count],
    )
    const seen = `SELECT n_tup_ins::int AS put, n_tup_upd::int AS again,
      (SELECT idx_scan::int FROM pg_stat_user_tables WHERE relid = 'baton.content'::regclass) AS read
      FROM pg_stat_user_tables WHERE relid = 'baton.word'::regclass`
    let told = (await query(url, seen))[0]
    await until('the counts', async () => {
      told = (await query(url, seen))[0]
      return Number(told?.put) >= count
    })
    assert.deepEqual([told?.put, told?.again], [count, 0])
    // Each page reads each document too.
    const read = Number(told?.read) - 2 * count
    assert.ok(read < 1.5 * count, `${read} documents were read for the index`)
  })

  it('loses nothing when a process is killed while it catches up', async (t) => {
    const { path, target, remove } = newSqlitePlace()
    t.after(remove)
    const store = await openStore(target)
    t.after(() => store.close())
    for (let i = 0; i < 300; i++) await offer(store, { title: `Work ${i}` })
    const code = `import { openStore } from './src/compose/main.ts'
      const store = await openStore({ engine: 'sqlite', path: ${JSON.stringify(path)} })
      console.log('begins')
      await store.search({ words: ['work'], facets: {} }, { limit: 1 })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, 30))
    child.kill('SIGKILL')
    await once(child, 'exit')

    const { items } = await store.search(searchQuery('work', {}), { limit: 1_000 })

    assert.equal(items.length, 300)
  })
})

async function opened(t: TestContext): Promise<readonly Store[]> {
  const places = [newSqlitePlace(), newPostgresPlace()]
  const stores = await Promise.all(places.map(({ target }) => openStore(target)))
  t.after(async () => {
    for (const store of stores) await store.close()
    for (const { remove } of places) await remove()
  })
  return stores
}

for (const newPlace of [newSqlitePlace, newPostgresPlace])
  describe(`a word of most documents, but of none of the newest, ${newPlace.name}`, () => {
    it('is found in all of them, the newest first, page by page', async (t) => {
      const { target, remove } = newPlace()
      const store = await openStore(target)
      t.after(async () => {
        await store.close()
        await remove()
      })
      const sent = async (title: string, count: number) =>
        Promise.all(Array.from({ length: count }, (_, i) => offer(store, { title: `${title} ${i}` })))
      const old = await sent('Alpha', 700)
      await sent('Beta', 600)

      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await store.search(searchQuery('alpha', {}), { limit: 100, ...(cursor && { cursor }) })
        found.push(...page.items.map(({ uid }) => uid))
        cursor = page.next
      } while (cursor)

      assert.equal(new Set(found).size, found.length)
      assert.deepEqual(found.toSorted(), old.map(({ uid }) => uid).toSorted())
      const places = new Map(
        (await store.changes('0', 9_999)).entries.map(({ subject, id }) => [subject, id] as const),
      )
      assert.deepEqual(
        found,
        found.toSorted((a, b) => places.get(b)! - places.get(a)!),
      )
    })
  })
