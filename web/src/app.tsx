import { useEffect, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { Refusal } from './api/call.ts'
import { follow } from './api/live.ts'
import { LINK_REFUSED, type Me, useMe } from './api/session.ts'
import { Boundary } from './features/frame/boundary.tsx'
import { Frame } from './features/frame/frame.tsx'
import { Board } from './pages/board.tsx'
import { Login, LoginOver } from './pages/login.tsx'
import { ownDrafts } from './ui/input/drafts.ts'
import { later } from './ui/later.tsx'
import { Missing } from './ui/missing.tsx'
import { decoded } from './ui/pages.ts'
import { Failed, Loading } from './ui/states.tsx'
import { Repository } from './ui/text/linked.tsx'

const page = () => <Loading what="the page" />
const Inbox = later(async () => (await import('./pages/inbox.tsx')).Inbox, page)
const HandoffPage = later(async () => (await import('./pages/handoff.tsx')).HandoffPage, page)
const NewHandoff = later(async () => (await import('./pages/new.tsx')).NewHandoff, page)
const Tasks = later(async () => (await import('./pages/tasks.tsx')).Tasks, page)
const Agents = later(async () => (await import('./pages/agents.tsx')).Agents, page)
const Workflows = later(async () => (await import('./pages/workflows.tsx')).Workflows, page)
const Metrics = later(async () => (await import('./pages/metrics.tsx')).Metrics, page)
const Docs = later(async () => (await import('./pages/docs.tsx')).Docs, page)
const Audit = later(async () => (await import('./pages/audit.tsx')).Audit, page)

const BY_PATH: Readonly<Record<string, { prepare(): Promise<unknown> }>> = {
  ...{ inbox: Inbox, handoffs: HandoffPage, new: NewHandoff, tasks: Tasks, agents: Agents },
  ...{ workflows: Workflows, metrics: Metrics, docs: Docs, audit: Audit },
}
// The code of the page comes while the server is asked who is there. A failure is told when the page is shown.
BY_PATH[location.pathname.split('/')[1] ?? '']?.prepare().catch(() => undefined)

/** Whoever is not known is asked who they are; everybody else sees the pages. */
export function App() {
  const me = useMe()
  const { error } = me
  const name = me.data?.actor.name
  // Drafts are of one person. They are read only by pages below, which come after this.
  const [drafter, setDrafter] = useState<string>()
  useEffect(() => {
    if (name !== undefined) ownDrafts(name)
    setDrafter(name)
  }, [name])
  const isUnknown = error instanceof Refusal && error.status === 401
  const reason = isUnknown && error.code === LINK_REFUSED ? error.message : undefined
  // A session that ends takes no page away: somebody may be writing.
  if (me.data && drafter === name)
    return (
      <>
        <Pages key={me.data.actor.name} me={me.data} />
        {isUnknown && <LoginOver reason={reason} />}
      </>
    )
  if (me.isPending || me.data) return <Loading what="Baton" />
  return isUnknown ? <Login reason={reason} /> : <Failed error={me.error} again={me.refetch} />
}

function Pages({ me }: { readonly me: Me }) {
  const [path] = useLocation()
  useEffect(follow, [])
  return (
    <Repository value={me.repository}>
      <Frame me={me}>
        <Boundary key={path}>
          <Switch>
            <Route path="/">
              <Board me={me} />
            </Route>
            <Route path="/list">
              <Board me={me} isList />
            </Route>
            <Route path="/inbox">
              <Inbox me={me} />
            </Route>
            <Route path="/new">
              <NewHandoff />
            </Route>
            <Route path="/handoffs/:id">{() => <HandoffPage key={idInAddress()} id={idInAddress()} />}</Route>
            <Route path="/tasks">
              <Tasks />
            </Route>
            <Route path="/agents">
              <Agents />
            </Route>
            <Route path="/workflows">
              <Workflows />
            </Route>
            <Route path="/workflows/:id">{() => <Workflows id={idInAddress()} />}</Route>
            <Route path="/metrics">
              <Metrics />
            </Route>
            <Route path="/docs/*?">
              <Docs />
            </Route>
            <Route path="/audit">
              <Audit />
            </Route>
            <Route>
              <Missing what="such page" />
            </Route>
          </Switch>
        </Boundary>
      </Frame>
    </Repository>
  )
}

/** The router leaves `%3D` and the like as they are; ids may hold any letter. */
const idInAddress = (): string => decoded(location.pathname.split('/')[2] ?? '')
