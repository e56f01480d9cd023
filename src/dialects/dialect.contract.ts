import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyDraft, mutated } from '../../test/support/documents/drafts.ts'
import { complete, missingOf } from '../../test/support/documents/full-draft.ts'
import { convert, reasonsOf } from './convert.ts'
import { DIALECTS, type Dialect, type DialectId } from './dialect.ts'
import { fieldDifferences, keysOf, own, sameData } from './difference.ts'
import { Draft } from './draft.ts'
import { readDocuments } from './read.ts'
import { dialectOf, endingOf } from './registry.ts'
import { readNative, rewrite } from './rewrite.ts'
import { sourcesOf } from './text/sources.ts'
import { isMapping, valueAt } from './text/tree.ts'

export interface Sample {
  readonly path: string
  readonly text: string
}

export interface Laws {
  /** Documents of the dialect as people write them: the seeds of the mutations. */
  readonly samples: readonly Sample[]
  /** How many inputs each law is tried on. */
  readonly runs: number
}

/** The dialect's own fixtures, by name. */
export function fixturesOf(dialect: DialectId): readonly Sample[] {
  const folder = join(import.meta.dirname, dialect, 'fixtures')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isExpectation(file))
    .sort()
    .map((file) => ({
      path: file.slice(folder.length + 1).replaceAll('\\', '/'),
      text: readFileSync(file, 'utf8'),
    }))
}

/** What a fixture must give stands beside it. */
const isExpectation = (file: string): boolean =>
  file.endsWith('.expected.json') || (file.endsWith('.json') && existsSync(file.replace(/json$/, 'md')))

/** What every dialect promises, run for each of them. */
export function describeDialectLaws(id: DialectId, { samples, runs }: Laws): void {
  const dialect = dialectOf(id)
  const sample = fc.constantFrom(...samples)
  const broken = sample.chain(({ path, text }) =>
    mutated(fc.constant(text)).map((changed) => ({ path, text: changed })),
  )
  const check = <T>(arbitrary: fc.Arbitrary<T>, law: (input: T) => void, share = 1): void =>
    fc.assert(fc.property(arbitrary, law), { numRuns: Math.ceil(runs * share) })

  describe(`the laws of dialects: ${id}`, () => {
    it('answers any text without throwing, with a draft or an error', () => {
      const any = fc.record({
        path: fc.constantFrom(undefined, ...samples.map(({ path }) => path)),
        text: fc.oneof(fc.string({ unit: 'binary' }), fc.string()),
      })
      check(any, answers, 0.5)
      check(broken, answers)
    })

    it('reads again what it wrote, but for fields that it has a reason to lose', () => {
      check(anyDraft, (draft) => readsAgain(dialect, complete(dialect, draft)))
    })

    it('changes nothing on a second pass', () => {
      check(anyDraft, (draft) => {
        const first = printed(dialect, complete(dialect, draft))
        const read = draftIn(first, id)
        assert.equal(printed(dialect, complete(dialect, read)), first)
      })
    })

    it('rewrites a document that did not change into the same bytes', () => {
      check(broken, ({ path, text }) => {
        for (const document of readDocuments(text, { path })) {
          if (!document.draft) continue
          assert.equal(rewrite(document, document.draft), text)
          // Nor does a change that no dialect has a word for touch anything.
          if (!text.includes('x_baton'))
            assert.equal(rewrite(document, { ...document.draft, uid: 'u' }), text)
        }
      })
      check(anyDraft, (draft) => {
        const text = printed(dialect, complete(dialect, draft))
        for (const document of readDocuments(text, { path: `handoff${endingOf(id)}` }))
          if (document.draft) assert.equal(rewrite(document, document.draft), text)
      })
    })

    it('keeps every other line when one field changes', () => {
      for (const { path, text } of samples) changesOneField(text, path)
      check(broken, ({ path, text }) => changesOneField(text, path), 0.3)
    })

    it('adds an unknown key in one place, and removes it without a trace', () => {
      for (const each of samples) addsAndRemovesAKey(each)
    })

    it('goes from whatever was read to every dialect with the slot, and loses nothing', () => {
      check(broken, ({ path, text }) => carriesEverything(text, path), 0.2)
      for (const { path, text } of samples) carriesEverything(text, path)
    })

    for (const to of DIALECTS) {
      it(`goes to ${to} and back with the slot and loses nothing`, () => {
        check(anyDraft, (draft) => thereAndBack(dialect, dialectOf(to), draft), 0.3)
      })

      it(`says what is lost on the way to ${to} without the slot`, () => {
        check(anyDraft, (draft) => declaresLosses(complete(dialectOf(to), draft), to), 0.3)
      })
    }
  })
}

