import { escapeHtml, pageHeaders, STYLE } from './status-page.ts'

const EXTRA = `
a { color: var(--good); font-weight: 600 }
`
const ALL_STYLE = STYLE + EXTRA

const HEADERS = pageHeaders(ALL_STYLE)

/**
 * For somebody who followed a link of another site, such as one in a mail that is read in the browser: a refusal with
 * the way on. What stood behind the `#` of the link is left out: another site must not log anybody in.
 */
export function doorPage(request: Request): Response {
  const { pathname, search } = new URL(request.url)
  const way = escapeHtml(`/${(pathname + search).replace(/^[/\\]+/, '')}`)
  return new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Baton: one more click</title><style>${ALL_STYLE}</style></head><body><main>
<header><h1>One more click</h1></header>
<p>A link on another site brought you here. Other sites cannot open pages of Baton; you can:</p>
<section><a href="${way}">Open this page</a></section></main></body></html>`,
    { status: 403, headers: HEADERS },
  )
}
