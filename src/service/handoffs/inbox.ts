import { ANYONE } from '../../domain/actor.ts'
import type { Actor } from '../../domain/agent.ts'
import { isForAnyone } from '../../domain/handoffs/guards.ts'
import type { Handoff } from '../../domain/handoffs/handoff.ts'
import type { Content } from '../../domain/handoffs/package.ts'
import { permitted } from '../../domain/handoffs/permitted.ts'
import { isEnd, isOpen, SEARCH_KINDS } from '../../domain/lifecycle.ts'
import { CHOICES, ownOptions } from '../../domain/people/gate.ts'
import type { Notice } from '../../domain/people/notice.ts'
import type { Asked } from '../../domain/people/people-schema.ts'
import { present } from '../../domain/present.ts'
import { RANK } from '../../domain/priority.ts'
import type { Facets, Hit } from '../../domain/search.ts'
import type { Counts, HandoffFilter, Page, PageRequest } from '../../storage/store.ts'
import type { Call } from '../deps.ts'
import { adminStream, enter } from '../log-record.ts'
import { asSettled, find } from '../lookup.ts'
import { refuse, UseCases, write } from '../write.ts'

export interface SearchInput {
  readonly text?: string | undefined
  /** A day, an age or an instant. */
  readonly since?: string | undefined
  readonly facets: Facets
}

const TIMELINE_LENGTH = 200
const MOVABLE = 20

const inOrder = (a: Handoff, b: Handoff): number =>
  RANK[a.priority] - RANK[b.priority] || (a.uid < b.uid ? -1 : 1)

/** Inbox: what waits for whom, what a handoff holds, what happened. Everything due is settled first. */
export class Inbox extends UseCases {
  /**
   * Handoffs that wait for this agent, by priority, then age; and the notices it has not seen. A person also sees
   * the handoffs that any person may decide or take on.
   */
  async inbox(agent: string, page: PageRequest, isPerson = false) {
    const at = await this.#settled()
    const names = isPerson && agent !== ANYONE ? [agent, ANYONE] : [agent]
    const [handoffs, notices] = await Promise.all([
      this.#waiting(names, page),
      page.cursor === undefined ? this.#notices(names, page.limit) : [],
    ])
    const own = handoffs.items
      .map((handoff) => asSettled(handoff, at))
      .filter(
        (handoff) =>
          handoff.waiting_for === agent ||
          (handoff.waiting_for === ANYONE && (isDecision(handoff.need) || isForAnyone(handoff))),
      )
    const passed = isPerson && page.cursor === undefined ? await this.#passedOn(names, page.limit) : []
    const others = passed.filter(({ uid }) => !own.some((each) => each.uid === uid))
    const items = others.length === 0 ? own : [...own, ...others].sort(inOrder)
    const gates = await this.#asked(items)
    return { items, ...(gates.length > 0 && { gates }), notices, ...present({ next: handoffs.next }) }
  }

