import assert from 'node:assert/strict'
import { verify as verifySignature } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type Given, type Step, verify } from '../../web/src/features/proof/verify.ts'
import { arrive, type Dashboard, intercept, openDashboard, until } from './dashboard.ts'

/** Ed25519 of Node in the place of a browser's: SPKI is twelve fixed bytes and the key. */
const isSigned = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
  verifySignature(
    null,
    message,
    {
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]),
      format: 'der',
      type: 'spki',
    },
    signature,
  )

const ok = (steps: readonly Step[]): readonly (boolean | undefined)[] => steps.map((step) => step.ok)
const flip = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

let dashboard: Dashboard
let given: Given
let other: Given
let shown: readonly string[]
let id: string

before(async () => {
  dashboard = await openDashboard()
  const [planner, codex] = [await dashboard.as('planner'), await dashboard.as('codex')]
  const send = async (title: string) => (await planner.handoff_send({ to: 'codex', title })).handoff.id
  id = await send('Add limits')
  await codex.handoff_accept({ id })
  await codex.handoff_submit({ id, note: 'done' })
  const second = await send('Another')
  given = await until('a signed log', async () => {
    const proof = await planner.audit_proof({ id }).catch(() => undefined)
    return proof?.pending === 0 && proof.entries.length === 3 && proof
  })
  other = await planner.audit_proof({ id: second })
  shown = (await planner.handoff_get({ id })).timeline.map(({ hash }) => hash)
})
after(() => dashboard.close())

describe('a proof that the browser checks', () => {
  it('holds as the server gives it, and again for a browser that has seen the log before', async () => {
    const { vkey, size, root } = given

    assert.deepEqual(ok(await verify({ given, shown }, isSigned)), [true, true, true, true, true])
    assert.deepEqual(ok(await verify({ given, shown, remembered: { vkey, size, root } }, isSigned)), [
      true,
      true,
      true,
      true,
      true,
    ])
  })

  it('does not hold when one letter of an entry, a proof, the checkpoint or the key is another', async () => {
    const [first, ...rest] = given.entries
    assert.ok(first)
    const changed: Readonly<Record<string, Given>> = {
      entry: { ...given, entries: [{ ...first, entry: flip(first.entry, first.entry.length - 5) }, ...rest] },
      proof: { ...given, entries: [{ ...first, proof: flip(first.proof, 40) }, ...rest] },
      index: { ...given, entries: [{ ...first, index: first.index + 1 }, ...rest] },
      act: { ...given, entries: [{ ...first, act: 'handoff.verify_pass' }, ...rest] },
      checkpoint: { ...given, checkpoint: flip(given.checkpoint, given.checkpoint.length - 20) },
      size: { ...given, size: given.size + 1 },
      key: { ...given, vkey: flip(given.vkey, given.vkey.length - 10) },
      // Genuine, and of something else.
      entries: { ...given, entries: other.entries },
    }

    for (const [what, forged] of Object.entries(changed))
      assert.ok(ok(await verify({ given: forged, shown }, isSigned)).includes(false), what)
  })

  it('does not hold when the page shows a step that the log does not have', async () => {
    const steps = await verify({ given, shown: [...shown, flip(shown[0] ?? '', 3)] }, isSigned)

    assert.deepEqual(ok(steps), [true, true, true, true, false])
    assert.match(steps.at(-1)?.says ?? '', /1 of 4 steps are in no entry/)
  })

  it('does not hold when the browser remembers another key, a longer log, or another of this length', async () => {
    const { vkey, size, root } = given
    const cases = [
      { vkey: other.vkey.replace(/.{10}$/, 'AAAAAAAAAA'), size, root },
      { vkey, size: size + 1, root },
      { vkey, size, root: flip(root, 4) },
    ]

    for (const remembered of cases)
      assert.ok(ok(await verify({ given, shown, remembered }, isSigned)).includes(false))
  })

  it('is neither good nor bad where a signature cannot be checked', async () => {
    const unable = () => {
      throw new Error('no Ed25519 here')
    }

    assert.deepEqual(ok(await verify({ given, shown }, unable)), [true, undefined])
  })

  it('shows on the page of the handoff when the server has changed an entry', async () => {
    const { page, faults } = await dashboard.open('/')
    await intercept(page, '**/v1/audit/proofs/**', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as Given
      const entries = body.entries.map((entry, i) =>
        i === 1 ? { ...entry, entry: flip(entry.entry, 90) } : entry,
      )
      await route.fulfill({ response: answer, json: { ...body, entries } })
    })

    await arrive(dashboard, page, `/handoffs/${id}`)
    const proof = page.getByRole('region', { name: 'Proof', exact: true })
    await proof.getByText('The proof does not hold').waitFor()

    assert.ok((await proof.getByRole('img', { name: 'does not hold' }).count()) > 0)
    assert.equal(await page.getByText('Verified in this browser').count(), 0)
    assert.deepEqual(faults, [])
  })
})
