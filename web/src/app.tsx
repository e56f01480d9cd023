import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { Refusal } from './api/call.ts'
import { follow } from './api/live.ts'
import { type Me, useMe } from './api/session.ts'
import { Board } from './pages/board.tsx'
import { Login } from './pages/login.tsx'
import { Frame } from './ui/frame.tsx'
import { Failed, Loading } from './ui/states.tsx'

const Inbox = lazy(async () => ({ default: (await import('./pages/inbox.tsx')).Inbox }))
const HandoffPage = lazy(async () => ({ default: (await import('./pages/handoff.tsx')).HandoffPage }))
const Tasks = lazy(async () => ({ default: (await import('./pages/tasks.tsx')).Tasks }))
const Agents = lazy(async () => ({ default: (await import('./pages/agents.tsx')).Agents }))
const Workflows = lazy(async () => ({ default: (await import('./pages/workflows.tsx')).Workflows }))
const Metrics = lazy(async () => ({ default: (await import('./pages/metrics.tsx')).Metrics }))
const Audit = lazy(async () => ({ default: (await import('./pages/audit.tsx')).Audit }))

/** Whoever is not known is asked who they are; everybody else sees the pages. */
export function App() {
  const me = useMe()
  if (me.isPending) return <Loading what="Baton" />
  if (me.error)
    return me.error instanceof Refusal && me.error.status === 401 ? <Login /> : <Failed error={me.error} />
  return <Pages me={me.data} />
}

function Pages({ me }: { readonly me: Me }) {
  useEffect(follow, [])
  return (
    <Frame me={me}>
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          <Route path="/">
            <Board />
          </Route>
          <Route path="/inbox">
            <Inbox me={me} />
          </Route>
          <Route path="/handoffs/:id">{({ id }) => <HandoffPage key={id} id={id} me={me} />}</Route>
          <Route path="/tasks">
            <Tasks />
          </Route>
          <Route path="/agents">
            <Agents />
          </Route>
          <Route path="/workflows">
            <Workflows />
          </Route>
          <Route path="/workflows/:id">{({ id }) => <Workflows id={id} />}</Route>
          <Route path="/metrics">
            <Metrics />
          </Route>
          <Route path="/audit">
            <Audit />
          </Route>
          <Route>
            <p className="empty">There is no such page. Choose one from the list.</p>
          </Route>
        </Switch>
      </Suspense>
    </Frame>
  )
}
