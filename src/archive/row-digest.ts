import { hash } from 'node:crypto'
import { storeRefused } from '../domain/errors.ts'
import { staysBehind } from '../storage/rows.ts'
import type { DumpRow } from '../storage/store.ts'

const MODULUS = 1n << 256n

/**
 * The digest of a set of rows in any order: two stores hold the same rows when the sums of all their tables
 * are equal. Every field of every row counts.
 */
export class RowDigest {
  readonly #tables = new Map<string, { rows: number; sum: bigint }>()
  rows = 0

  /** `text` is the row encoded, where somebody has it. */
  add(row: DumpRow, text = encodeRow(row)): void {
    if (staysBehind(row)) return
    const table = this.#tables.get(row.table) ?? { rows: 0, sum: 0n }
    table.rows += 1
    table.sum = (table.sum + BigInt(`0x${hash('sha256', text)}`)) % MODULUS
    this.#tables.set(row.table, table)
    this.rows += 1
  }

  /** Passes rows on and counts them. */
  async *through<T extends DumpRow & { readonly text?: string }>(
    rows: AsyncIterable<T>,
    { signal, tell }: { signal?: AbortSignal; tell?: (what: string, done: number) => void },
    what: string,
  ): AsyncIterable<T> {
    for await (const row of rows) {
      signal?.throwIfAborted()
      this.add(row, row.text)
      tell?.(what, this.rows)
      yield row
    }
  }

  /** Refuses a copy that is not the same, and names the table where they differ. */
  demandSame(copy: RowDigest, where: string): void {
    for (const table of new Set([...this.#tables.keys(), ...copy.#tables.keys()])) {
      const [wanted, found] = [this.#tables.get(table), copy.#tables.get(table)]
      if (wanted?.sum === found?.sum && wanted?.rows === found?.rows) continue
      throw storeRefused(
        `${where} is not a full copy: of ${wanted?.rows ?? 0} rows in ${table}, ${found?.rows ?? 0} were read back${wanted?.rows === found?.rows ? ' and some differ' : ''}. Do not use it; the source is unchanged`,
        { table, wanted: wanted?.rows ?? 0, found: found?.rows ?? 0 },
      )
    }
  }
}

/** A row as one text: fields by name, bytes in base64. */
export function encodeRow({ table, row }: DumpRow): string {
  const fields = Object.keys(row)
    .sort()
    .map((name) => [name, encodeCell(row[name])])
  return JSON.stringify([table, Object.fromEntries(fields)])
}

const encodeCell = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
  return typeof value === 'bigint' ? Number(value) : (value ?? null)
}

/** The row that `encodeRow` wrote; undefined when the value is not a row. */
export function decodeRow(value: unknown): DumpRow | undefined {
  const [table, fields] = Array.isArray(value) ? value : []
  if (typeof table !== 'string' || typeof fields !== 'object' || fields === null) return undefined
  const row: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields))
    row[name] = isBytes(value) ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value
  return { table, row }
}

const isBytes = (value: unknown): value is { base64: string } =>
  typeof value === 'object' && value !== null && 'base64' in value
