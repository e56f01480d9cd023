import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import type { Handoff } from '../../../src/domain/handoffs/handoff.ts'
import { CHOICES, type Choice } from '../../../src/domain/people/gate.ts'
import type { OperationOutput } from '../../../src/runner/calls.ts'
import { useOperation } from '../api/queries.ts'
import type { Me } from '../api/session.ts'
import { Decision } from '../features/gate/decision.tsx'
import { Answer } from '../features/handoff/answer.tsx'
import { HandoffTile } from '../features/handoff/handoff-tile.tsx'
import { settledBy } from '../features/handoff/meanwhile.tsx'
import { Points } from '../features/handoff/package-view.tsx'
import { Notices } from '../features/notice/notices.tsx'
import { isTyping } from '../ui/keys.ts'
import { Prose } from '../ui/prose.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { type Keeping, useKept } from '../ui/use-kept.ts'

/** The inbox of a person: choices first, then questions, then work and news. */
export function Inbox({ me }: { readonly me: Me }) {
  const inbox = useOperation('handoff_inbox', { limit: 100 })
  const { shown, keeping } = useKept(inbox.data?.items.filter(isQuestion) ?? NONE)
  const choices = shown.filter(({ need }) => need !== 'clarification')
  const { current, activate } = useCurrent(choices)
  useStepping(choices, current, activate)
  if (!inbox.data)
    return inbox.error ? (
      <Failed error={inbox.error} again={inbox.refetch} page="Inbox" />
    ) : (
      <Loading what="your inbox" />
    )
  const { items, notices } = inbox.data
  const questions = shown.filter(({ need }) => need === 'clarification')
  const others = items.filter((handoff) => !isQuestion(handoff))
  return (
    <div className="stack narrow">
      <h1>Inbox</h1>
      {items.length + shown.length + notices.length === 0 && (
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
          onDone={() => activate(neighbour(choices, handoff)?.uid)}
          me={me}
          keeping={keeping}
        />
      ))}
      {questions.map((handoff) => (
        <section
          key={handoff.uid}
          id={handoff.uid}
          className="card"
          aria-label={`Question about ${handoff.id}`}
        >
          <h2>
            {handoff.to} asks about{' '}
            <Link href={`/handoffs/${encodeURIComponent(handoff.id)}`}>{handoff.title}</Link>
          </h2>
          <Answer handoff={handoff} me={me} isKept={!items.includes(handoff)} keeping={keeping} />
        </section>
      ))}
      {others.length > 0 && (
        <section>
          <h2>Work that is yours</h2>
          <div className="grid">
            {others.map((handoff) => (
              <HandoffTile key={handoff.uid} handoff={handoff} />
            ))}
          </div>
        </section>
      )}
      <Notices notices={notices} />
    </div>
  )
}

const NONE: readonly Handoff[] = []
const isQuestion = ({ state }: Handoff): boolean => state === 'needs_input'
const neighbour = (all: readonly Handoff[], one: Handoff): Handoff | undefined =>
  all[all.indexOf(one) + 1] ?? all[all.indexOf(one) - 1]

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
  choices: readonly Handoff[],
  current: Handoff | undefined,
  activate: (uid: string) => void,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      if (step === 0 || isTyping(event.target) || event.ctrlKey || event.metaKey) return
      const next = current ? choices[choices.indexOf(current) + step] : choices[0]
      if (!next) return
      activate(next.uid)
      document.getElementById(next.uid)?.scrollIntoView({ block: 'nearest' })
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [choices, current, activate])
}

type Asked = NonNullable<OperationOutput<'handoff_inbox'>['gates']>[number]

/** One decision. The list tells enough to choose one; the one whose turn it is shows all of its package. */
function Waiting(props: {
  readonly handoff: Handoff
  readonly asked: Asked | undefined
  readonly isActive: boolean
  /** It waits no more, but somebody is at it. */
  readonly isKept: boolean
  readonly onFocus: () => void
  readonly onDone: () => void
  readonly me: Me
  readonly keeping: Keeping
}) {
  const { handoff, asked, isActive, isKept, onFocus, onDone, me, keeping } = props
  const { id, title, from, created_at, type, gate } = handoff
  // A card with all of its text in the list never grows under a pointer; another shows its buttons with the rest.
  const isCut = asked?.cut === true
  const full = useOperation('handoff_get', { id }, { enabled: isKept || (isActive && isCut) })
  const given = full.data?.package
  const isWhole = given !== undefined || !isCut
  const summary = given?.summary ?? asked?.summary
  const items = given?.validation_request?.items ?? asked?.items ?? []
  const artifacts = given ? (given.artifacts ?? []).map(({ path }) => path) : (asked?.artifacts ?? [])
  const points = items.length === 1 ? '1 point to validate' : `${items.length} points to validate`
  return (
    <section
      id={handoff.uid}
      className={`card ${isActive ? 'active' : ''}`}
      aria-label={`Decision on ${id}`}
      onFocus={isWhole ? onFocus : undefined}
    >
      <div className="row">
        <span className="badge wait">{type === 'gate' ? 'gate' : 'decision'}</span>
        <h2 className="grow wrap">
          <Link href={`/handoffs/${encodeURIComponent(id)}`}>{title}</Link>
        </h2>
        <small>
          {gate?.name !== undefined && !title.endsWith(gate.name) && (
            <>
              <b className="wrap">{gate.name}</b> ·{' '}
            </>
          )}
          from {from} · <Time at={created_at} />
        </small>
      </div>
      {full.error && !full.data && <Failed error={full.error} again={full.refetch} />}
      {summary && <Prose text={summary} below={2} />}
      <Points title={isWhole ? points : `The first ${points}`} items={items} />
      <Points title="Artifacts" items={artifacts} />
      {isWhole ? (
        <Decision
          handoff={handoff}
          options={ownWords(given?.validation_request?.options ?? asked?.options)}
          isActive={isActive}
          settled={isKept ? settledBy(full.data, me) : undefined}
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

/** Without the words that every answer has anyway. */
const ownWords = (options: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).filter(([key, words]) => CHOICES[key as Choice] !== words))
