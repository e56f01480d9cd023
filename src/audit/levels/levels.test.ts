import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Entry,
  exported,
  type Files,
  keyOf,
  LogWriter,
  leavesOf,
  logOf,
  memoryFiles,
  noteOf,
  ORIGIN,
  VKEY,
} from '../../../test/support/log/export-log.ts'
import { storyOf } from '../../../test/support/log/export-story.ts'
import { NODE_PLATFORM, platformSha256 } from '../../archive/audit-platform.ts'
import { printCheckpoint } from '../checkpoint.ts'
import { newVerifier, printNote, readNote, toVkey } from '../note.ts'
import { byteLines, isTileOf } from './files.ts'
import {
  exitOf,
  type Level,
  printVerification,
  readPolicy,
  readRemembered,
  type VerifyOptions,
  verifyExport,
} from './index.ts'

const STORY = storyOf(7, 300)
const leaves = leavesOf(STORY)

const verified = (files: Files, options: VerifyOptions = {}) =>
  verifyExport(memoryFiles(files), NODE_PLATFORM, options)

async function levelOf(level: Level, entries: readonly Entry[], options: VerifyOptions = {}) {
  const { levels } = await verified(await exported(logOf(entries)), options)
  return levels.find((each) => each.level === level)!
}

describe('verifying an export', () => {
  it('[S3-33] tells for each level what it found, how much, and what it does not prove', async () => {
    const found = await verified(await exported(logOf(STORY)))

    assert.equal(found.verdict, 'ok')
    assert.equal(exitOf(found), 0)
    assert.deepEqual(
      found.levels.map(({ level, verdict }) => `${level} ${verdict}`),
      ['L0 ok', 'L1 ok', 'L2 not_asked', 'L3 not_asked', 'L4 nothing', 'L5 ok', 'L6 ok'],
    )
    assert.deepEqual(found.levels[0]?.counts.entries, STORY.length)
    assert.equal(found.levels[1]?.counts.checkpoints, Math.ceil(STORY.length / 100))
    assert.ok(found.levels.every(({ does_not_prove }) => does_not_prove.length > 40))
  })

  it('[S3-39] gives the root that the entries have on every machine', async () => {
    const [found, again] = [
      await verified(await exported(logOf(STORY))),
      await verified(await exported(logOf(STORY, 7))),
    ]

    assert.equal(found.root, again.root)
    assert.equal(found.root, 'vy8oMUXoJlKKri8CGfrWScFyABciUtMtPYqVecOE93U=')
  })

  it('says of what is not an export that it cannot be verified', async () => {
    const files = await exported(logOf(STORY))
    const without = (name: string) => new Map([...files].filter(([each]) => each !== name))

    for (const [changed, reason] of [
      [new Map(), /not an export/],
      [without('checkpoint'), /not an export/],
      [without('vkey'), /no key/],
      [new Map(files).set('checkpoint', Buffer.from('hello\n')), /not a checkpoint/],
    ] as const) {
      const found = await verified(changed)
      assert.equal(exitOf(found), 2)
      assert.match(found.levels[1]!.summary, reason)
    }
  })

  it('verifies an empty log', async () => {
    const note = noteOf([])
    const found = await verified(
      new Map(
        Object.entries({
          vkey: `${VKEY}\n`,
          checkpoint: note,
          'checkpoints.jsonl': `${JSON.stringify({ note, size: 0 })}\n`,
          'disclosures.jsonl': '',
        }).map(([name, text]) => [name, Buffer.from(text)]),
      ),
    )

    assert.equal(found.verdict, 'ok')
    assert.equal(found.root, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
  })

  it('does not believe a key that came with the export over one that was given', async () => {
    const thief = keyOf(66)
    const vkey = toVkey(newVerifier(platformSha256, ORIGIN, thief.bytes))
    const files = await exported(logOf(STORY, 100, vkey, thief))

    assert.equal((await verified(files)).verdict, 'ok')
    assert.equal((await verified(files, { vkey: VKEY })).levels[1]?.verdict, 'failed')
  })

  it('ends at once where a checkpoint claims more entries than anybody can have', async () => {
    const files = await exported(logOf(STORY))
    const text = printCheckpoint({ origin: ORIGIN, size: Number.MAX_SAFE_INTEGER, root: leaves[0]! })
    files.set('checkpoint', Buffer.from(`${text}\n— ${ORIGIN} ${Buffer.alloc(68).toString('base64')}\n`))

    assert.equal((await verified(files)).verdict, 'tampered')
  })

  it('shows nothing of an export that a terminal would obey', async () => {
    const files = await exported(logOf(STORY))
    const evil = `evil\u001b[2J\u202e${ORIGIN}`
    files.set(
      'checkpoint',
      Buffer.from(Buffer.from(files.get('checkpoint')!).toString().replaceAll(ORIGIN, '\u202eevil')),
    )

    const text = printVerification(
      await verified(files.set(`tile/${evil}`, Buffer.alloc(1)).set(evil, Buffer.alloc(1))),
    )

    assert.doesNotMatch(text, /[^\n\x20-\x7e✓✗–?’…]/)
  })

  it('reads lines that come in pieces, and none without an end or longer than memory allows', async () => {
    const linesIn = async (chunks: readonly string[]) => {
      const found: (string | undefined)[] = []
      const pieces = (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk)
      })()
      for await (const lines of byteLines(pieces))
        found.push(...lines.map((line) => line && Buffer.from(line).toString()))
      return found
    }

    assert.deepEqual(await linesIn(['a\nb', 'c', '\n', '\nd\n']), ['a', 'bc', '', 'd'])
    assert.deepEqual(await linesIn(['a\nb']), ['a', undefined])
    assert.deepEqual(await linesIn([]), [])
    const endless = Array.from({ length: 40 }, () => 'x'.repeat(1 << 19))
    assert.deepEqual(await linesIn([...endless, '\nafter\n']), [undefined])
  })

  it('knows which tiles a log of a size has', () => {
    for (const [name, size, is] of [
      ['tile/0/000.p/5', 5, true],
      ['tile/entries/000.p/5', 5, true],
      ['tile/0/000.p/4', 5, false],
      ['tile/0/000', 256, true],
      ['tile/1/000.p/1', 256, true],
      ['tile/1/000.p/1', 255, false],
      ['tile/0/x001/000', 256 * 1001, true],
      ['tile/0/1000', 256 * 1001, false],
      ['tile/0/000.p/256', 256, false],
      ['tile/2/000.p/1', 65_536, true],
    ] as const)
      assert.equal(isTileOf(name, size), is, `${name} of ${size}`)
  })
})

