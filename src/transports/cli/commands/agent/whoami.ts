import { BatonError } from '../../../../domain/errors.ts'
import { present } from '../../../../domain/present.ts'
import { resolveActor } from '../../../../workspace/identity.ts'
import type { Command } from '../../command.ts'
import type { Session } from '../../session/session.ts'
import type { Shell } from '../../shell.ts'

interface Identity {
  readonly actor: { readonly name: string; readonly kind: string; readonly auth: string }
  readonly why: string
  readonly workspace?: { readonly root: string; readonly found: string; readonly config?: string }
  readonly store?: {
    readonly engine: string
    readonly location: string
    readonly workspace: string
    readonly schema: number
  }
  readonly server?: string
}

export const whoami: Command = {
  name: 'whoami',
  summary: 'Your name here and its source, the workspace and its store.',
  examples: ['baton whoami', 'baton whoami --as codex --json'],
  async run(shell) {
    const identity = await identify(shell)
    shell.answer(identity, () => identityView(shell, identity))
  },
}

async function identify(shell: Shell): Promise<Identity> {
  let session: Session
  try {
    session = await shell.open({ write: false })
  } catch (error) {
    // A store that was named and is not there is a mistake, and no answer about another place.
    if (!(error instanceof BatonError) || error.code !== 'not_found' || error.details.file !== undefined)
      throw error
    // Without a workspace the caller has a name all the same.
    return resolveActor({ as: shell.as, environment: shell.io.env, isTerminal: shell.io.isTerminal })
  }
  const actor = await session.actor()
  const { context } = session
  if (!context) return { actor, why: 'named by the token', server: shell.io.env.url ?? '' }
  const { workspace } = context
  const { engine, location, workspace: name, schema } = context.service.deps.store.info
  return present({
    actor,
    why: context.why,
    workspace:
      workspace && present({ root: workspace.root, found: workspace.found, config: workspace.configFile }),
    store: { engine, location, workspace: name, schema },
  })
}

function identityView(shell: Shell, { actor, why, workspace, store, server }: Identity): string {
  const rows: [string, string][] = [['You', `${actor.name} (${actor.kind}), ${why}`]]
  if (server !== undefined) rows.push(['Server', server])
  else rows.push(['Workspace', workspace ? workspace.root : 'none; make one with: baton init'])
  if (workspace?.config) rows.push(['Settings', workspace.config])
  if (store)
    rows.push([
      'Store',
      `${store.location} (${store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, schema ${store.schema})`,
    ])
  return shell.screen.fields(rows)
}
