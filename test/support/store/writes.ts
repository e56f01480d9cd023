import { escalateWriteback } from '../../../src/service/tasks/escalation.ts'
import { by, person, type Workspace } from '../program/workspace.ts'

const planner = by('planner')
const codex = by('codex')
const WORK = { to: 'codex', title: 'Work' }
const keyed = (name: string, key: string) => by(name, { key })

/** Every write, as a call that is ready to be made twice: what it needs was done before. */
export const WRITES: Readonly<Record<string, (w: Workspace) => Promise<(key: string) => Promise<unknown>>>> =
  {
    handoff_create: async (w) => async (key) =>
      (await w.service.sending.create(keyed('planner', key), WORK)).handoff,
    handoff_send: async (w) => async (key) =>
      (await w.service.sending.send(keyed('planner', key), WORK)).handoff,
    'handoff_send of a draft': async (w) => {
      const { handoff } = await w.service.sending.create(planner, WORK)
      return async (key) => (await w.service.sending.sendDraft(keyed('planner', key), handoff.id)).handoff
    },
    handoff_amend: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      return (key) => w.service.sending.amend(keyed('planner', key), handoff.uid, { title: 'More work' })
    },
    handoff_cancel: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      return (key) => w.service.sending.cancel(keyed('planner', key), handoff.uid)
    },
    handoff_resend: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      await w.service.sending.cancel(planner, handoff.uid)
      return (key) => w.service.sending.resend(keyed('planner', key), handoff.uid)
    },
    handoff_reassign: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      await w.service.sending.send(planner, { ...WORK, to: 'gemini' })
      return (key) => w.service.sending.reassign(keyed('planner', key), handoff.uid, 'gemini')
    },
    handoff_accept: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      return (key) => w.service.receiving.accept(keyed('codex', key), handoff.uid)
    },
    handoff_claim: async (w) => {
      await w.service.sending.send(planner, WORK)
      await w.service.sending.send(planner, WORK)
      return (key) => w.service.receiving.claim(keyed('codex', key))
    },
    handoff_release: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      await w.service.receiving.accept(codex, handoff.uid)
      return (key) => w.service.receiving.release(keyed('codex', key), handoff.uid, {})
    },
    handoff_reject: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      return (key) =>
        w.service.receiving.reject(keyed('codex', key), handoff.uid, { type: 'other', message: 'no' })
    },
    handoff_heartbeat: async (w) => {
      const uid = await begun(w)
      return (key) => w.service.receiving.heartbeat(keyed('codex', key), uid, { progress: 10 })
    },
    handoff_ask: async (w) => {
      const uid = await begun(w)
      return (key) => w.service.receiving.ask(keyed('codex', key), uid, 'Which?')
    },
    handoff_answer: async (w) => {
      const uid = await begun(w)
      await w.service.receiving.ask(codex, uid, 'Which?')
      return (key) => w.service.receiving.answer(keyed('planner', key), uid, 'This')
    },
    handoff_submit: async (w) => {
      const uid = await begun(w)
      return (key) => w.service.receiving.submit(keyed('codex', key), uid, { note: 'done' })
    },
    handoff_verify: async (w) => {
      const uid = await begun(w)
      await w.service.receiving.submit(codex, uid, { note: 'Done' })
      return (key) => w.service.closing.verify(keyed('planner', key), uid, { pass: true })
    },
    handoff_complete: async (w) => {
      const uid = await begun(w)
      await w.service.receiving.submit(codex, uid, { note: 'Done' })
      return (key) => w.service.closing.complete(keyed('planner', key), uid)
    },
    handoff_comment: async (w) => {
      const uid = await begun(w)
      return (key) => w.service.closing.comment(keyed('planner', key), uid, 'The server is back')
    },
    handoff_waive: async (w) => {
      const checks = [{ kind: 'evidence' as const, deliverable: 'Tests' }]
      const { handoff } = await w.service.sending.send(planner, { ...WORK, checks })
      const call = person('maria')
      return (key) => w.service.closing.waive({ ...call, key }, handoff.uid, 'evidence for "Tests"')
    },
    handoff_fail: async (w) => {
      const uid = await begun(w)
      return (key) => w.service.receiving.fail(keyed('codex', key), uid, { message: 'broken' })
    },
    handoff_retry: async (w) => {
      const uid = await begun(w)
      await w.service.receiving.fail(codex, uid, { message: 'broken' })
      return (key) => w.service.receiving.retry(keyed('planner', key), uid)
    },
    gate_decide: async (w) => {
      await w.service.agents.add(person('maria'), { name: 'maria', kind: 'human' })
      const { handoff } = await w.service.sending.send(planner, { to: 'maria', title: 'Ship?', type: 'gate' })
      return (key) => w.service.closing.decide({ ...person('maria'), key }, handoff.uid, 'approve')
    },
    notice_ack: async (w) => {
      const { handoff } = await w.service.sending.send(planner, WORK)
      await w.service.receiving.reject(codex, handoff.uid, { type: 'other', message: 'no' })
      const [notice] = (await w.service.looking.inbox('planner', { limit: 1 })).notices
      return (key) => w.service.looking.acknowledge(keyed('planner', key), notice?.uid ?? '')
    },
    agent_add: async (w) => (key) =>
      w.service.agents.add(keyed('planner', key), { name: 'gemini', capabilities: ['search'] }),
    agent_remove: async (w) => {
      await w.service.agents.add(planner, { name: 'gemini' })
      return (key) => w.service.agents.remove(keyed('gemini', key), 'gemini')
    },
    artifact_put: async (w) => (key) =>
      w.service.artifacts.put(keyed('codex', key), { path: 'a.txt', bytes: Buffer.from('hello') }),
    audit_session_start: async (w) => async (key) => (await w.service.audit()).start(keyed('codex', key)),
    task_create: async (w) => (key) =>
      w.service.tasks.create(keyed('planner', key), { id: 'P1', title: 'Work' }),
    task_start: async (w) => {
      await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
      return (key) => w.service.tasks.start(keyed('codex', key), 'P1')
    },
    task_reopen: async (w) => {
      await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
      await w.service.tasks.complete(codex, 'P1', {
        branch: 'feature/p1-work',
        commit_sha: 'a'.repeat(40),
        summary: 'All of it is done',
      })
      return async (key) =>
        (await w.service.history()).reopen({ ...person('maria'), key }, 'P1', 'found broken')
    },
    task_update: async (w) => {
      await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
      return (key) => w.service.tasks.update(keyed('codex', key), 'P1', { progress: 40 })
    },
    thought_record: async (w) => {
      await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
      return (key) => w.service.tasks.record(keyed('codex', key), 'P1', { summary: 'Half of it is done' })
    },
    task_escalate: async (w) => {
      await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
      const failed = { task_id: 'P1', record: { summary: 'All of it is done' }, to: 'planner' }
      return (key) => escalateWriteback(w.service, keyed('codex', key), failed)
    },
    task_complete: async (w) => {
      await w.service.tasks.create(planner, { id: 'P1', title: 'Work' })
      return (key) => w.service.tasks.complete(keyed('codex', key), 'P1', { summary: 'All of it is done' })
    },
  }

async function begun({ service }: Workspace): Promise<string> {
  const { handoff } = await service.sending.send(planner, WORK)
  await service.receiving.accept(codex, handoff.uid)
  return handoff.uid
}
