import type { ReactNode } from 'react'
import { Scroll } from '../scroll.tsx'
import { useAddress } from './use-address.ts'

export interface Column<T> {
  readonly name: string
  readonly isNumber?: boolean
  /** The value that it is sorted by; without one it is not. */
  readonly by?: (item: T) => number | string
  readonly cell: (item: T) => ReactNode
}

/** A whole list with columns that can be sorted, the order in the address. */
export function SortedTable<T>(props: {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  readonly isOpen?: (item: T) => boolean
}) {
  const { label, columns, items, keyOf, isOpen } = props
  const [order, setOrder] = useAddress('sort')
  const isDown = order?.startsWith('-') ?? false
  const sorted = columns.find(({ name }) => name === order?.replace('-', ''))
  const by = sorted?.by
  const sign = isDown ? -1 : 1
  const shown = by ? items.toSorted((a, b) => sign * compare(by(a), by(b))) : items
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber, by: canSort }) => {
              const isThis = sorted?.name === name
              return (
                <th
                  key={name}
                  scope="col"
                  className={isNumber ? 'number' : ''}
                  aria-sort={isThis ? (isDown ? 'descending' : 'ascending') : undefined}
                >
                  {canSort ? (
                    <button
                      type="button"
                      className="sort"
                      onClick={() => setOrder(!isThis ? `-${name}` : isDown ? name : undefined)}
                    >
                      {name}
                      <span aria-hidden="true">{isThis ? (isDown ? ' ↓' : ' ↑') : ''}</span>
                    </button>
                  ) : (
                    name
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {shown.map((item) => (
            <tr key={keyOf(item)} className={isOpen?.(item) ? 'opened' : ''}>
              {columns.map(({ name, isNumber, cell }) => (
                <td key={name} className={isNumber ? 'number' : 'cell'}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)