describe('what is remembered', () => {
  it('[S3-40] is the beginning of the log, signed or as three lines', async () => {
    for (const size of [1, 100, 255, 256, 257, STORY.length]) {
      const note = noteOf(leaves.slice(0, size))
      for (const text of [note, readNote(note)!.text])
        assert.equal(
          (await levelOf('L2', STORY, { seen: readRemembered(text)! })).verdict,
          'ok',
          String(size),
        )
    }
  })

  it('is refused when it is of another log, another key or another history', async () => {
    const other = leaves.map((leaf) => platformSha256(leaf))
    const text = readNote(noteOf(leaves.slice(0, 9)))!.text
    for (const [seen, reason] of [
      [text.replace(ORIGIN, 'other.example/log'), /it is of other/],
      [noteOf(leaves.slice(0, 9), keyOf(66)), /not signed/],
      [noteOf(other.slice(0, 9)), /another history/],
      [noteOf([...leaves, ...other]), /rolled back/],
    ] as const) {
      const { verdict, summary } = await levelOf('L2', STORY, { seen: readRemembered(seen)! })
      assert.equal(verdict, 'failed')
      assert.match(summary, reason)
    }
  })

  it('proves nothing when it is the empty log', async () => {
    assert.equal((await levelOf('L2', STORY, { seen: readRemembered(noteOf([]))! })).verdict, 'nothing')
    assert.equal(readRemembered('hello'), undefined)
  })
})

describe('witnesses', () => {
  const witness = (seed: number) => {
    const { bytes, sign } = keyOf(seed)
    const name = `witness.example/${seed}`
    const id = platformSha256(Buffer.from(`${name}\n`), Uint8Array.of(4), bytes).subarray(0, 4)
    const vkey = toVkey({ name, id, algorithm: 4, key: bytes })
    return { name, id, vkey, sign }
  }
  const [a, b, c] = [witness(11), witness(12), witness(13)]
  const policy = (needed: string) =>
    readPolicy(
      platformSha256,
      `witness A ${a.vkey}\nwitness B ${b.vkey} # a comment\nwitness C ${c.vkey}\ngroup G ${needed} A B C\nquorum G\n`,
    )

  async function cosigned(signers: readonly (typeof a)[], needed: string) {
    const log = logOf(STORY)
    const { text, signatures } = readNote(log.newest.note)!
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(1_790_000_000n)
    const more = signers.map(({ name, id, sign }) => ({
      name,
      id,
      bytes: Buffer.concat([time, sign(Buffer.from(`cosignature/v1\ntime 1790000000\n${text}`))]),
    }))
    const note = printNote({ text, signatures: [...signatures, ...more] })
    const files = await exported({
      ...log,
      newest: { ...log.newest, note },
      async *checkpoints() {
        yield { ...log.newest, note }
      },
    })
    const read = policy(needed)
    assert.ok(!('wrong' in read))
    return (await verified(files, { policy: read })).levels[3]!
  }

  it('must be as many as the policy says', async () => {
    assert.equal((await cosigned([a, b], '2')).verdict, 'ok')
    assert.equal((await cosigned([a], 'any')).verdict, 'ok')
    assert.equal((await cosigned([a, b, c], 'all')).verdict, 'ok')
    assert.equal((await cosigned([a, a], '2')).verdict, 'failed')
    assert.equal((await cosigned([a], '2')).verdict, 'failed')
    assert.equal((await cosigned([{ ...a, sign: c.sign }, b], '2')).verdict, 'failed')
  })

  it('are not taken from a policy that cannot be read', () => {
    for (const text of [
      '',
      'quorum X',
      `witness A ${VKEY}`,
      `witness A ${a.vkey}\ngroup G 2 A\nquorum G`,
      'nonsense',
    ])
      assert.ok('wrong' in readPolicy(platformSha256, text), text)
    assert.ok(!('wrong' in readPolicy(platformSha256, 'quorum none\n')))
  })
})

describe('an entry in a place where it cannot stand', () => {
  it('[S3-33] is named with its place in the log and in its stream', async () => {
    const log = new LogWriter()
    const sub = { id: 'P1', k: 'task', rev: 1 } as const
    log.add('s1', { act: 'task.create', sub, to: 'todo' })
    log.add('s1', { act: 'task.start', sub: { ...sub, rev: 2 }, to: 'in_progress' })
    log.entries.push(log.entries[1]!)

    const { verdict, first_bad } = await levelOf('L0', log.entries)

    assert.equal(verdict, 'failed')
    assert.deepEqual(first_bad, {
      where: 'entry 2 (number 1 of stream s1)',
      reason: 'it says that it is number 1, and 2 is next',
      entry: 2,
    })
  })
})
