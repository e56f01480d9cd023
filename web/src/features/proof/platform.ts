import type { IsSigned } from '../../../../src/audit/envelope.ts'
import type { Remembered } from './verify.ts'

/** Ed25519 as the browser has it. Throws where it has none, such as on pages without TLS. */
export const isSigned: IsSigned = async (key, message, signature) => {
  const known = await crypto.subtle.importKey('raw', Uint8Array.from(key), { name: 'Ed25519' }, false, [
    'verify',
  ])
  return crypto.subtle.verify(
    { name: 'Ed25519' },
    known,
    Uint8Array.from(signature),
    Uint8Array.from(message),
  )
}

const place = (origin: string): string => `baton log ${origin}`

export function recall(origin: string): Remembered | undefined {
  const kept = localStorage.getItem(place(origin))
  return kept === null ? undefined : JSON.parse(kept)
}

/** What was found good is what the next look must agree with. */
export function remember(origin: string, seen: Remembered): void {
  localStorage.setItem(place(origin), JSON.stringify(seen))
}
