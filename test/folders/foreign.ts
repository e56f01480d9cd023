/** The day in the names of these files. */
export const DAY = '20260221'

/** A file as a script without Baton writes it. */
export function foreign(fields: Readonly<Record<string, string>> = {}): { id: string; text: string } {
  const { from = 'grok', to = 'claude', task = 'BPRD-2026-0042', status = 'Active', more = '' } = fields
  const id = `handoff-${from}-${to}-${task}-${DAY}`
  const later = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z')
  const text = `---
handoff_id: ${id}
from_agent: ${from}
to_agent: ${to}
related_task: ${task}
status: ${status}
created_at: 2026-02-21T14:30:00Z
updated_at: 2026-02-21T14:35:00Z
expires_at: ${later}
title: Add limits
purpose: |
  Two lines
  of purpose
context: Because
deliverables:
  - Middleware
verification_criteria:
  - npm test passes
source_meeting: meetings/x.md
skill_web_node: skills/api
acknowledged_at: null
acknowledged_by: null
acknowledgment_notes: null
completed_at: null
completion_verified_by: null
completion_notes: null
ticket: JIRA-7 # ours
${more}---

# Handoff: Add limits

Written by a script.
`
  return { id, text }
}
