import * as z from 'zod'
import type { Operation } from '../../../operations/operation.ts'
import { escapeHtml, plainPage } from './plain-page.ts'

const TABLES = `
nav { display: flex; flex-wrap: wrap; gap: .4rem .9rem; margin-top: 1rem }
nav a, section a { color: var(--good) }
article + article { margin-top: 1.5rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
article h3 { margin: 0; font: 600 1rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
article small { color: var(--soft); font-weight: 400 }
table { width: 100%; margin-top: .6rem; border-collapse: collapse; font-size: .9rem }
td { padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
td:first-child { font-family: ui-monospace, monospace; white-space: nowrap }
`

/** The surface for people: every operation with its fields, grouped as the command line groups them. */
export function referencePage(operations: readonly Operation[]): Response {
  const nouns = [...new Set(operations.map(nounOf))].sort()
  const body = nouns
    .map((noun) => {
      const list = operations.filter((op) => nounOf(op) === noun).map(article)
      return `<section id="${noun}"><h2>${noun}</h2>${list.join('')}</section>`
    })
    .join('')
  const links = nouns.map((noun) => `<a href="#${noun}">${noun}</a>`).join('')
  return plainPage(
    'HTTP reference',
    `<header><h1>HTTP reference</h1></header>
<p>Every call carries <b>Authorization: Bearer …</b>, made with <b>baton token create --agent NAME</b>. Writes take an
<b>Idempotency-Key</b>. Errors are RFC 9457 with <b>code</b>, <b>details</b> and <b>retry</b>. The same as a document:
<a href="/v1/openapi.json">openapi.json</a>. What happens, live: <b>GET /v1/events</b>.</p>
<nav>${links}</nav>${body}`,
    { style: TABLES },
  )
}

function article(op: Operation): string {
  const { properties = {}, required = [] } = z.toJSONSchema(op.input, { io: 'input', unrepresentable: 'any' })
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description = '', type = '' } = Object(schema)
    const must = required.includes(name) ? ' <small>required</small>' : ''
    return `<tr><td>${escapeHtml(name)}${must}</td><td>${escapeHtml(String(type))}</td><td>${escapeHtml(description)}</td></tr>`
  })
  return `<article id="${op.name}"><h3>${op.http.method} ${escapeHtml(op.http.path)} <small>${op.name} · ${op.scope}${op.peopleOnly ? ' · people only' : ''}</small></h3>
<p>${escapeHtml(op.summary)}</p>${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}</article>`
}

const nounOf = (op: Operation): string => op.name.slice(0, op.name.indexOf('_'))
