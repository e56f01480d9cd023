import { useMemo } from 'react'
import { useOperation } from '../../api/queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Steps } from '../proof/steps.tsx'
import { useVerdict } from '../proof/use-verdict.ts'

const MOST = 200
/** Signing the log comes a moment after writing to it. */
const SIGNED_SOON_MS = 2_000

/** What the log says about a handoff, checked here and not where it comes from. */
export function Proof(props: {
  readonly id: string
  readonly timeline: readonly { readonly hash: string }[]
}) {
  const { id, timeline } = props
  const proof = useOperation('audit_proof', { id, limit: MOST }, { againMs: waitsForSignature })
  const shown = useMemo(() => timeline.map(({ hash }) => hash), [timeline])
  const steps = useVerdict(proof.data, shown)
  return (
    <section className="card proof" aria-label="Proof">
      <h2>Proof</h2>
      {proof.isPending && <Loading what="the proof" />}
      {proof.error && !proof.data && <Failed error={proof.error} again={proof.refetch} />}
      {proof.data && !steps && <Loading what="the verdict" />}
      {proof.data && steps && (
        <Steps steps={steps}>
          <p className="soft">
            Checked by this browser with its own code; the server’s word is not taken for it. To check it
            elsewhere: <code>baton audit proof {id} --json</code>
          </p>
          <h3>The signed head of the log, and its key</h3>
          <pre>{proof.data.checkpoint}</pre>
          <pre>{proof.data.vkey}</pre>
        </Steps>
      )}
    </section>
  )
}

const waitsForSignature = (data: { readonly pending: number } | undefined): number | false =>
  data && data.pending > 0 ? SIGNED_SOON_MS : false
