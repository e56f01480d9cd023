import type { Handoff } from '../domain/handoff.ts'
import type { Notice } from '../domain/notice.ts'
import type { Content } from '../domain/package.ts'
import type { Counts, HandoffFilter, LogEntry, Page, PageRequest } from '../storage/store.ts'
import { adminStream } from './agents.ts'
import type { Call, ServiceDeps } from './deps.ts'
import { asSettled, find } from './lookup.ts'
import { refuse, write } from './write.ts'

export interface Inbox {
  readonly items: readonly Handoff[]
  readonly notices: readonly Notice[]
  readonly next?: string
}

export interface Dossier {
  readonly handoff: Handoff
  readonly content: Content
  readonly timeline: readonly LogEntry[]
}

const TIMELINE_LENGTH = 200

/** Looking: what waits for whom, what a handoff holds, what happened. Everything due is settled first. */
export class Looking {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  /** What waits for this agent: by priority, then age; and the notices it has not seen. */
  async inbox(agent: string, page: PageRequest): Promise<Inbox> {
    const { store } = this.#deps
    const at = await this.#settled()
    const [handoffs, notices] = await Promise.all([
      store.inbox(agent, page),
      page.cursor === undefined ? store.notices(agent, { limit: page.limit }) : undefined,
    ])
    return {
      items: handoffs.items.map((h) => asSettled(h, at)).filter((h) => h.waiting_for === agent),
      notices: notices?.items ?? [],
      ...(handoffs.next !== undefined && { next: handoffs.next }),
    }
  }

  async get(ref: string): Promise<Dossier> {
    const { store } = this.#deps
    const at = await this.#settled()
    const handoff = await find(this.#deps, ref)
    const [content, timeline] = await Promise.all([
      store.content(handoff.uid),
      store.timeline(handoff.root, handoff.uid, TIMELINE_LENGTH),
    ])
    if (!content) refuse('internal', `the content of ${handoff.id} is missing`)
    return { handoff: asSettled(handoff, at), content, timeline }
  }

  async list(filter: HandoffFilter, page: PageRequest): Promise<Page<Handoff>> {
    const at = await this.#settled()
    const found = await this.#deps.store.handoffs(filter, page)
    return { ...found, items: found.items.map((h) => asSettled(h, at)) }
  }

  async counts(): Promise<Counts> {
    await this.#settled()
    return this.#deps.store.counts()
  }

  /** Marks a notice as seen; seeing it twice is no error. */
  async acknowledge(call: Call, uid: string): Promise<Notice> {
    const deps = this.#deps
    return write(deps, call, {
      op: 'notice_ack',
      input: { uid },
      reads: { notices: [uid], streams: [adminStream(deps)] },
      decide: (view, at) => {
        const notice = view.notice(uid)
        if (!notice) refuse('not_found', `there is no notice ${uid}`, { uid })
        if (notice.to !== call.actor.name)
          refuse('not_allowed', `this notice is for ${notice.to}, not for ${call.actor.name}`, { uid })
        if (notice.seen_at !== undefined) return notice
        view.seeNotice(uid, at)
        view.append({
          stream: adminStream(deps),
          subject: uid,
          record: {
            act: 'notice.ack',
            actor: { id: call.actor.name },
            auth: call.actor.auth,
            sub: { id: uid, k: 'notice', rev: 1 },
            ts: at,
          },
        })
        return { ...notice, seen_at: at }
      },
      subject: (notice) => ({ uid: notice.uid, rev: 1 }),
      reload: (subject) =>
        deps.store.transact({
          reads: { notices: [subject] },
          at: deps.now().toISOString(),
          decide: (view) =>
            view.notice(subject) ?? refuse('not_found', 'the notice was seen and cleared away', { uid }),
        }),
    })
  }

  async #settled(): Promise<string> {
    const at = this.#deps.now().toISOString()
    await this.#deps.store.settle(at)
    return at
  }
}
