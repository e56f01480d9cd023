// Handoffs in files: read, checked, changed in place and converted, without a workspace.
import { check, convert, readDocuments, rewrite } from 'batonpass/documents'

const text = `The limits are in.

\`\`\`yaml
handoff:
  phase: Implementation
  from: "@planner"
  to: "@codex" # agreed in the standup
  status: complet
  context:
    summary: The API needs limits before launch.
\`\`\`
`

const [checked] = check(text, { path: 'report.md' })
for (const { line, message } of checked?.diagnostics ?? []) console.log(line, message)

const [document] = readDocuments(text, { path: 'report.md' })
if (document?.draft) {
  const changed = rewrite(document, { ...document.draft, to: 'gemini' })
  console.log(changed.split('\n')[6])
}

const { text: written, losses } = convert(text, 'package', { path: 'report.md' })
console.log(written.split('\n').slice(0, 3).join('\n'))
for (const { field, reason } of losses) console.log(`lost: ${field} (${reason})`)

// Prints:
// 8 Invalid status: complet. Write one of pending, in_progress, complete, failed, blocked, retry.
//   to: "@gemini" # agreed in the standup
// handoff:
//   from:
//     agent: planner
// lost: handoff.status (complet is not read)
// lost: phase (a package counts steps, not phases)
// lost: body (a package is data without text around it)
