/** Values are bound, never written into the text. An array becomes an array of the database. */
export type Value = string | number | null | Uint8Array | readonly Element[]
type Element = string | number | null | Uint8Array

/** The header of a database array: its element type, and the element's size where it is fixed. */
const ARRAYS: Readonly<Record<string, { readonly oid: number; readonly size?: number }>> = {
  text: { oid: 25 },
  bytea: { oid: 17 },
  integer: { oid: 23, size: 4 },
  bigint: { oid: 20, size: 8 },
}

const [TEXT, BINARY] = [0, 1]
/** Of UTF-8 for each UTF-16 unit. */
const MOST_BYTES = 3
/** Bytes kept between messages; the memory of a bigger message is released. */
const KEPT_BYTES = 1024 * 1024

/**
 * Messages of the frontend protocol (version 3), one behind the other in one piece of memory: values are written where
 * they are sent from. Arrays go in the binary form: nothing needs escaping here, nor reading letter by letter there.
 */
export class Messages {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #at = 0

  parse(name: string, text: string): void {
    const start = this.#begin('P')
    this.#cstring(name)
    this.#cstring(text)
    this.#int16(0)
    this.#end(start)
  }

  /** Values of the unnamed portal; `types` are the element types of those that are arrays. Answers come as text. */
  bind(statement: string, values: readonly Value[], types: readonly (string | undefined)[]): void {
    const start = this.#begin('B')
    this.#cstring('')
    this.#cstring(statement)
    this.#int16(values.length)
    for (const value of values) this.#int16(value !== null && typeof value === 'object' ? BINARY : TEXT)
    this.#int16(values.length)
    for (const [i, value] of values.entries()) {
      if (isArray(value)) this.#array(value, types[i])
      else this.#element(value)
    }
    this.#int16(0)
    this.#end(start)
  }

  execute(): void {
    const start = this.#begin('E')
    this.#cstring('')
    this.#int32(0)
    this.#end(start)
  }

  closeStatement(name: string): void {
    const start = this.#begin('C')
    this.#cstring('S')
    // The kind is one letter and no text: what ends it is taken back.
    this.#at -= 1
    this.#cstring(name)
    this.#end(start)
  }

  sync(): void {
    this.#end(this.#begin('S'))
  }

  /** All that was written since the last time. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at))
    this.clear()
    return taken
  }

  /** Forgets what was begun. */
  clear(): void {
    this.#at = 0
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(KEPT_BYTES)
  }

  #begin(kind: string): number {
    this.#room(5)
    this.#bytes[this.#at] = kind.charCodeAt(0)
    this.#at += 5
    return this.#at - 4
  }

  /** A message says how long it is, its length included. */
  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#at - start, start)
  }

  #array(elements: readonly Element[], type = 'text'): void {
    const known = ARRAYS[type]
    if (!known) throw new Error(`arrays of ${type} cannot be sent`)
    const { oid, size } = known
    this.#room(24)
    const start = this.#at
    this.#at += 4
    this.#int32(elements.length === 0 ? 0 : 1)
    this.#int32(elements.includes(null) ? 1 : 0)
    this.#int32(oid)
    if (elements.length > 0) {
      this.#int32(elements.length)
      this.#int32(1)
      for (const element of elements)
        if (size === undefined || element === null) this.#element(element)
        else this.#number(Number(element), size)
    }
    this.#bytes.writeInt32BE(this.#at - start - 4, start)
  }

  /** Its length, then itself. */
  #element(value: Element): void {
    if (value === null) this.#int32(-1)
    else if (typeof value === 'object') {
      this.#int32(value.byteLength)
      this.#room(value.byteLength)
      this.#bytes.set(value, this.#at)
      this.#at += value.byteLength
    } else {
      const text = String(value)
      this.#room(4 + text.length * MOST_BYTES)
      const written = this.#bytes.write(text, this.#at + 4)
      this.#bytes.writeInt32BE(written, this.#at)
      this.#at += 4 + written
    }
  }

  #number(value: number, size: number): void {
    this.#int32(size)
    this.#room(size)
    this.#at =
      size === 4
        ? this.#bytes.writeInt32BE(value, this.#at)
        : this.#bytes.writeBigInt64BE(BigInt(value), this.#at)
  }

  #cstring(text: string): void {
    this.#room(text.length * MOST_BYTES + 1)
    this.#at += this.#bytes.write(text, this.#at)
    this.#bytes[this.#at++] = 0
  }

  #int16(value: number): void {
    this.#room(2)
    this.#at = this.#bytes.writeInt16BE(value, this.#at)
  }

  #int32(value: number): void {
    this.#room(4)
    this.#at = this.#bytes.writeInt32BE(value, this.#at)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const bigger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + bytes))
    this.#bytes.copy(bigger, 0, 0, this.#at)
    this.#bytes = bigger
  }
}

const isArray = (value: Value): value is readonly Element[] => Array.isArray(value)