  /** The inboxes of several names as one, in the order of each. */
  async #waiting(names: readonly string[], page: PageRequest): Promise<Page<Handoff>> {
    const pages = await Promise.all(names.map((name) => this.deps.store.inbox(name, page)))
    const [only] = pages
    if (only && pages.length === 1) return only
    const all = pages.flatMap(({ items }) => items).sort(inOrder)
    const items = all.slice(0, page.limit)
    const last = items.at(-1)
    const more = all.length > items.length || pages.some(({ next }) => next !== undefined)
    return { items, ...(more && last && { next: `${RANK[last.priority]}:${last.uid}` }) }
  }

  /** Decisions passed on to another person for want of an answer; those asked first may still decide. */
  async #passedOn(names: readonly string[], limit: number): Promise<readonly Handoff[]> {
    const pages = await Promise.all(
      names.map((to) => this.deps.store.handoffs({ to, state: ['needs_input'] }, { limit })),
    )
    return pages
      .flatMap(({ items }) => items)
      .filter(({ escalated_to, need }) => escalated_to !== undefined && isDecision(need))
  }

  async #notices(names: readonly string[], limit: number): Promise<readonly Notice[]> {
    const pages = await Promise.all(names.map((name) => this.deps.store.notices(name, { limit })))
    const all = pages.flatMap(({ items }) => items)
    return pages.length === 1 ? all : all.sort((a, b) => (a.uid < b.uid ? -1 : 1)).slice(0, limit)
  }

  async #asked(items: readonly Handoff[]): Promise<readonly Asked[]> {
    const asking = items.filter(({ need }) => isDecision(need))
    const contents = await Promise.all(asking.map(({ uid }) => this.deps.store.content(uid)))
    return asking.map((handoff, i) => toAsked(handoff, contents[i]))
  }

  async get(ref: string) {
    const { store } = this.deps
    const at = await this.#settled()
    const handoff = await find(this.deps, ref)
    const [content, timeline, path, about, files] = await Promise.all([
      store.content(handoff.uid),
      store.timeline(handoff.root, handoff.uid, TIMELINE_LENGTH, true),
      this.#above(handoff),
      this.#about(handoff),
      store.artifacts(handoff.uid),
    ])
    if (!content) refuse('internal', `the content of ${handoff.id} is missing`)
    const told = timeline.filter(({ body }) => body !== '')
    return { handoff: asSettled(handoff, at), content, timeline: told, path, files, ...present({ about }) }
  }

  async #above({ parent }: Handoff): Promise<readonly Handoff[]> {
    const above = parent === undefined ? undefined : await this.deps.store.handoff(parent)
    return above ? [...(await this.#above(above)), above] : []
  }

  /** The work whose gate this is: it names it, or it is the step of the same run. */
  async #about({ uid, gate, run, step }: Handoff): Promise<Handoff | undefined> {
    if (gate?.guards !== undefined) return this.deps.store.handoff(gate.guards)
    if (gate === undefined || run === undefined) return undefined
    const { items } = await this.deps.store.handoffs({ run }, { limit: 200 })
    return items.find((each) => each.step === step && each.type !== 'gate' && each.uid < uid)
  }

  /** Work that this person may move although it waits for another: what they sent and is blocked, and reviews. */
  async movable(actor: Actor): Promise<{ also: readonly Handoff[]; also_more?: true }> {
    const { store, policy } = this.deps
    const [blocked, reviews, agent] = await Promise.all([
      this.list({ from: actor.name, state: ['blocked'] }, { limit: MOVABLE }),
      this.list({ state: ['in_review'] }, { limit: MOVABLE }),
      store.agent(actor.name),
    ])
    const others = reviews.items.filter(({ waiting_for }) => waiting_for !== actor.name)
    const mine = others.filter((each) => permitted(actor, each, policy, agent).includes('complete'))
    const isMore = blocked.next !== undefined || reviews.next !== undefined
    return { also: [...blocked.items, ...mine], ...(isMore && { also_more: true }) }
  }

  async list(filter: HandoffFilter, page: PageRequest): Promise<Page<Handoff>> {
    const at = await this.#settled()
    const found = await this.deps.store.handoffs(filter, page)
    return { ...found, items: found.items.map((h) => asSettled(h, at)) }
  }

  /** Documents with these words, the best first; the kinds that the caller's token may not read are left out. */
  async search(
    { may }: Call,
    { text = '', since, facets }: SearchInput,
    page: PageRequest,
  ): Promise<Page<Hit> & { readonly unread?: readonly string[] }> {
    const at = await this.#settled()
    const { searchQuery, sinceInstant } = await import('../../domain/search.ts')
    const asked = facets.kind ?? SEARCH_KINDS
    const scopeOf = (kind: string | undefined) => `${kind === 'run' ? 'workflow' : kind}:read`
    const kind = asked.filter((each) => may?.(scopeOf(each)) ?? true)
    const from = since === undefined ? undefined : sinceInstant(since, this.deps.now())
    const found = await this.deps.store.search(
      searchQuery(text, kind.length === SEARCH_KINDS.length ? facets : { ...facets, kind }, from),
      page,
    )
    const items = found.items.map((hit) => {
      const handoff = hit.handoff && asSettled(hit.handoff, at)
      return handoff ? { ...hit, handoff, state: handoff.state } : hit
    })
    const unread = asked.filter((each) => !kind.includes(each)).map(scopeOf)
    return { ...found, items, ...(unread.length > 0 && { unread }) }
  }

  async counts(): Promise<Counts> {
    await this.#settled()
    return this.deps.store.counts()
  }

  async stuck() {
    const { stuckAmong, STUCK_STATES } = await import('../../domain/handoffs/stuck.ts')
    // Ended work is much; it must not push out what is still open.
    const lists = [isOpen, isEnd].map((is) => this.list({ state: STUCK_STATES.filter(is) }, { limit: 25 }))
    const found = (await Promise.all(lists)).flatMap(({ items }) => items)
    const reviews = (await this.list({ state: ['in_review'] }, { limit: 25 })).items
    const asking = [...found.filter(({ need }) => need === 'clarification'), ...reviews]
    const contents = await Promise.all(asking.map(({ uid }) => this.deps.store.content(uid)))
    const said = new Map(asking.map(({ uid }, i) => [uid, contents[i]]))
    return stuckAmong([...found, ...reviews], this.deps.now().toISOString(), said)
  }

  /** Marks a notice as seen; marking it twice is not an error. */
  async acknowledge(call: Call, uid: string): Promise<Notice> {
    const deps = this.deps
    return write(deps, call, {
      op: 'notice_ack',
      input: { uid },
      reads: { notices: [uid], streams: [adminStream(deps)] },
      decide: (step) => {
        const notice = step.view.notice(uid)
        if (!notice) refuse('not_found', `there is no notice ${uid}; see: baton inbox`, { uid })
        const isOwn = notice.to === call.actor.name || (notice.to === ANYONE && call.actor.kind === 'human')
        if (!isOwn)
          refuse('not_allowed', `this notice is for ${notice.to}, not for ${call.actor.name}`, { uid })
        if (notice.seen_at !== undefined) return notice
        step.view.seeNotice(uid, step.at)
        enter(step, 'notice.ack', { k: 'notice', id: uid })
        return { ...notice, seen_at: step.at }
      },
      reload: (subject) =>
        deps.store.transact({
          reads: { notices: [subject] },
          at: deps.now().toISOString(),
          decide: (view) =>
            view.notice(subject) ?? refuse('not_found', 'the notice was acknowledged and removed', { uid }),
        }),
    })
  }

  async #settled(): Promise<string> {
    const at = this.deps.now().toISOString()
    await this.deps.store.settle(at)
    return at
  }
}

