import { useOperation } from '../api/queries.ts'
import { Head } from '../features/audit/head.tsx'
import { LogTable } from '../features/audit/log-table.tsx'
import { Sessions } from '../features/audit/sessions.tsx'
import { useVerifying } from '../features/audit/use-verifying.ts'
import { ServerVerdict } from '../features/audit/verdict.tsx'
import { Failed, Loading } from '../ui/states.tsx'

/** The log that nobody can quietly edit: its head, its sessions, its entries, and how to check it without us. */
export function Audit() {
  const status = useOperation('report_status', {})
  const verifying = useVerifying()
  return (
    <div className="stack">
      <div className="row">
        <h1 className="grow">Audit</h1>
        <button
          type="button"
          className="main"
          disabled={verifying.isPending}
          onClick={() => verifying.mutate(undefined)}
        >
          Verify now
        </button>
      </div>
      {(verifying.isPending || verifying.data || verifying.error) && (
        <section className="card" aria-label="Verdict" aria-live="polite">
          <h2>Verdict</h2>
          {verifying.isPending && <Loading what="the verdict" />}
          {verifying.error && <Failed error={verifying.error} />}
          {verifying.data && <ServerVerdict report={verifying.data} />}
        </section>
      )}
      <div className="two">
        <Head />
        <div className="stack">
          <section className="card" aria-label="Audit sessions">
            <h2>Audit sessions</h2>
            <Sessions verify={(session) => verifying.mutate(session)} />
          </section>
          <section className="card" aria-label="Without this server">
            <h2>Without this server</h2>
            <p className="soft">
              Export the log and check it anywhere, offline, also with a program that is not ours:
            </p>
            <pre>
              <code>
                {
                  'baton audit export --out log/\nbaton audit verify log/\npython3 examples/verify-python/verify.py log/'
                }
              </code>
            </pre>
            <p className="soft">
              Or open <code>baton-verify.html</code> of the package in a browser and drop the folder on it.
            </p>
          </section>
        </div>
      </div>
      <section className="card" aria-label="Log">
        <h2>Log</h2>
        {status.isPending && <Loading what="the log" />}
        {status.error && !status.data && <Failed error={status.error} again={status.refetch} />}
        {status.data && <LogTable entries={status.data.entries} />}
      </section>
    </div>
  )
}
