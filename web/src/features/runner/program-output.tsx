import { useState } from 'react'
import { isHeld } from '../../../../src/domain/lifecycle.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ProgramLog } from './program-log.tsx'

type Full = OperationOutput<'handoff_get'>
type StoredFile = NonNullable<Full['files']>[number]

/** No event tells that output grew. */
const AGAIN_MS = 1_500
/** A program shows its first output some moments after its work was taken; later than this there is none. */
const BEGINS_MS = 10_000
/** The name under which a runner keeps the output of an attempt. */
const KEPT = /(?:^|\/)run-\d+-\d+\.log$/
const SHOWN_LENGTH = 65_536

/** The output of the program that works on a handoff, while it runs; afterwards the file that was kept of it. */
export function ProgramOutput({ full }: { readonly full: Full }) {
  const { handoff, files = [] } = full
  const [seen, see] = useState(false)
  const isBeginning = () =>
    isHeld(handoff.state) &&
    handoff.state !== 'in_review' &&
    Date.now() - Date.parse(handoff.updated_at) < BEGINS_MS
  const { data, error } = useOperation(
    'handoff_running',
    { id: handoff.id },
    {
      // A person decides; no program runs for that.
      enabled: handoff.type !== 'gate' && handoff.type !== 'escalation',
      // A program may go on after its work was handed in. Agents without one are not asked for again.
      againMs: (answer) => (isBeginning() || (answer?.items.length ?? 0) > 0 ? AGAIN_MS : false),
    },
  )
  const running = data?.items.at(-1)
  if (running && !seen) see(true)
  const kept = files.findLast(({ path, stored }) => stored && KEPT.test(path))
  if (!running && !kept) return error && seen ? <Failed error={error} /> : null
  return (
    <section className="card" aria-label="Program output">
      <h2>Program output</h2>
      {running ? (
        <>
          <p className="soft">
            <span className="badge good">running</span> {running.to} works on attempt {running.attempt}, begun{' '}
            <Time at={running.since} />
          </p>
          {running.log === undefined ? (
            <p className="soft">Your session may not read artifacts, so the output is not shown.</p>
          ) : (
            <ProgramLog text={running.log} label={`Output of ${running.to} so far`} />
          )}
        </>
      ) : (
        kept && <Kept key={kept.uid} file={kept} isOpen={seen} />
      )}
    </section>
  )
}

/** The kept output, read when somebody wants it, or has seen it grow. */
function Kept({ file, isOpen }: { readonly file: StoredFile; readonly isOpen: boolean }) {
  const [isShown, show] = useState(isOpen)
  const got = useOperation('artifact_get', { uid: file.uid }, { enabled: isShown })
  const bytes = Uint8Array.from(atob(got.data?.content ?? ''), (letter) => letter.charCodeAt(0))
  const text = new TextDecoder().decode(bytes)
  return (
    <>
      <div className="row">
        <span className="grow wrap soft">
          <span className="badge">ended</span> {file.by} <Time at={file.created_at} />, kept as{' '}
          <code>{file.path}</code>
          {text.length > SHOWN_LENGTH && `; its last ${SHOWN_LENGTH.toLocaleString('en')} characters`}
        </span>
        <button type="button" aria-expanded={isShown} onClick={() => show(!isShown)}>
          {isShown ? 'Hide output' : 'Show output'}
        </button>
      </div>
      {isShown && got.error && !got.data && <Failed error={got.error} again={got.refetch} />}
      {isShown && got.isPending && <Loading what="the output" />}
      {isShown && got.data && (
        <ProgramLog text={text.slice(-SHOWN_LENGTH)} label={`Whole output of ${file.by}`} />
      )}
    </>
  )
}
