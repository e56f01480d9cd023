import { useEffect, useMemo, useState } from 'react'
import { Link } from 'wouter'
import type { Handoff } from '../../../src/domain/handoffs/handoff.ts'
import type { OperationOutput } from '../../../src/runner/operation-types.ts'
import { useOperation } from '../api/queries.ts'
import type { Me } from '../api/session.ts'
import { Decision } from '../features/gate/decision.tsx'
import { AboutWork, useIsWorkThere } from '../features/handoff/about-work.tsx'
import { Answer } from '../features/handoff/answer.tsx'
import { HandoffTile } from '../features/handoff/handoff-tile.tsx'
import { settledBy } from '../features/handoff/meanwhile.tsx'
import { Deliverables, PackageView, Points, ResultView } from '../features/handoff/package-view.tsx'
import { Thread } from '../features/handoff/thread.tsx'
import { addressOf } from '../features/list/use-list-address.ts'
import { Notices } from '../features/notice/notices.tsx'
import { useShortcuts } from '../ui/input/shortcuts.ts'
import { type Keeping, useKept } from '../ui/input/use-kept.ts'
import { Prose } from '../ui/prose.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'

/** The inbox of a person: choices first, then questions, then work and news. */
export function Inbox({ me }: { readonly me: Me }) {
  const inbox = useOperation('handoff_inbox', { limit: 100 })
  const items = inbox.data?.items ?? NONE
  const [most, showAll] = useState(FIRST)
  const asked = useMemo(() => items.filter(isQuestion), [items])
  const { shown, keeping } = useKept(useMemo(() => asked.slice(0, most), [asked, most]))
  const choices = shown.filter(({ need }) => need !== 'clarification')
  const questions = shown.filter(({ need }) => need === 'clarification')
  const stops = [...choices, ...questions]
  const { current, activate } = useCurrent(stops)
  useStepping(stops, current, activate)
  if (!inbox.data)
    return inbox.error ? (
      <Failed error={inbox.error} again={inbox.refetch} page="Inbox" />
    ) : (
      <Loading what="your inbox" />
    )
  const { notices, also = [], also_more, next } = inbox.data
  const others = items.filter((handoff) => !isQuestion(handoff))
  return (
    <div className="stack narrow">
      <h1>Inbox</h1>
      {items.length + shown.length + notices.length + also.length === 0 && (
        <Empty>
          Nothing waits for you. Gates, questions and work that is yours appear here by themselves.
        </Empty>
      )}
      {choices.map((handoff) => (
        <Waiting
          key={handoff.uid}
          handoff={handoff}
          asked={inbox.data.gates?.find(({ uid }) => uid === handoff.uid)}
          isActive={handoff.uid === current?.uid}
          isKept={!items.includes(handoff)}
          onFocus={() => activate(handoff.uid)}
          onDone={() => activate(neighbour(stops, handoff)?.uid)}
          keeping={keeping}
        />
      ))}
      {questions.map((handoff) => (
        <section
          key={handoff.uid}
          id={handoff.uid}
          className={`card ${handoff.uid === current?.uid ? 'active' : ''}`}
          aria-label={`Question about ${handoff.id}`}
          {...keeping.around(handoff.uid)}
        >
          <h2>
            {handoff.to} asks about{' '}
            <Link href={`/handoffs/${encodeURIComponent(handoff.id)}`} dir="auto">
              {handoff.title}
            </Link>
          </h2>
          <Answer
            handoff={handoff}
            isKept={!items.includes(handoff)}
            keeping={keeping}
            isActive={handoff.uid === current?.uid}
          />
        </section>
      ))}
      {asked.length > most && (
        <button type="button" onClick={() => showAll(asked.length)}>
          Show {asked.length - most} more
        </button>
      )}
      <Tiles title="Work that is yours" handoffs={others} />
      <Tiles title="Blocked, or open to any reviewer" handoffs={also} />
      {also_more && (
        <p className="soft">
          The newest {also.length} of more. Show all{' '}
          <Link href={addressOf('/list', 'from:me state:blocked')}>blocked that you sent</Link> and all{' '}
          <Link href={addressOf('/list', 'state:in-review')}>in review</Link>.
        </p>
      )}
      {next !== undefined && (
        <p className="soft">
          The first {items.length} that wait for you; there are more.{' '}
          <Link href={addressOf('/list', 'with:me state:open')}>Show all that is open with you</Link>
        </p>
      )}
      <Notices notices={notices} />
      <DecidedToday me={me} />
    </div>
  )
}

/** A card is heavy, and nobody decides more in one go; the rest comes on demand. */
const FIRST = 25
const NONE: readonly Handoff[] = []
const isQuestion = ({ state }: Handoff): boolean => state === 'needs_input'
const neighbour = (all: readonly Handoff[], one: Handoff): Handoff | undefined =>
  all[all.indexOf(one) + 1] ?? all[all.indexOf(one) - 1]

function Tiles({ title, handoffs }: { readonly title: string; readonly handoffs: readonly Handoff[] }) {
  if (handoffs.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <div className="grid">
        {handoffs.map((handoff) => (
          <HandoffTile key={handoff.uid} handoff={handoff} />
        ))}
      </div>
    </section>
  )
}

