import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { Refusal } from './api/call.ts'
import { follow } from './api/live.ts'
import { LINK_REFUSED, type Me, useMe } from './api/session.ts'
import { Boundary } from './features/frame/boundary.tsx'
import { Frame } from './features/frame/frame.tsx'
import { Board } from './pages/board.tsx'
import { Login, LoginOver } from './pages/login.tsx'
import { Missing } from './ui/missing.tsx'
import { decoded } from './ui/pages.ts'
import { Failed, Loading } from './ui/states.tsx'

const Inbox = lazy(async () => ({ default: (await import('./pages/inbox.tsx')).Inbox }))
const HandoffPage = lazy(async () => ({ default: (await import('./pages/handoff.tsx')).HandoffPage }))
const NewHandoff = lazy(async () => ({ default: (await import('./pages/new.tsx')).NewHandoff }))
const Tasks = lazy(async () => ({ default: (await import('./pages/tasks.tsx')).Tasks }))
const Agents = lazy(async () => ({ default: (await import('./pages/agents.tsx')).Agents }))
const Workflows = lazy(async () => ({ default: (await import('./pages/workflows.tsx')).Workflows }))
const Metrics = lazy(async () => ({ default: (await import('./pages/metrics.tsx')).Metrics }))
const Audit = lazy(async () => ({ default: (await import('./pages/audit.tsx')).Audit }))

/** Whoever is not known is asked who they are; everybody else sees the pages. */
export function App() {
  const me = useMe()
  const { error } = me
  const isUnknown = error instanceof Refusal && error.status === 401
  const reason = isUnknown && error.code === LINK_REFUSED ? error.message : undefined
  // A session that ends takes no page away: somebody may be writing.
  if (me.data)
    return (
      <>
        <Pages key={me.data.actor.name} me={me.data} />
        {isUnknown && <LoginOver reason={reason} />}
      </>
    )
  if (me.isPending) return <Loading what="Baton" />
  return isUnknown ? <Login reason={reason} /> : <Failed error={me.error} again={me.refetch} />
}

function Pages({ me }: { readonly me: Me }) {
  const [path] = useLocation()
  useEffect(follow, [])
  return (
    <Frame me={me}>
      <Boundary key={path}>
        <Suspense fallback={<Loading what="the page" />}>
          <Switch>
            <Route path="/">
              <Board />
            </Route>
            <Route path="/inbox">
              <Inbox me={me} />
            </Route>
            <Route path="/new">
              <NewHandoff />
            </Route>
            <Route path="/handoffs/:id">
              {() => <HandoffPage key={idInAddress()} id={idInAddress()} me={me} />}
            </Route>
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
            <Route path="/audit">
              <Audit />
            </Route>
            <Route>
              <Missing what="such page" />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Frame>
  )
}

/** The router leaves `%3D` and the like as they are; ids may hold any letter. */
const idInAddress = (): string => decoded(location.pathname.split('/')[2] ?? '')
