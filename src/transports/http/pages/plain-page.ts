import { hash } from 'node:crypto'

const STYLE = `
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
section { margin-top: 1.25rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem;
  background: var(--card) }
@media (max-width: 32rem) { main { padding-top: 1.5rem } }
`

/** A page whose style is the only thing that its policy lets through. */
export function plainPage(title: string, main: string, { style = '', status = 200 } = {}): Response {
  const all = STYLE + style
  return new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Baton: ${title}</title><style>${all}</style></head><body><main>${main}</main></body></html>`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', all, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      },
    },
  )
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
