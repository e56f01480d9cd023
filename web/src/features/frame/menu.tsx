import { useEffect, useRef, useState } from 'react'
import type { Me } from '../../api/session.ts'
import { useShortcuts } from '../../ui/input/shortcuts.ts'
import { chooseTheme, currentTheme, THEMES } from '../../ui/theme.ts'
import { leave } from './log-out.ts'

/** The person who is logged in, and below the name the theme, the keys and the way out. */
export function Menu({ me, showKeys }: { readonly me: Me; readonly showKeys: () => void }) {
  const [isOpen, open] = useState(false)
  const [theme, setTheme] = useState(currentTheme)
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onPointer = ({ target }: Event) => {
      if (!menu.current?.contains(target as Node)) open(false)
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [isOpen])
  useShortcuts(
    {
      close: () => {
        open(false)
        menu.current?.querySelector('button')?.focus()
      },
    },
    isOpen,
  )
  return (
    <div className="menu" ref={menu}>
      <button
        type="button"
        className="quiet me"
        title={me.actor.name}
        aria-expanded={isOpen}
        onClick={() => open(!isOpen)}
      >
        {me.actor.name} <span aria-hidden="true">▾</span>
      </button>
      {isOpen && (
        <div className="card">
          <fieldset>
            <legend className="soft">Theme</legend>
            {THEMES.map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name="theme"
                  checked={theme === each}
                  onChange={() => {
                    chooseTheme(each)
                    setTheme(each)
                  }}
                />{' '}
                {each}
              </label>
            ))}
          </fieldset>
          <button
            type="button"
            className="quiet"
            onClick={() => {
              open(false)
              showKeys()
            }}
          >
            Keys <kbd>?</kbd>
          </button>
          <button type="button" className="quiet" onClick={() => leave()}>
            Log out
          </button>
        </div>
      )}
    </div>
  )
}
