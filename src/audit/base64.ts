export const encoder = new TextEncoder()

/** Standard base64 of bytes; runs without `Buffer`. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The bytes of canonical base64; undefined for anything else, such as spare bits, spaces or missing padding. */
export function fromBase64(text: string): Uint8Array | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  // Decoders forgive much; what does not come out the same was not written by an encoder.
  if (btoa(binary) !== text) return undefined
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = binary.charCodeAt(i)
  return bytes
}

export const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
