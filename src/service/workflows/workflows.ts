import type { Handoff } from '../../domain/handoffs/handoff.ts'
import { isOpen, OPEN_STATES } from '../../domain/lifecycle.ts'
import { present } from '../../domain/present.ts'
import type { Run } from '../../domain/workflow/run.ts'
import type { Workflow } from '../../domain/workflow/workflow.ts'
import { itemsOf, type Page, type PageRequest, type RunFilter } from '../../storage/store.ts'
import { agentReads, ensureAgents } from '../agents/agents.ts'
import type { Call } from '../deps.ts'
import { workOn } from '../documents/text-work.ts'
import { refuseRemoved } from '../handoffs/admission.ts'
import { takeBack } from '../handoffs/moves.ts'
import { refuse, UseCases, write } from '../write.ts'
import type { ReadDefinition } from './definition.ts'
import { advanceRun, putRun } from './follow.ts'
import { PHASES_NAME, phasesText } from './phases.ts'

/** Names the workflow to start or check, with its text if the caller has it. */
export interface DefinitionInput {
  readonly name?: string | undefined
  readonly definition?: string | undefined
  /** Structured input of a run. */
  readonly input?: unknown
}

interface FoundDefinition {
  readonly file: string
  readonly read: ReadDefinition
}

/** How many handoffs of a run are cancelled in one transaction. */
const AT_ONCE = 100

/** The counts of a step before it begins. */
const UNTRIED = { tries: 0, failures: 0, gates: 0, escalations: 0 }

/** Reading definitions takes a YAML reader and schemas, which few commands need. */
const reading = async () => ({ ...(await import('./definition.ts')), ...(await import('./cast.ts')) })

/** Workflows and their runs. */
export class Workflows extends UseCases {
  /** Begins a run: its first steps are handed over in the same transaction. */
  async start(call: Call, input: DefinitionInput): Promise<Run> {
    const deps = this.deps
    const { castOf, refuseCast, refuseDefinition } = await reading()
    const { refuseRunInput } = await import('./next-input.ts')
    const { file, read } = await this.#definition(call, input)
    if (!read.ok) return refuseDefinition(file, read.problems)
    const cast = await castOf(deps, call, read)
    if (cast.problems.length > 0) return refuseDefinition(file, cast.problems)
    const { workflow, delegator } = cast
    refuseCast(deps, call.actor.name, workflow)
    await refuseRunInput({ name: workflow.name, workflow, steps: [], input: input.input })
    const uid = deps.newUid()
    const names = [call.actor.name, ...cast.names]
    const { agents, streams } = agentReads(deps, names)
    return write(deps, call, {
      op: 'workflow_start',
      input: { workflow, ...present({ input: input.input }) },
      reads: { agents, streams: [uid, ...streams], runs: [uid], numbers: 1 },
      decide: (step) => {
        const { view, at } = step
        const { name: by, auth } = call.actor
        const more = ensureAgents(step, cast.people, 'human') ?? ensureAgents(step, names)
        if (more) return more
        for (const name of names) refuseRemoved(view.agent(name))
        const run: Run = {
          uid,
          id: `${workflow.name}-${view.number()}`,
          rev: 0,
          name: workflow.name,
          state: 'running',
          by,
          auth,
          delegator: delegator ?? by,
          workflow,
          ...present({ input: input.input }),
          steps: workflow.steps.map(({ id, agent = by }) => ({ id, state: 'waiting', agent, ...UNTRIED })),
          kinds: cast.kindsOf((name) => view.agent(name)),
          numbered: 0,
          started_at: at,
          updated_at: at,
        }
        const begun = putRun(step, undefined, run, 'workflow.start')
        return advanceRun(step, begun, { kind: 'begin' })
      },
      reload: (subject) => deps.store.run(subject),
    })
  }

