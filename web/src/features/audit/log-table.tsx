import { Link } from 'wouter'
import { present } from '../../../../src/domain/present.ts'
import { inWords } from '../../../../src/domain/texts/visible.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { isMissing } from '../../api/call.ts'
import { useOperation } from '../../api/queries.ts'
import { type Column, Table } from '../../ui/lists/table.tsx'
import { useAddress, useTyped } from '../../ui/lists/use-address.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

type Entry = OperationOutput<'audit_log'>['items'][number]

const PAGE = 50
/** Entries about one thing; nobody reads more of them at once. */
const MOST_ABOUT = 200
const CURSOR = /^\d{1,15}$/

/** The log, the newest first. Where it is looked at, and what about, stands in the address. */
export function LogTable({ entries }: { readonly entries: number }) {
  const [given = '', go] = useAddress('after')
  const [about] = useAddress('about')
  const typed = useTyped('about')
  const limit = about === undefined ? PAGE : MOST_ABOUT
  const first = about === undefined ? Math.max(0, entries - PAGE) : 0
  const after = CURSOR.test(given) ? Number(given) : first
  const log = useOperation('audit_log', {
    limit,
    cursor: String(after),
    ...present({ about: about?.trim() }),
  })
  const items = [...(log.data?.items ?? [])].reverse()
  return (
    <>
      <search className="filters">
        <label>
          <span className="soft">About </span>
          <input
            type="search"
            placeholder="id, such as HO-2026-001"
            value={typed.value}
            onChange={({ target }) => typed.onChange(target.value)}
          />
        </label>
        <span className="soft">{entries.toLocaleString('en')} entries</span>
      </search>
      {log.isPending && <Loading what="the log" />}
      {isMissing(log.error) && <Empty>No results.</Empty>}
      {log.error && !isMissing(log.error) && !log.data && <Failed error={log.error} again={log.refetch} />}
      {log.data && items.length === 0 && <Empty>The log is empty.</Empty>}
      {items.length > 0 && (
        <Table
          label="Entries"
          className="log"
          columns={COLUMNS}
          items={items}
          keyOf={({ number }) => String(number)}
        />
      )}
      {(about === undefined || after > 0 || log.data?.next) && (
        <nav className="row" aria-label="Pages of the log">
          <button type="button" disabled={!log.data?.next} onClick={() => go(log.data?.next)}>
            Newer
          </button>
          <button type="button" disabled={after === 0} onClick={() => go(String(Math.max(0, after - limit)))}>
            Older
          </button>
          {given !== '' && (
            <button type="button" className="quiet" onClick={() => go(undefined)}>
              The newest
            </button>
          )}
        </nav>
      )}
    </>
  )
}

const COLUMNS: readonly Column<Entry>[] = [
  { name: 'No.', isNumber: true, cell: ({ number }) => number },
  { name: 'What', title: ({ act }) => act, cell: ({ act }) => inWords(act.replace('.', ' ')) },
  { name: 'By', cell: ({ by }) => by },
  { name: 'About', title: ({ subject }) => subject, cell: (entry) => <About entry={entry} /> },
  { name: 'When', cell: ({ at }) => <Time at={at} /> },
  { name: 'Hash', className: 'mono cut', title: ({ hash }) => hash, cell: ({ hash }) => hash },
]

/** The id that people use, with a link to it; else the key in the store. */
function About({ entry: { act, subject, id } }: { readonly entry: Entry }) {
  if (id === undefined) return <span className="mono cut">{subject}</span>
  const kind = act.slice(0, act.indexOf('.'))
  const place = kind === 'task' ? '/tasks?open=' : kind === 'workflow' ? '/workflows/' : '/handoffs/'
  return <Link href={`${place}${encodeURIComponent(id)}`}>{id}</Link>
}
