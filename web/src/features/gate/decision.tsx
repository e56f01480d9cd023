import { useEffect, useRef, useState } from 'react'
import type { Handoff } from '../../../../src/domain/handoffs/handoff.ts'
import { CHOICES, type Choice, ownOptions } from '../../../../src/domain/people/gate.ts'
import { useMay } from '../../api/session.ts'
import { draftAt, keepDraft } from '../../ui/input/drafts.ts'
import { isComposing } from '../../ui/input/keys.ts'
import { useShortcuts } from '../../ui/input/shortcuts.ts'
import { type Keeping, useBegun } from '../../ui/input/use-kept.ts'
import { say } from '../../ui/toast.tsx'
import { Meanwhile } from '../handoff/meanwhile.tsx'
import { useAct } from '../handoff/use-act.ts'

interface Offer {
  readonly choice: string
  readonly label: string
  readonly key: string
  readonly look: string
  readonly about?: string | undefined
}

const USUAL: readonly Offer[] = [
  { choice: 'approve', label: 'Approve', key: 'a', look: 'main' },
  { choice: 'reject', label: 'Reject', key: 'r', look: 'danger' },
  { choice: 'question', label: 'Ask', key: 'q', look: '' },
]

/** How an answer is told afterwards. */
const TOLD: Readonly<Record<string, string>> = {
  approve: 'Approved',
  reject: 'Rejected',
  question: 'Asked about',
}

/** The answers that need words, and which. */
const ASKS: Readonly<Record<string, string>> = {
  reject: 'What needs to change?',
  question: 'What do you want to know?',
}

type Options = Readonly<Record<string, string>> | undefined

/** An escalation with options of its own has those instead of a plain yes. Words that every answer has say nothing. */
function offersOf({ type }: Handoff, options: Options): readonly Offer[] {
  const own = type === 'escalation' ? ownOptions(options) : []
  return [
    ...own.map(([choice, about], i) => ({ choice, label: choice, key: String(i + 1), look: 'main', about })),
    ...USUAL.filter(({ choice }) => own.length === 0 || choice !== 'approve').map((each) => ({
      ...each,
      about: options?.[each.choice] === CHOICES[each.choice as Choice] ? undefined : options?.[each.choice],
    })),
  ]
}

/**
 * A person's answer to a gate or an escalation. One key chooses and puts the cursor into the comment; Enter there, or
 * the button, sends it. Rejecting and asking need words: somebody must be able to act on them.
 */
export function Decision(props: {
  readonly handoff: Handoff
  readonly options?: Options
  /** Keys work for this one, among several on a page. */
  readonly isActive: boolean
  /** What became of it elsewhere: nothing can be sent then, and nothing that was written is lost. */
  readonly settled?: string | undefined
  readonly keeping: Keeping
  /** It was sent, or put away. */
  readonly onDone?: () => void
}) {
  const { handoff, isActive, settled, keeping, onDone } = props
  const [choice, choose] = useState<string>()
  // What is written for one answer is not meant for another.
  const offers = offersOf(handoff, props.options)
  const placeOf = (each: string) => `decide ${handoff.id} ${each}`
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(
    () => new Map(offers.map((each) => [each.choice, draftAt(placeOf(each.choice))])),
  )
  const write = (each: string, text: string) => {
    keepDraft(placeOf(each), text)
    setDrafts(new Map(drafts).set(each, text))
  }
  const comment = drafts.get(choice ?? '') ?? ''
  const field = useRef<HTMLTextAreaElement>(null)
  const isOver = settled !== undefined
  const mayDecide = useMay('gate:write')
  const done = () => {
    choose(undefined)
    for (const each of drafts.keys()) keepDraft(placeOf(each), '')
    setDrafts(new Map())
    onDone?.()
    keeping.done(handoff.uid)
  }
  const act = useAct(
    'gate_decide',
    () => {
      say(
        `${TOLD[choice ?? ''] ?? `Chose ${choice}:`} “${handoff.title}”`,
        `/handoffs/${encodeURIComponent(handoff.id)}`,
      )
      done()
    },
    undefined,
    handoff.rev,
  )
  const chooseBy = (key: string) => {
    const found = offers.find((each) => each.key === key)
    if (found) choose(found.choice)
    return found !== undefined
  }
  useShortcuts(
    { approve: chooseBy, decline: chooseBy, question: chooseBy, option: chooseBy },
    isActive && !isOver && mayDecide,
  )
  useBegun(keeping, handoff.uid, choice !== undefined || [...drafts.values()].some(Boolean))
  useEffect(() => {
    if (choice !== undefined) field.current?.focus()
  }, [choice])
  const needsWords = choice !== undefined && Object.hasOwn(ASKS, choice)
  const isReady = choice !== undefined && (!needsWords || comment.trim() !== '') && !act.isPending && !isOver
  const send = () => {
    if (choice === undefined || !isReady) return
    act.mutate({ id: handoff.id, choice, ...(comment.trim() !== '' && { comment: comment.trim() }) })
  }
  if (!mayDecide) return <p className="soft">Your session may not decide this.</p>
  return (
    <fieldset className="decision">
      <legend className="soft">Your decision on {handoff.id}</legend>
      {isOver && <Meanwhile what={settled} putAway={done} />}
      <div className="row">
        {offers.map(({ choice: each, label, key, look }) => (
          <button
            key={each}
            type="button"
            className={look}
            aria-pressed={choice === each}
            aria-disabled={isOver}
            onClick={() => !isOver && choose(each)}
          >
            <span>{label}</span> {isActive && !isOver ? <kbd>{key}</kbd> : <KeyRoom>{key}</KeyRoom>}
          </button>
        ))}
      </div>
      <Meanings offers={offers} />
      {choice !== undefined && (
        <div className="stack">
          <label className="block">
            <span className="soft">{needsWords ? ASKS[choice] : 'Comment (optional)'}</span>
            <textarea
              ref={field}
              rows={2}
              value={comment}
              dir="auto"
              onChange={({ target }) => write(choice, target.value)}
              onKeyDown={(event) => {
                if (isComposing(event.nativeEvent)) return
                if (event.key === 'Escape') choose(undefined)
                if (event.key !== 'Enter' || event.shiftKey) return
                event.preventDefault()
                send()
              }}
            />
          </label>
          <button
            type="button"
            className={choice === 'reject' ? 'danger' : 'main'}
            disabled={!isReady}
            onClick={send}
          >
            Send “{choice}”
          </button>
        </div>
      )}
      {act.error && (
        <p role="alert" className="failed">
          {act.error.message}
        </p>
      )}
    </fieldset>
  )
}

/** The room of a key that is not for this card: a button must not move away from under a pointer when it is. */
const KeyRoom = ({ children }: { readonly children: string }) => (
  <span className="key-room" aria-hidden="true">
    {children}
  </span>
)

/** What the sender says that an answer leads to. */
function Meanings({ offers }: { readonly offers: readonly Offer[] }) {
  const said = offers.filter(({ about }) => about !== undefined)
  if (said.length === 0) return null
  return (
    <ul className="soft">
      {said.map(({ choice, label, about }) => (
        <li key={choice} className="wrap">
          {label}: <bdi>{about}</bdi>
        </li>
      ))}
    </ul>
  )
}
