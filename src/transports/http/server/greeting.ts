import type { Store } from '../../../service/service.ts'

export interface ServerPlace {
  readonly url: string
  /** Reachable from this machine only. */
  readonly local: boolean
  /** Names were given under which others reach it. */
  readonly named: boolean
  readonly tokens: number
  /** Nothing was ever handed over here. */
  readonly isEmpty?: boolean
  /** Lets whoever reads this into the dashboard, once and soon. */
  readonly code?: string | undefined
}

/** The greeting to a person who started the server: its address, its contents, the next command. */
export function greeting(
  store: Store['info'],
  { url, local, named, tokens, code, isEmpty }: ServerPlace,
): string {
  const lines = [
    `Baton is running at ${url}`,
    '',
    `  workspace  ${store.workspace}, in ${store.location} (${store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'})`,
    `  look       ${code === undefined ? `open ${url} in a browser; a link that lets you in: baton login` : `${url}/#login=${code}`}`,
    ...(code === undefined
      ? []
      : ['             opens the dashboard as you, once, within ten minutes; later: baton login']),
    ...(isEmpty
      ? ['  see it     baton demo plays a team at work in your browser (in a clone: npm run demo)']
      : []),
    '  next       baton send --to codex --title "Add rate limiting" --deliverable "Middleware in src/"',
    '             baton inbox --as codex',
    `  over HTTP  ${
      tokens === 0
        ? 'baton token create --agent codex --scope handoff:write'
        : `${tokens} ${tokens === 1 ? 'token' : 'tokens'}, see: baton token list`
    }`,
    `             BATON_URL=${url} BATON_TOKEN=baton_… baton inbox`,
    '  stop       Ctrl-C',
  ]
  if (!local) lines.push('', 'Other machines can reach it: let a proxy with TLS stand in front.')
  if (!local && !named) lines.push('Name the host they use with --allow-host, or they are refused.')
  if (!local && tokens === 0) lines.push('There is no token yet, so nobody can call it.')
  return lines.join('\n')
}
