import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sharedFile, sharedFiles } from '../../../test/data.ts'
import { exported, logOf, randomOf } from '../../../test/export-log.ts'
import { storyOf } from '../../../test/export-story.ts'
import { folders } from '../../../test/folders.ts'
import { mutated } from '../../../test/mutations.ts'
import { python, said, saidInPython, writeFiles } from '../../../test/python-verifier.ts'
import { NODE_PLATFORM } from '../../audit-platform.ts'
import { canonicalJson } from '../canonical-json.ts'

interface Group {
  readonly publicKey: { readonly pk: string }
  readonly tests: readonly {
    readonly tcId: number
    readonly msg: string
    readonly sig: string
    readonly result: string
  }[]
}

const SIGNATURES = sharedFile('data/ed25519-vectors/wycheproof_ed25519_test.json')
const ODD = sharedFile('data/ed25519-vectors/cctv_ed25519vectors.json')
const JCS = 'data/jcs-vectors/testdata/'

const VERIFY_LINES = `
import ed25519, sys
for line in sys.stdin:
    key, message, signature = (bytes.fromhex(part) for part in line.rstrip("\\n").split(" "))
    print(ed25519.verify(key, message, signature))
`
const CANONICAL_LINES = `
import canonical, sys
for line in sys.stdin:
    print(canonical.write(canonical.parse(line)).encode().hex())
`

describe('the second implementation, in Python', () => {
  it('[S3-39] [S3-38] says the same of logs, as they were written and changed', async (t) => {
    const { home } = folders(t)
    const logs = await Promise.all(
      [1, 2, 3].map((seed) => exported(logOf(storyOf(seed, 30 + seed * 60), 50))),
    )
    const changed = Array.from(
      { length: 30 },
      (_, seed) => mutated(logs[seed % 3]!, randomOf(seed + 1))?.files ?? logs[0]!,
    )
    const all = [...logs, ...changed]

    const theirs = saidInPython(all.map((files, i) => writeFiles(files, join(home, String(i)))))

    assert.deepEqual(theirs, await Promise.all(all.map(said)))
    assert.ok(theirs.slice(0, 3).every(({ L0, L1, L5 }) => L0 === 'ok' && L1 === 'ok' && L5 === 'ok'))
  })

  it('verifies the signatures of Wycheproof as Node does', {
    skip: !SIGNATURES && 'the vectors are not here',
  }, () => {
    const { testGroups } = JSON.parse(SIGNATURES!) as { testGroups: readonly Group[] }
    const cases = testGroups.flatMap(({ publicKey, tests }) =>
      tests.map((each) => ({ ...each, key: publicKey.pk })),
    )

    const theirs = python(
      ['-c', VERIFY_LINES],
      cases.map(({ key, msg, sig }) => `${key} ${msg} ${sig}\n`).join(''),
    )

    assert.equal(cases.length, 151)
    assert.deepEqual(
      theirs.trim().split('\n'),
      cases.map(({ result }) => (result === 'valid' ? 'True' : 'False')),
    )
    for (const { tcId, key, msg, sig, result } of cases) {
      const bytes = (hex: string) => Buffer.from(hex, 'hex')
      assert.equal(
        NODE_PLATFORM.isSigned(bytes(key), bytes(msg), bytes(sig)),
        result === 'valid',
        `case ${tcId}`,
      )
    }
  })

  it('judges the odd keys and points of CCTV as Node does', {
    skip: !ODD && 'the vectors are not here',
  }, () => {
    const cases = JSON.parse(ODD!) as readonly { key: string; sig: string; msg: string }[]
    // Each a few milliseconds in Python: every fifth is enough for the gate.
    const some = cases
      .filter((_, i) => i % 5 === 0)
      .map(({ key, sig, msg }) => [key, Buffer.from(msg).toString('hex'), sig])

    const theirs = python(['-c', VERIFY_LINES], some.map((parts) => `${parts.join(' ')}\n`).join(''))

    const ours = some.map((parts) => {
      const [key, msg, sig] = parts.map((hex) => Buffer.from(hex, 'hex'))
      return NODE_PLATFORM.isSigned(key!, msg!, sig!) ? 'True' : 'False'
    })
    assert.equal(cases.length, 914)
    assert.deepEqual(theirs.trim().split('\n'), ours)
    assert.ok(ours.includes('True') && ours.includes('False'))
  })

  const inputs = sharedFiles(`${JCS}input`)
  it('and the first write the canonical JSON of RFC 8785', {
    skip: inputs.length === 0 && 'the vectors are not here',
  }, () => {
    const names = inputs.map((file) => file.slice(`${JCS}input/`.length))
    const values = names.map((name) => JSON.parse(sharedFile(`${JCS}input/${name}`)!) as unknown)
    const expected = names.map((name) => Buffer.from(sharedFile(`${JCS}output/${name}`)!).toString('hex'))

    assert.equal(names.length, 6)
    assert.deepEqual(
      values.map((value) => Buffer.from(canonicalJson(value)).toString('hex')),
      expected,
    )
    const theirs = python(
      ['-c', CANONICAL_LINES],
      values.map((value) => `${JSON.stringify(value)}\n`).join(''),
    )
    assert.deepEqual(theirs.trim().split('\n'), expected)
  })
})