/** What readers must be given for any text: a value, or the reason why there is none. */
export function answers({ path, text }: { readonly path?: string | undefined; readonly text: string }): void {
  const documents = readDocuments(text, path === undefined ? {} : { path })
  assert.ok(documents.length > 0)
  const last = text.split('\n').length
  for (const { draft, dialect, form, diagnostics } of documents) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    assert.ok(draft || errors.length > 0 || (dialect && form), 'neither a draft, nor an error, nor a form')
    if (draft) assert.ok(Draft().safeParse(draft).success, JSON.stringify(draft))
    for (const { line, column, message } of diagnostics) {
      assert.ok(line >= 1 && line <= last, `${message} stands on line ${line} of ${last}`)
      assert.ok(column >= 1)
    }
  }
}

function readsAgain(dialect: Dialect, draft: Draft): void {
  const native = dialect.toNative(draft)
  assert.ok(native.ok)
  const read = draftIn(dialect.print(native), dialect.id)
  const reasonFor = reasonsOf(dialect, draft)
  const silent = fieldDifferences(draft, read).filter(
    ({ path, before }) => before !== undefined && reasonFor(path) === undefined,
  )
  assert.deepEqual(silent, [])
  // A block stands among other text.
  if (dialect.id === 'block') return
  const { draft: direct = {} } = readNative(dialect.id, native, `handoff${endingOf(dialect.id)}`)
  assert.deepEqual(plain(direct), plain(read))
}

/** One value each, in a form that every dialect takes. */
const NEW: Readonly<Partial<Draft>> = {
  priority: 'critical',
  title: 'Another title',
  from: 'another-sender',
  to: 'another-receiver',
  task: 'BPRD-2026-0099',
  project: 'another-project',
}

/** A body that repeats its front matter, or a status that depends on the receiver, takes a line or two more. */
const MOST_LINES = 4

/** After a change of one field, every line stays but those of the old value, and the rest reads as before. */
function changesOneField(text: string, path: string): void {
  for (const [index, document] of readDocuments(text, { path }).entries()) {
    const { draft } = document
    if (!draft) continue
    for (const field of keysOf(NEW)) {
      const old = own(draft, field)
      if (typeof old !== 'string' || old === own(NEW, field)) continue
      const after = rewrite(document, { ...draft, [field]: own(NEW, field) })
      if (after === text) continue
      const lines = replacedLines(text, after)
      assert.ok(lines < MOST_LINES + old.split('\n').length, `${field} of ${path} took ${lines} lines`)
      // Who took the work on is the receiver, where a dialect has no key of its own for it.
      const expected: Draft = { ...draft, [field]: own(NEW, field), accepted_by: undefined }
      const read = readDocuments(after, { path })[index]?.draft
      assert.deepEqual(plain({ ...read, accepted_by: undefined }), plain(expected))
    }
  }
}