/** What this person has ended since midnight: the trace of a decision after its card is gone. */
function DecidedToday({ me: { actor } }: { readonly me: Me }) {
  const today = useOperation('handoff_list', {
    ...{ with: actor.name, since: 'today', kind: 'handoff', limit: 200 },
    state: ['completed', 'rejected'],
  })
  const mine = (today.data?.items ?? []).filter(
    ({ verified_by, rejection }) => verified_by === actor.name || rejection?.by === actor.name,
  )
  if (mine.length === 0) return null
  return (
    <section aria-label="Decided today">
      <h2>Decided today</h2>
      <ul className="plain">
        {mine.map(({ uid, id, title, type, state, ended_at, updated_at }) => (
          <li key={uid} className="row">
            <span className={`badge ${state === 'completed' ? 'good' : 'bad'}`}>
              {state === 'rejected' ? 'rejected' : type === 'gate' ? 'approved' : 'accepted as done'}
            </span>
            <span className="grow wrap">
              <Link href={`/handoffs/${encodeURIComponent(id)}`} dir="auto">
                {title}
              </Link>{' '}
              <small>
                {id} · <Time at={ended_at ?? updated_at} />
              </small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/**
 * The decision that keys are for: the first, until somebody goes to another. When it goes away by itself they are for
 * none, because a key that was meant for one must not reach another.
 */
function useCurrent(choices: readonly Handoff[]) {
  const [active, activate] = useState<string>()
  const current = active === undefined ? choices[0] : choices.find(({ uid }) => uid === active)
  const next = choices.length === 0 ? undefined : (active ?? current?.uid)
  useEffect(() => activate(next), [next])
  return { current, activate }
}

/** `j` and `k` go from one decision to the next. */
function useStepping(
  stops: readonly Handoff[],
  current: Handoff | undefined,
  activate: (uid: string) => void,
): void {
  const step = (by: number) => (key: string) => {
    // Arrows scroll here.
    if (key.startsWith('Arrow')) return false
    const next = current ? stops[stops.indexOf(current) + by] : stops[0]
    if (!next) return false
    activate(next.uid)
    document.getElementById(next.uid)?.scrollIntoView({ block: 'nearest' })
    return true
  }
  useShortcuts({ next: step(1), previous: step(-1) })
}

type Asked = NonNullable<OperationOutput<'handoff_inbox'>['gates']>[number]

/** One decision. The list tells enough to choose one; the one whose turn it is shows all that it is about. */
function Waiting(props: {
  readonly handoff: Handoff
  readonly asked: Asked | undefined
  readonly isActive: boolean
  /** It waits no more, but somebody is at it. */
  readonly isKept: boolean
  readonly onFocus: () => void
  readonly onDone: () => void
  readonly keeping: Keeping
}) {
  const { handoff, asked, isActive, isKept, onFocus, onDone, keeping } = props
  const { uid, id, title, from, created_at, type, gate, run, step } = handoff
  // A card with all of its text in the list never grows under a pointer; another shows its buttons with the rest.
  const isCut = asked?.cut === true
  // One that was opened stays so: its buttons must not go away while another card has the keys.
  const [wasActive, setWasActive] = useState(isActive)
  if (isActive && !wasActive) setWasActive(true)
  const full = useOperation('handoff_get', { id }, { enabled: isKept || (wasActive && isCut) })
  const given = full.data?.package
  const isWorkThere = useIsWorkThere(full.data)
  const isThere = given !== undefined && isWorkThere
  const isWhole = isThere || !isCut
  const summary = given?.summary ?? asked?.summary
  const items = given?.validation_request?.items ?? asked?.items ?? []
  const points = items.length === 1 ? '1 point to validate' : `${items.length} points to validate`
  const around = keeping.around(uid)
  return (
    <section
      id={uid}
      className={`card ${isActive ? 'active' : ''}`}
      aria-label={`Decision on ${id}`}
      onFocus={() => {
        around.onFocus()
        if (isWhole) onFocus()
      }}
      onBlur={around.onBlur}
    >
      <div className="row">
        <span className="badge wait">{type === 'gate' ? 'gate' : 'decision'}</span>
        <h2 className="grow wrap" dir="auto">
          <Link href={`/handoffs/${encodeURIComponent(id)}`}>{title}</Link>
        </h2>
        <small>
          {gate?.name !== undefined && !title.endsWith(gate.name) && (
            <>
              <b className="wrap">{gate.name}</b> ·{' '}
            </>
          )}
          {run !== undefined && (
            <>
              <Link href={`/workflows/${encodeURIComponent(run)}`}>
                {step === undefined ? 'its run' : `step ${step} of its run`}
              </Link>{' '}
              ·{' '}
            </>
          )}
          from {from} · <Time at={created_at} />
        </small>
      </div>
      {full.error && !full.data && <Failed error={full.error} again={full.refetch} />}
      {summary && <Prose text={summary} below={2} />}
      <Points title={isWhole ? points : `The first ${points}`} items={items} />
      {full.data ? <Rest full={full.data} /> : <Points title="Files" items={asked?.artifacts ?? []} />}
      {isWhole ? (
        <Decision
          handoff={full.data?.handoff ?? handoff}
          options={given?.validation_request?.options ?? asked?.options}
          isActive={isActive}
          settled={isKept ? settledBy(full.data) : undefined}
          keeping={keeping}
          onDone={onDone}
        />
      ) : (
        <button type="button" onClick={onFocus}>
          Show all of it
        </button>
      )}
    </section>
  )
}

/** The rest of what is decided: package, checks, talk, files, and the work that the gate is about. */
function Rest({ full }: { readonly full: OperationOutput<'handoff_get'> }) {
  const { package: given, result, thread, files = [], about } = full
  const { summary: _s, validation_request: _v, ...more } = given
  const hasMore = Object.keys(more).length + files.length > 0
  const isChecked = (given.checks ?? []).length + (given.deliverables ?? []).length > 0
  return (
    <div className="stack">
      {hasMore && <PackageView package={more} files={files} />}
      {(isChecked || result) && (
        <Deliverables wanted={given.deliverables ?? []} declared={given.checks ?? []} result={result} />
      )}
      {result && <ResultView result={result} />}
      <Thread items={thread} />
      {about !== undefined && <AboutWork id={about} />}
    </div>
  )
}
