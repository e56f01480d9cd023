import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { Steps } from '../proof/steps.tsx'

/** What the server found when it verified itself, level by level. */
export function ServerVerdict({ report }: { readonly report: OperationOutput<'audit_verify_chain'> }) {
  const { session, entries, streams, levels, unchained = [] } = report
  return (
    <>
      <p>
        Session <b>{session}</b>: {entries} entries in {streams} {streams === 1 ? 'stream' : 'streams'}, as
        the server sees it.
      </p>
      <Steps
        where="by the server"
        steps={levels.map(({ level, holds, says, does_not_prove }) => ({
          title: level,
          ok: holds,
          says,
          doesNotProve: does_not_prove,
        }))}
      />
      {unchained.length > 0 && (
        <p className="failed wrap">
          Records that were put into the store past the log: {unchained.join(', ')}
        </p>
      )}
    </>
  )
}
