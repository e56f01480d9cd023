import MarkdownIt, { type Token } from 'markdown-it'
import { createContext, createElement, Fragment, type ReactNode, use } from 'react'
import { Link as PageLink } from 'wouter'
import { Diff } from './diff.tsx'
import { Linked } from './linked.tsx'

const reader = new MarkdownIt({ html: false, linkify: false })
/** Elements that are made of markdown; whatever else stands in it is shown as text. */
const ELEMENTS = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'strong',
  'em',
  's',
  'code',
  'pre',
  'hr',
  'br',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'a',
])
/** Elements whose text may run from right to left. */
const DIRECTED = /^(?:p|h\d|li|blockquote|t[hd])$/
/** HTML has no heading below this level. */
const DEEPEST = 6
const SAFE_LINK = /^(?:https?:|mailto:|\/(?!\/)|#)/i
/** Nobody reads more of one text on a page, and a browser should not have to. */
const LONGEST = 100_000

/**
 * Markdown as elements. Nothing is ever put into the page as HTML, pictures are shown as their words because fetching
 * one tells its owner who looks, and links lead out of the page without telling where from. `below` is the level of the
 * heading that it stands under.
 */
export function Markdown({ text, below, at }: MarkdownText) {
  return (
    <Place value={at}>
      <div className="markdown wrap">{toNodes(lowered(reader.parse(text.slice(0, LONGEST), {}), below))}</div>
    </Place>
  )
}

interface MarkdownText {
  readonly text: string
  readonly below: number
  /** The address of a page of the documentation; its links to other pages stay in the dashboard. */
  readonly at?: string
}

const Place = createContext<string | undefined>(undefined)

/** The address of another page of the documentation. */
function docsPage(href: string, at: string): string | undefined {
  const { origin, pathname } = new URL(href, new URL(at, location.origin))
  const [, page] = /^(\/docs\/.+)\.md$/.exec(pathname) ?? []
  return origin === location.origin ? page : undefined
}

/** Moves headings below the one that they stand under, without leaving a level out. */
function lowered(tokens: readonly Token[], below: number): readonly Token[] {
  const above: number[] = []
  for (const token of tokens) {
    const level = Number(/^h([1-6])$/.exec(token.tag)?.[1] ?? 0)
    if (level === 0) continue
    if (token.nesting === 1) {
      while ((above.at(-1) ?? 0) >= level) above.pop()
      above.push(level)
    }
    token.tag = `h${Math.min(DEEPEST, below + above.length)}`
  }
  return tokens
}

function toNodes(tokens: readonly Token[]): ReactNode {
  const stack: ReactNode[][] = [[]]
  let key = 0
  for (const token of tokens) {
    if (token.nesting === 1) stack.push([])
    else if (token.nesting === -1) {
      const children = stack.pop() ?? []
      stack.at(-1)?.push(element(token, children, key++))
    } else stack.at(-1)?.push(leaf(token, key++))
  }
  return stack.flat()
}

function element(token: Token, children: ReactNode[], key: number): ReactNode {
  // The lines of a list that stand close together are no paragraphs.
  if (token.hidden) return <Fragment key={key}>{children}</Fragment>
  const tag = ELEMENTS.has(token.tag) ? token.tag : 'span'
  if (tag === 'a') return <Link key={key}>{children}</Link>
  return createElement(tag, { key, ...(DIRECTED.test(tag) && { dir: 'auto' }) }, ...children)
}

function leaf(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'inline':
      return <Fragment key={key}>{inline(token.children ?? [])}</Fragment>
    case 'fence':
    case 'code_block':
      if (token.info === 'diff') return <Diff key={key} text={token.content} />
      return (
        <pre key={key}>
          <code>{token.content}</code>
        </pre>
      )
    case 'hr':
      return <hr key={key} />
    default:
      return token.content
  }
}

/** Inline tokens, with links that are followed only where they lead to the web or into this page. */
function inline(tokens: readonly Token[]): ReactNode {
  const stack: { readonly open?: Token; readonly nodes: ReactNode[] }[] = [{ nodes: [] }]
  let key = 0
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ open: token, nodes: [] })
    else if (token.nesting === -1) {
      const { open, nodes } = stack.pop() ?? { nodes: [] }
      const made =
        token.tag === 'a' ? (
          <Link key={key++} href={String(open?.attrGet('href') ?? '')}>
            {nodes}
          </Link>
        ) : (
          createElement(ELEMENTS.has(token.tag) ? token.tag : 'span', { key: key++ }, ...nodes)
        )
      stack.at(-1)?.nodes.push(made)
    } else
      stack
        .at(-1)
        ?.nodes.push(<Fragment key={key++}>{inlineLeaf(token, stack.length > 1, key === 0)}</Fragment>)
  }
  return stack.flatMap(({ nodes }) => nodes)
}

function inlineLeaf(token: Token, isInside: boolean, isFirst: boolean): ReactNode {
  if (token.type === 'softbreak') return '\n'
  if (token.type === 'hardbreak') return <br />
  if (token.type === 'code_inline') return <code>{token.content}</code>
  if (token.type === 'image') return `[picture: ${token.content}]`
  const text = isFirst
    ? token.content.replace(/^\[( |x)\] /i, (_, x) => (x === ' ' ? '☐ ' : '☑ '))
    : token.content
  return isInside ? text : <Linked text={text} />
}

function Link({ href, children }: { readonly href?: string | undefined; readonly children: ReactNode }) {
  const at = use(Place)
  const page = href !== undefined && at !== undefined ? docsPage(href, at) : undefined
  if (page !== undefined) return <PageLink href={page}>{children}</PageLink>
  if (href === undefined || !SAFE_LINK.test(href)) return <span>{children}</span>
  return (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
  )
}