  /** Tries failed steps again, asks again where nobody decided in time, and changes nothing where all is under way. */
  async resume(call: Call, ref: string): Promise<Run> {
    const deps = this.deps
    const { uid, by } = await this.find(ref)
    this.#refuseStranger(call, by, 'resume', ref)
    return write(deps, call, {
      op: 'workflow_resume',
      input: { uid },
      reads: { runs: [uid], streams: [uid], agents: [call.actor.name] },
      decide: (step) => advanceRun(step, this.#must(step.view.run(uid), ref), { kind: 'resume' }),
      reload: (subject) => deps.store.run(subject),
    })
  }

  /** Ends a run and takes back everything that is open in it; whoever works on a part of it is told. */
  async cancel(call: Call, ref: string, reason?: string): Promise<Run> {
    const { uid, by } = await this.find(ref)
    this.#refuseStranger(call, by, 'cancel', ref)
    let run = await this.#takeBackOpen(call, uid, ref, reason)
    // The next look finds handoffs sent before the cancelling: a cancelled run sends no more.
    while ((await this.#open(uid, 1)).length > 0)
      run = await this.#takeBackOpen({ actor: call.actor }, uid, ref, reason)
    return run
  }

  async #takeBackOpen(call: Call, uid: string, ref: string, reason?: string): Promise<Run> {
    const deps = this.deps
    const open = await this.#open(uid, AT_ONCE)
    return write(deps, call, {
      op: 'workflow_cancel',
      input: { uid, reason },
      reads: { runs: [uid], streams: [uid], handoffs: open, agents: [call.actor.name] },
      decide: (step) => {
        const { view } = step
        const cancelled = advanceRun(step, this.#must(view.run(uid), ref), { kind: 'cancel' })
        for (const each of open) {
          const handoff = view.handoff(each)
          if (handoff && isOpen(handoff.state)) takeBack(step, handoff, reason, ' with its workflow')
        }
        return view.run(uid) ?? cancelled
      },
      reload: (subject) => deps.store.run(subject),
    })
  }

  /** The open handoffs of a run. Returns stay open: their work is done, and its asker wants it. */
  async #open(run: string, limit: number): Promise<readonly string[]> {
    const found: string[] = []
    const open = (page: PageRequest) => this.deps.store.handoffs({ run, state: OPEN_STATES }, page)
    for await (const { type, uid } of itemsOf(open, AT_ONCE)) {
      if (type !== 'return') found.push(uid)
      if (found.length === limit) break
    }
    return found
  }

  async find(ref: string): Promise<Run> {
    return this.#must(await this.deps.store.run(ref), ref)
  }

  list(filter: RunFilter, page: PageRequest): Promise<Page<Run>> {
    return this.deps.store.runs(filter, page)
  }

  /** A run with the handoffs of the steps that are under way. */
  async status(ref: string): Promise<{ readonly run: Run; readonly handoffs: ReadonlyMap<string, Handoff> }> {
    const run = await this.find(ref)
    const named = run.steps.flatMap((step) => [step.handoff, step.gate, step.advisory, step.escalation])
    const ids = named.filter((id) => id !== undefined)
    const found = await Promise.all(ids.map((id) => this.deps.store.handoff(id)))
    const handoffs = found.filter((handoff) => handoff !== undefined)
    return { run, handoffs: new Map(handoffs.map((handoff) => [handoff.id, handoff])) }
  }

  /** A definition with every problem that it has, also with the agents that it names. */
  async check(call: Call, input: DefinitionInput): Promise<FoundDefinition> {
    const { file, read } = await this.#definition(call, input)
    if (!read.ok) return { file, read }
    const { castOf } = await reading()
    const { problems } = await castOf(this.deps, call, read)
    return { file, read: problems.length > 0 ? { ok: false, problems } : read }
  }

  /** The workflow of a definition, or as a run has it. */
  async workflow(
    call: Call,
    input: DefinitionInput & { readonly run?: string | undefined },
  ): Promise<{ readonly workflow: Workflow; readonly run?: Run }> {
    if (input.run !== undefined) {
      const run = await this.find(input.run)
      return { workflow: run.workflow, run }
    }
    const { castOf, refuseDefinition } = await reading()
    const { file, read } = await this.#definition(call, input)
    if (!read.ok) return refuseDefinition(file, read.problems)
    const cast = await castOf(this.deps, call, read)
    return { workflow: cast.problems.length > 0 ? read.workflow : cast.workflow }
  }

  /** The text that the caller gives, else the file of the project, else what comes with Baton. */
  async #definition(call: Call, { name, definition }: DefinitionInput): Promise<FoundDefinition> {
    const file = name === undefined ? 'the definition' : `workflows/${name}.yaml`
    const text = definition ?? (name === undefined ? undefined : await this.#textOf(name))
    const none =
      name === undefined
        ? 'name a workflow, or give its definition as text'
        : `there is no workflow ${name}: no ${file}; make one with: baton workflow init ${name}`
    if (text === undefined) return refuse('not_found', none, { name })
    return { file, read: await workOn(call, 'definition', { text, name }, text) }
  }

  async #textOf(name: string): Promise<string | undefined> {
    const project = await this.deps.project?.()
    const found =
      (await project?.read(`workflows/${name}.yaml`)) ?? (await project?.read(`workflows/${name}.yml`))
    return found ?? (name === PHASES_NAME ? phasesText() : undefined)
  }

  #must(run: Run | undefined, ref: string): Run {
    const how = 'see what is there with: baton workflow list'
    return run ?? refuse('not_found', `there is no run ${ref}; ${how}`, { run: ref })
  }

  /** A run belongs to whoever started it; people may always put things right. */
  #refuseStranger(call: Call, by: string, what: string, ref: string): void {
    const { name, kind } = call.actor
    if (name === by || kind === 'human') return
    refuse('not_allowed', `${name} may not ${what} ${ref}; that is for ${by} or a person`, { run: ref, by })
  }
}
