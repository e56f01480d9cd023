import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useConnection } from '../../api/live.ts'
import { useOperation } from '../../api/queries.ts'
import { logOut, type Me } from '../../api/session.ts'
import { followTyping, isTyping } from '../../ui/keys.ts'
import { decoded, PAGES } from '../../ui/pages.ts'
import { Palette } from './palette.tsx'

const CONNECTIONS = { connecting: 'connecting', live: 'live', lost: 'connection lost, trying again' } as const

/** What every page has around it: where one can go, who one is, whether it is live. */
export function Frame({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
  const [location, go] = useLocation()
  const [isSearching, search] = useState(false)
  const connection = useConnection()
  const waiting = useWaiting()
  useKeys(go, () => search(true))
  useArriving(location)
  useEffect(followTyping, [])
  useEffect(() => {
    const name = PAGES.find(({ path }) => path === location)?.name ?? location.split('/').at(-1)
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${decoded(name ?? '')} · Baton`
  }, [location, waiting])
  return (
    <>
      <a className="skip" href="#content">
        To the content
      </a>
      <header className="top">
        <Link href="/" className="brand">
          <img src="/icon.svg" alt="" width="22" height="22" /> Baton
        </Link>
        <nav aria-label="Pages">
          {PAGES.map(({ path, name }) => (
            <Link key={path} href={path} aria-current={isAt(location, path) ? 'page' : undefined}>
              {name}
              {path === '/inbox' && waiting > 0 && (
                <span className="count">
                  {waiting}
                  <span className="unseen"> waiting for you</span>
                </span>
              )}
            </Link>
          ))}
        </nav>
        <div className="who">
          <Link href="/new" className="new">
            New <kbd>c</kbd>
          </Link>
          <button type="button" className="quiet" onClick={() => search(true)}>
            Find <kbd>Ctrl K</kbd>
          </button>
          <span className={`live ${connection}`} role="status">
            {CONNECTIONS[connection]}
          </span>
          <span className="me" title={me.actor.name}>
            {me.actor.name}
          </span>
          <button type="button" className="quiet" onClick={() => logOut()}>
            Log out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {isSearching && <Palette close={() => search(false)} />}
    </>
  )
}

/** Whoever goes to another page without a pointer begins at its content, not at the end of the menu again. */
function useArriving(location: string): void {
  const before = useRef(location)
  useEffect(() => {
    if (before.current === location) return
    before.current = location
    const content = document.getElementById('content')
    if (!content?.contains(document.activeElement)) content?.focus()
  }, [location])
}

/** How much waits for this person, as far as a first page tells. */
function useWaiting(): number {
  const { data } = useOperation('handoff_inbox', { limit: 100 })
  return (data?.items.length ?? 0) + (data?.notices.length ?? 0)
}

const isAt = (location: string, path: string): boolean =>
  path === '/' ? location === '/' || location.startsWith('/handoffs') : location.startsWith(path)

/** `Ctrl K` finds, `c` begins a handoff, `g` and a letter goes. Keys that are typed into a field are text. */
function useKeys(go: (path: string) => void, find: () => void): void {
  useEffect(() => {
    let leading = false
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        find()
        return
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === '/') {
        event.preventDefault()
        find()
        return
      }
      if (event.key === 'c' && !leading) {
        event.preventDefault()
        go('/new')
        return
      }
      const page = leading && PAGES.find(({ key }) => key === event.key)
      leading = event.key === 'g'
      if (page) go(page.path)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [go, find])
}
