import type { ReactNode } from 'react'
import { Scroll } from '../scroll.tsx'

export interface Column<T> {
  readonly name: string
  readonly cell: (item: T) => ReactNode
  /** Names it in the address; its own name unless said. */
  readonly key?: string
  readonly isNumber?: boolean
  readonly className?: string
  readonly title?: (item: T) => string
  /** The value that it is sorted by; without one it is not. */
  readonly by?: (item: T) => number | string
  /** The first click shows the highest first. */
  readonly isDown?: boolean
}

/** The order that the address names: `key`, or `-key` from the other end. Nothing sorts a list that is not whole. */
export interface Order {
  readonly order: string | undefined
  readonly set: (order: string | undefined) => void
}

/** A list with columns. On a phone each row is a block, and a cell names its column: nothing is cut. */
export function Table<T>(props: {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  readonly isOpen?: (item: T) => boolean
  readonly order?: Order | undefined
  readonly className?: string
  /** One cell for the whole row, for an item that has no columns. */
  readonly whole?: (item: T) => ReactNode
}) {
  const { label, columns, items, keyOf, isOpen, order, className, whole } = props
  return (
    <Scroll label={label}>
      <table className={className === undefined ? 'rows' : `rows ${className}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(columns, items, order?.order).map((item) => {
            const all = whole?.(item)
            return (
              <tr key={keyOf(item)} className={isOpen?.(item) ? 'opened' : ''}>
                {all ? (
                  <td colSpan={columns.length}>{all}</td>
                ) : (
                  columns.map(({ name, isNumber, className: look = '', title, cell }) => (
                    <td
                      key={name}
                      data-name={name}
                      className={isNumber ? `number ${look}` : look}
                      title={title?.(item)}
                    >
                      {cell(item)}
                    </td>
                  ))
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scroll>
  )
}

function Heading<T>(props: { readonly column: Column<T>; readonly order: Order | undefined }) {
  const { column, order } = props
  const { name, isNumber, by, isDown } = column
  const [up, down] = [keyOfColumn(column), `-${keyOfColumn(column)}`]
  const now = order?.order
  const [first, second] = isDown ? [down, up] : [up, down]
  const next = now === first ? second : now === second ? undefined : first
  return (
    <th
      scope="col"
      className={isNumber ? 'number' : ''}
      aria-sort={now === up ? 'ascending' : now === down ? 'descending' : undefined}
    >
      {by && order ? (
        <button type="button" className="sort" onClick={() => order.set(next)}>
          {name}
          <span aria-hidden="true">{now === up ? ' ↑' : now === down ? ' ↓' : ''}</span>
        </button>
      ) : (
        name
      )}
    </th>
  )
}

const keyOfColumn = <T,>({ key, name }: Column<T>): string => key ?? name

/** The items in the order that the address names; as they came where it names none. */
export function sorted<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  order: string | undefined,
): readonly T[] {
  const by = columns.find((column) => keyOfColumn(column) === order?.replace(/^-/, ''))?.by
  if (!by) return items
  const sign = order?.startsWith('-') ? -1 : 1
  return items.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)]
    return x < y ? -sign : x > y ? sign : 0
  })
}
