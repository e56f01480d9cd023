import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stage } from './stage.ts'
import { takeStep } from './steps.ts'

export const FIRST_TASK = 'BPRD-2026-0042'
const ACTIVE = '_handoffs/active'

/** Document 000: a handoff is a file that its sender writes and its receiver edits. */
export async function playGrok(stage: Stage): Promise<void> {
  const now = new Date()
  const id = `handoff-grok-claude-${FIRST_TASK}-${now.toISOString().slice(0, 10).replaceAll('-', '')}`
  stage.write(`${ACTIVE}/${id}.md`, handoffFile(id, now))
  stage.say(`writes ${ACTIVE}/${id}.md`)
  const review = await stage.inbox(({ state, from }) => state === 'in_review' && from === 'grok')
  stage.say(`reads docs/plan.md, which claude handed in for ${review.task}`)
  await stage.work(3)
  await stage.me.verify(review.id, { pass: true, note: 'The plan names what comes first and why' })
  stage.say('verifies it: the file moves to archived/')
  await takeStep(stage, 'announce', '214 customers were told')
}

/** The receiver's side: one line of the file changes, and Baton takes that as an acceptance. */
export async function acknowledgeFile(stage: Stage): Promise<string> {
  const path = await stage.until(() => {
    const folder = join(stage.folder, ACTIVE)
    if (!existsSync(folder)) return undefined
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${ACTIVE}/${name}`)
      .find((each) => /^uid:|^ {2}uid:|x_baton/m.test(readFileSync(join(stage.folder, each), 'utf8')))
  })
  await stage.work(2)
  const text = readFileSync(join(stage.folder, path), 'utf8')
  stage.write(
    path,
    text
      .replace(/^status: Active$/m, 'status: Acknowledged')
      .replace(/^acknowledged_by: null$/m, `acknowledged_by: ${stage.me.name}`),
  )
  stage.say('edits the file: status: Acknowledged')
  const { id } = await stage.inbox(({ state, home }) => home === 'markdown' && state !== 'offered')
  return id
}

function handoffFile(id: string, now: Date): string {
  const instant = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
  return `---
handoff_id: ${id}
from_agent: grok
to_agent: claude
related_task: ${FIRST_TASK}
status: Active
created_at: ${instant(now.getTime())}
updated_at: ${instant(now.getTime())}
expires_at: ${instant(now.getTime() + 4 * 3_600_000)}
title: Plan the rate limiting of the API
purpose: The API needs limits before launch.
context: Two customers send more than half of all calls. The limits were agreed in the standup.
deliverables: [docs/plan.md]
verification_criteria: [The plan lists at least five tasks and what each of them needs]
source_meeting: meetings/2026-11-02.md
skill_web_node: skills/api
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null
completed_at: null
completion_verified_by: null
completion_notes: null
---

# Plan the rate limiting of the API

Ask me when something is unclear.
`
}
