import { useEffect, useRef } from 'react'
import { keyLabel, SHORTCUTS } from '../../ui/input/shortcuts.ts'

const all = Object.values(SHORTCUTS)
const groups = [...new Set(all.map(({ where }) => where))]

/** All keys, from the table that they work by. */
export function KeysPage({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="palette keys" onClose={close} aria-label="Keys">
      <div className="row">
        <h2 className="grow">Keys</h2>
        <button type="button" className="quiet" onClick={close}>
          Close
        </button>
      </div>
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h3>{group}</h3>
          <dl>
            {all
              .filter(({ where }) => where === group)
              .map(({ keys, does }) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{keyLabel(key)}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <p className="soft">In a field, Enter sends, Shift Enter begins a line and Escape goes back.</p>
    </dialog>
  )
}