/** A new key of a whole document goes into one place; its removal gives the old text back, byte for byte. */
export function addsAndRemovesAKey({ path, text }: Sample): void {
  for (const [index, source] of sourcesOf(text, { path }).entries()) {
    const isBroken = source.diagnostics.some(({ severity }) => severity === 'error')
    if (!isMapping(source.value) || isBroken || source.kind === 'fence') continue
    const after = source.edit([{ path: ['x_note'], value: { uid: 'u' } }])
    const added = sourcesOf(after, { path })[index]!
    assert.deepEqual(added.value, { ...source.value, x_note: { uid: 'u' } }, path)
    let same = 0
    while (same < text.length && text[same] === after[same]) same++
    assert.ok(after.endsWith(text.slice(same)) && after.length - text.length < 60, `${path}\n${after}`)
    assert.equal(added.edit([{ path: ['x_note'], value: undefined }]), text, path)
  }
}

/** How many lines of the old text are not in the new one. */
function replacedLines(before: string, after: string): number {
  const made = new Map<string, number>()
  for (const line of after.split('\n')) made.set(line, (made.get(line) ?? 0) + 1)
  return before.split('\n').filter((line) => {
    const left = made.get(line) ?? 0
    made.set(line, left - 1)
    return left <= 0
  }).length
}

/** All but keys that would reach a prototype, which no schema lets through. */
function carriesEverything(text: string, path: string): void {
  for (const { draft } of readDocuments(text, { path })) {
    if (!draft) continue
    for (const to of DIALECTS) {
      // Keys of another dialect do not stand in for what this one demands.
      const { extra: _foreign, ...own } = draft
      const there = convert(draft, to, { slot: true, supply: missingOf(dialectOf(to), own) })
      assert.ok(there.ok)
      const lost = there.losses.map(({ field }) => field)
      if (lost.includes('x_baton')) continue
      assert.deepEqual(
        lost.filter((field) => !field.includes('__proto__')),
        [],
        `${path} to ${to}`,
      )
    }
  }
}

function thereAndBack(home: Dialect, to: Dialect, any: Draft): void {
  const draft = draftIn(printed(home, complete(to, complete(home, any))), home.id)
  const there = convert(draft, to.id, { slot: true, supply: missingOf(to, draft) })
  assert.ok(there.ok)
  if (there.losses.some(({ field }) => field === 'x_baton')) return
  assert.deepEqual(there.losses, [])
  const read = draftIn(there.text, to.id)
  assert.deepEqual(plain(read), plain({ ...draft, ...missingOf(to, draft) }))
  const back = convert(read, home.id, { slot: true })
  assert.ok(back.ok)
  assert.deepEqual(plain(draftIn(back.text, home.id)), plain(read))
}

function declaresLosses(draft: Draft, to: DialectId): void {
  const there = convert(draft, to)
  assert.ok(there.ok)
  const read = draftIn(there.text, to)
  const lost = new Set(there.losses.map(({ field }) => field))
  for (const field of keysOf(draft)) {
    const value = own(draft, field)
    const below = isMapping(value) ? keysOf(value).map((key) => [field, key]) : [[field]]
    for (const path of below) {
      const isKept = sameData(valueAt(draft, path), valueAt(read, path))
      const isSaid = lost.has(path.join('.')) || lost.has(field)
      assert.equal(isKept, !isSaid, `${path.join('.')} of ${JSON.stringify(draft)}`)
    }
  }
  for (const { reason } of there.losses) assert.match(reason, /\S/)
}

function printed(dialect: Dialect, draft: Draft): string {
  const native = dialect.toNative(draft)
  assert.ok(native.ok)
  return dialect.print(native)
}

function draftIn(text: string, id: DialectId): Draft {
  const path = `handoff${endingOf(id)}`
  const found = readDocuments(text, { path }).find(({ dialect }) => dialect === id)
  assert.ok(found?.draft, `no ${id} in:\n${text}`)
  return found.draft
}

/** Without keys that have no value and in one order, to be compared. */
const plain = (draft: Draft): unknown => JSON.parse(JSON.stringify(draft))
