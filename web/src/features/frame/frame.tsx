import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useConnection } from '../../api/live.ts'
import { useOperation } from '../../api/queries.ts'
import { type Me, useMay } from '../../api/session.ts'
import { followTyping } from '../../ui/input/keys.ts'
import { followShortcuts, keyLabel, useShortcuts } from '../../ui/input/shortcuts.ts'
import { decoded, PAGES } from '../../ui/pages.ts'
import { ToastRoom } from '../../ui/toast.tsx'
import { KeysPage } from './keys-page.tsx'
import { Menu } from './menu.tsx'
import { Palette } from './palette.tsx'
import { usePlace } from './use-place.ts'

const CONNECTIONS = { connecting: 'connecting', live: 'live', lost: 'connection lost, trying again' } as const

/** What every page has around it: where one can go, who one is, whether it is live. */
export function Frame({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
  const [location, go] = useLocation()
  const [isSearching, search] = useState(false)
  const connection = useConnection()
  const waiting = useWaiting()
  const [isHelping, help] = useState(false)
  const maySend = useMay('handoff:write')
  useShortcuts({
    find: () => search(true),
    ...(maySend && { new: () => go('/new') }),
    help: () => help(true),
    go: (key) => go(PAGES.find((page) => page.key === key)?.path ?? '/'),
  })
  useEffect(followShortcuts, [])
  usePlace()
  useArriving(location)
  useEffect(followTyping, [])
  useEffect(() => {
    const name = PAGES.find(({ path }) => path === location)?.name ?? location.split('/').at(-1)
    document.title = `${waiting ? `(${waiting}) ` : ''}${decoded(name ?? '')} · Baton`
    // On a phone the menu is wider than the screen.
    document.querySelector('.top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
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
              {path === '/inbox' && waiting && (
                <span className="count">
                  {waiting}
                  <span className="unseen"> waiting for you</span>
                </span>
              )}
            </Link>
          ))}
        </nav>
        <div className="who">
          {maySend && (
            <Link href="/new" className="new">
              New <kbd>c</kbd>
            </Link>
          )}
          <Link href="/docs" className="docs-link">
            Docs
          </Link>
          <button type="button" className="quiet" onClick={() => search(true)}>
            Find <kbd>{keyLabel('mod+k')}</kbd>
          </button>
          <span className={`live ${connection}`} role="status" title={CONNECTIONS[connection]}>
            <span>{CONNECTIONS[connection]}</span>
          </span>
          <Menu me={me} showKeys={() => help(true)} />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <ToastRoom />
      {isSearching && <Palette me={me} close={() => search(false)} />}
      {isHelping && <KeysPage close={() => help(false)} />}
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
    if (!content?.contains(document.activeElement)) content?.focus({ preventScroll: true })
  }, [location])
}

/** How much waits for this person; `100+` where an answer does not hold all of it. */
function useWaiting(): string | undefined {
  const { data } = useOperation('handoff_inbox', { limit: 100 })
  const count = (data?.items.length ?? 0) + (data?.notices.length ?? 0)
  return count === 0 ? undefined : `${count}${data?.next ? '+' : ''}`
}

const isAt = (location: string, path: string): boolean =>
  path === '/' ? /^\/(?:$|list|handoffs)/.test(location) : location.startsWith(path)
