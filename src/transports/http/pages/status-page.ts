import { hash } from 'node:crypto'
import { ENDS, OPEN_STATES } from '../../../domain/lifecycle.ts'
import { TASK_STATES } from '../../../domain/tasks/task.ts'
import { inWords } from '../../../domain/texts/visible.ts'
import type { ServerStatus } from './status.ts'

export const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f7f5, #14171a);
  --card: light-dark(#ffffff, #1c2024);
  --line: light-dark(#dfe3dd, #30363c);
  --text: light-dark(#1d2420, #e6eae7);
  --soft: light-dark(#5b665f, #9aa6a0);
  --good: light-dark(#1a7f4b, #4cc585);
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em }
h2 { margin: 0 0 .75rem; font-size: 1rem }
p { margin: .5rem 0 0; color: var(--soft); max-width: 44rem }
.up { color: var(--good); font-weight: 600 }
.up::before { content: ""; display: inline-block; width: .6em; height: .6em; margin-right: .45em;
  border-radius: 50%; background: currentColor }
section { margin-top: 1.25rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem;
  background: var(--card) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; margin: 0 }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.numbers { display: grid; grid-template-columns: repeat(4, 1fr); gap: .6rem; margin: 0; padding: 0;
  list-style: none }
.numbers.five { grid-template-columns: repeat(5, 1fr) }
h2 + .numbers ~ h2 { margin-top: 1.25rem }
.numbers li { padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .5rem; color: var(--soft) }
.numbers b { display: block; color: var(--text); font-size: 1.5rem; line-height: 1.2;
  font-variant-numeric: tabular-nums }
.numbers .none b { color: var(--soft); font-weight: 400 }
ol { margin: 0; padding-left: 1.25rem }
ol li + li { margin-top: .9rem }
code { display: block; margin-top: .3rem; padding: .5rem .75rem; border-radius: .5rem; background: var(--page);
  font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
code span { display: inline-block; max-width: 100% }
@media (max-width: 32rem) {
  main { padding-top: 1.5rem }
  dl { grid-template-columns: 1fr; gap: 0 }
  dd + dt { margin-top: .5rem }
  .numbers, .numbers.five { grid-template-columns: repeat(2, 1fr) }
}
`

/** A page whose style is the only thing that its policy lets through, beside the sources named. */
export const pageHeaders = (style: string, ...more: readonly string[]): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
})

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect x='-2' y='6' width='20' height='4' rx='2' fill='%231a7f4b' transform='rotate(-35 8 8)'/%3E%3C/svg%3E"

const INTRODUCTION =
  'Baton passes work between agents and people: checked before it is sent, taken by exactly one receiver, ' +
  'verified before it closes, and written to a log that nobody can quietly edit.'

/** Numbers and commands, and no text that a handoff holds. Without script and without any outside request. */
export function statusPage(status: ServerStatus): string {
  const { engine, location } = status.store
  return page(`
<section aria-labelledby="here"><h2 id="here">This server</h2><dl>
${term('Address', status.address)}
${term('Workspace', status.workspace)}
${term('Store', `${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${location}`)}
${term('Agents', String(status.agents))}
${term('Log', `${status.entries} entries`)}
</dl></section>
<section>
${numbers('Open handoffs', OPEN_STATES, status.handoffs)}
${numbers('Ended handoffs', ENDS, status.handoffs)}
</section>
<section>
${numbers('Tasks', TASK_STATES, status.tasks)}
</section>
<section aria-labelledby="next"><h2 id="next">What to do next</h2><ol>${nextSteps(status)}</ol></section>`)
}

/** The page for a stranger: that something is here, and nothing of what it holds. */
export function plainPage(): string {
  return page(`<section><h2>This server answers whoever has a token</h2>
<p>Ask the person who runs it for one, then type:</p>
<code>BATON_URL=… BATON_TOKEN=baton_… baton inbox</code></section>`)
}

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baton</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body><main>
<header><h1>Baton</h1><span class="up">running</span></header>
<p>${INTRODUCTION}</p>
${content.trim()}
</main></body>
</html>
`
}

function numbers<S extends string>(
  title: string,
  states: readonly S[],
  counts: Readonly<Partial<Record<S, number>>>,
): string {
  const items = states.map((state) => {
    const count = counts[state] ?? 0
    return `<li${count === 0 ? ' class="none"' : ''}><b>${count}</b>${escapeHtml(inWords(state))}</li>`
  })
  return `<h2>${title}</h2>\n<ul class="numbers${states.length % 5 === 0 ? ' five' : ''}">\n${items.join('\n')}\n</ul>`
}

function nextSteps({ address, hasTokens }: ServerStatus): string {
  const steps = [
    [
      'Hand over work',
      'baton send --to codex --title "Add rate limiting" --deliverable "Middleware in src/"',
    ],
    ['See what waits for an agent', 'baton inbox --as codex'],
    [
      hasTokens ? 'Give another agent a token' : 'Give an agent a token, so that it can work over HTTP',
      'baton token create --agent codex --scope handoff:write',
    ],
    ['Let it work through this server', `BATON_URL=${address} BATON_TOKEN=baton_… baton inbox`],
  ] as const
  return steps.map(([what, command]) => `<li>${escapeHtml(what)}${toCode(command)}</li>`).join('\n')
}

/** A command that wraps between its words, not within an option. */
function toCode(command: string): string {
  const words = command.split(' ').map((word) => `<span>${escapeHtml(word)}</span>`)
  return `<code>${words.join(' ')}</code>`
}

function term(name: string, value: string): string {
  return `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
