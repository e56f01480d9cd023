import { createContext, type ReactNode, useContext } from 'react'

/** The address of the repository on the web, where the server knows one. */
export const Repository = createContext<string | undefined>(undefined)

/** Without parts such as `..`, by which an agent could lead to a repository of its own. */
const inAddress = (text: string): string =>
  text
    .split('/')
    .filter((part) => !/^\.{1,2}$/.test(part))
    .map(encodeURIComponent)
    .join('/')

/** Addresses of GitHub's form; GitLab has its pages below `-`. */
function placesOf(repository: string) {
  const isGitLab = /^https:\/\/[^/]*gitlab/.test(repository)
  const base = isGitLab ? `${repository}/-` : repository
  return {
    commit: (hash: string) => `${base}/commit/${inAddress(hash)}`,
    branch: (name: string) => `${base}/tree/${inAddress(name)}`,
    pull: (number: string) => `${base}/${isGitLab ? 'merge_requests' : 'pull'}/${number}`,
    file: (path: string, commit: string) => `${base}/blob/${inAddress(commit)}/${inAddress(path)}`,
  }
}

export function usePlaces(): ReturnType<typeof placesOf> | undefined {
  const repository = useContext(Repository)
  return repository === undefined ? undefined : placesOf(repository)
}

/** A bare address; `commit 4f1c2aa`; `branch: feat/limits`; `PR #12`; a whole hash of a commit. */
const MEANT =
  /(?<url>https?:\/\/[^\s<>"'`]+)|(?<before>\bcommit:? )(?<commit>[0-9a-f]{7,40})\b|(?<hash>\b[0-9a-f]{40}\b)|(?<lead>\bbranch:? )(?<branch>[\w][\w./-]*\w)|(?<of>\b(?:PR|MR|pull request|merge request):? ?)(?<pull>#?\d{1,7})\b/gi

/** A text whose addresses, commits, branches and pull requests can be opened. */
export function Linked({ text }: { readonly text: string }): ReactNode {
  const places = usePlaces()
  const parts: ReactNode[] = []
  let at = 0
  for (const match of text.matchAll(MEANT)) {
    const { url, before = '', commit, hash, lead = '', branch, of = '', pull } = match.groups ?? {}
    const shown = url?.replace(/[.,;:!?)\]}]+$/, '') ?? commit ?? hash ?? branch ?? pull ?? ''
    const sha = commit ?? hash
    const href =
      url === undefined
        ? sha !== undefined
          ? places?.commit(sha)
          : branch !== undefined
            ? places?.branch(branch)
            : places?.pull(shown.replace('#', ''))
        : shown
    if (href === undefined) continue
    const start = match.index + before.length + lead.length + of.length
    parts.push(text.slice(at, start), <Outward key={start} href={href} text={shown} />)
    at = start + shown.length
  }
  return parts.length === 0 ? text : [...parts, text.slice(at)]
}

/** A link out of the dashboard, which tells nobody where it was; the text alone where no address is known. */
export function Outward({ href, text }: { readonly href: string | undefined; readonly text: string }) {
  if (href === undefined) return text
  return (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {text}
    </a>
  )
}
