import { useShortcuts } from '../../ui/input/shortcuts.ts'

const all = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>('#content [data-id]:not(.panel *)'),
]

/** The row or tile of an entry: the focus goes back there when its panel is closed. */
export const entryOf = (id: string): HTMLElement | null =>
  document.querySelector(`#content [data-id="${CSS.escape(id)}"]:not(.panel *)`)

/** Keys go from one entry to the next: in the panel while one is open, else by the focus. */
export function useStepping(open: string | undefined, show: (id: string) => void): void {
  const go = (to: HTMLElement | undefined) => {
    if (!to) return
    to.scrollIntoView({ block: 'nearest' })
    if (open === undefined) to.focus()
    else if (to.dataset.id !== undefined) show(to.dataset.id)
  }
  const current = () => {
    const entries = all()
    const focused = document.activeElement?.closest<HTMLElement>('[data-id]')
    const at =
      open === undefined
        ? entries.indexOf(focused ?? entries[-1]!)
        : entries.findIndex(({ dataset }) => dataset.id === open)
    return { entries, at }
  }
  const step = (by: number) => (key: string) => {
    const { entries, at } = current()
    // Without a place the arrows scroll.
    if (at === -1 && key.startsWith('Arrow')) return false
    go(entries[at === -1 ? 0 : at + by])
    return true
  }
  const column = (by: number) => () => {
    const { entries, at } = current()
    const here = entries[at]?.closest('.column')
    if (!here || open !== undefined) return false
    const columns = [...document.querySelectorAll('#content .column:has([data-id])')]
    go(columns[columns.indexOf(here) + by]?.querySelector<HTMLElement>('[data-id]') ?? undefined)
    return true
  }
  useShortcuts({ next: step(1), previous: step(-1), right: column(1), left: column(-1) })
}