/** Answers are bounded: the rest is read with the handoff. */
const SHOWN = 20
const SUMMARY_LENGTH = 600

const isDecision = (need: Handoff['need']): boolean => need === 'gate' || need === 'decision'

function toAsked({ uid, id, type, gate, step }: Handoff, content: Content | undefined): Asked {
  const { summary = '', validation_request: asked, ...more } = content?.package ?? {}
  const { artifacts = [] } = more
  const items = asked?.items ?? []
  const isLong = summary.length > SUMMARY_LENGTH
  // The rest of the package, its checks, the talk and the work that it is about are read with the handoff.
  const isMore = Object.keys(more).length > 0 || content?.result !== undefined || !!content?.thread.length
  const isCut = isLong || isMore || gate?.guards !== undefined || !!step || items.length > SHOWN
  return {
    uid,
    id,
    type: type === 'gate' ? 'gate' : 'escalation',
    ...present({ name: gate?.name }),
    ...(summary && { summary: isLong ? `${summary.slice(0, SUMMARY_LENGTH)}…` : summary }),
    artifacts: artifacts.slice(0, SHOWN).map(({ path }) => path),
    items: items.slice(0, SHOWN),
    options: optionsOf(type, asked?.options),
    ...(isCut && { cut: true }),
  }
}

/** The three answers with the sender's words for them; an escalation with options of its own has those instead of approve. */
function optionsOf(
  type: Handoff['type'],
  said: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const own = type === 'escalation' ? ownOptions(said) : []
  const usual = Object.entries(CHOICES)
    .filter(([key]) => own.length === 0 || key !== 'approve')
    .map(([key, label]) => [key, said[key] ?? label] as const)
  return Object.fromEntries([...own, ...usual])
}
