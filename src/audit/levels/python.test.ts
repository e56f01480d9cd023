import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { folders } from '../../../test/support/documents/folders.ts'
import { exported, logOf, randomOf } from '../../../test/support/log/export-log.ts'
import { storyOf } from '../../../test/support/log/export-story.ts'
import { mutated } from '../../../test/support/log/mutations.ts'
import { python, said, saidInPython, writeFiles } from '../../../test/support/log/python-verifier.ts'
import { NODE_PLATFORM } from '../../archive/audit-platform.ts'
import { canonicalJson } from '../canonical-json.ts'

/** A key, a message and a signature in hexadecimal digits. */
interface Signed {
  readonly name: string
  readonly key: string
  readonly msg: string
  readonly sig: string
}

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8'))
const { wycheproof, cctv } = fixture('ed25519') as {
  readonly wycheproof: readonly (Signed & { readonly result: string })[]
  readonly cctv: readonly Signed[]
}

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

  it('verifies the signatures of Wycheproof as published, and so does Node', () => {
    const published = wycheproof.map(({ name, result }) => [name, result === 'valid' ? 'True' : 'False'])

    assert.equal(wycheproof.length, 86)
    assert.deepEqual(verifiedInPython(wycheproof), published)
    assert.deepEqual(verifiedInNode(wycheproof), published)
  })

  it('judges the odd keys and points of CCTV as Node does', () => {
    const ours = verifiedInNode(cctv)

    assert.equal(cctv.length, 128)
    assert.deepEqual(verifiedInPython(cctv), ours)
    assert.deepEqual(new Set(ours.map(([, answer]) => answer)), new Set(['True', 'False']))
  })

  it('and the first write the canonical JSON of RFC 8785', () => {
    const { cases } = fixture('jcs') as { cases: readonly { input: string; outhex: string }[] }
    const values = cases.map(({ input }) => JSON.parse(input) as unknown)
    const expected = cases.map(({ outhex }) => outhex)

    assert.equal(cases.length, 6)
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

function verifiedInNode(all: readonly Signed[]) {
  return all.map(({ name, ...hex }) => {
    const [key, msg, sig] = [hex.key, hex.msg, hex.sig].map((digits) => Buffer.from(digits, 'hex'))
    return [name, NODE_PLATFORM.isSigned(key!, msg!, sig!) ? 'True' : 'False']
  })
}

function verifiedInPython(all: readonly Signed[]) {
  const lines = all.map(({ key, msg, sig }) => `${key} ${msg} ${sig}\n`)
  const answers = python(['-c', VERIFY_LINES], lines.join('')).trim().split('\n')
  return all.map(({ name }, i) => [name, answers[i]])
}
