import { useState } from 'react'
import { Link } from 'wouter'
import { stateWords } from '../../../../src/domain/handoffs/step-words.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Scroll } from '../../ui/scroll.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Actions } from '../handoff/actions.tsx'
import { ProgramOutput } from './program-output.tsx'

type Program = OperationOutput<'handoff_running'>['items'][number]

/** A program begins some moments after its work was taken, and no event tells of its end. */
const AGAIN_MS = 3_000
const IDLE_MS = 10_000

/**
 * The programs that run now, each with its output and the steps that stop it. One that was opened here stays when it has
 * ended, so that it can be started again.
 */
export function RunningPrograms() {
  const againMs = (answer?: OperationOutput<'handoff_running'>) =>
    (answer?.items.length ?? 0) > 0 ? AGAIN_MS : IDLE_MS
  const { data, error, refetch } = useOperation('handoff_running', {}, { againMs })
  const [open, setOpen] = useState<Program>()
  if (!data) return error ? <Failed error={error} again={refetch} /> : null
  const { items } = data
  const isGone = open !== undefined && !items.some(({ uid }) => uid === open.uid)
  const rows = isGone ? [...items, open] : items
  if (rows.length === 0) return null
  return (
    <section className="card" aria-label="Running programs">
      <h2>Running programs</h2>
      <Scroll label="Running programs as a table">
        <table>
          <thead>
            <tr>
              {['Agent', 'Handoff', 'Since', ''].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((program) => {
              const isOpen = program.uid === open?.uid
              return (
                <tr key={`${program.uid} ${program.attempt}`}>
                  <td>{program.to}</td>
                  <td className="wrap">
                    <Link href={`/handoffs/${encodeURIComponent(program.id)}`}>{program.id}</Link>{' '}
                    <span dir="auto">{program.title}</span>
                  </td>
                  <td>{isGone && isOpen ? 'ended' : <Time at={program.since} />}</td>
                  <td>
                    <button
                      type="button"
                      aria-expanded={isOpen}
                      onClick={() => setOpen(isOpen ? undefined : program)}
                    >
                      {isOpen ? 'Close' : 'Open'} <span className="unseen">{program.id}</span>
                    </button>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
      {open && <OpenProgram key={open.id} id={open.id} />}
    </section>
  )
}

/** Cancel ends the whole group of processes; what is permitted then starts it again. */
function OpenProgram({ id }: { readonly id: string }) {
  const full = useOperation('handoff_get', { id })
  if (!full.data)
    return full.error ? <Failed error={full.error} again={full.refetch} /> : <Loading what={id} />
  const { handoff } = full.data
  return (
    <div className="stack">
      <p>
        <StateBadge state={handoff.state} />{' '}
        <span className="soft">
          {handoff.id} {stateWords(handoff.state)}
        </span>
      </p>
      <Actions full={full.data} />
      <ProgramOutput full={full.data} />
    </div>
  )
}
