import { BatonError } from '../domain/errors.ts'

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  /** The same for every try. */
  readonly id: string
  readonly date: Date
}

/** Plain addresses only: no names, no comments, nothing that could end a line or begin a command. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/
export const isMailAddress = (text: string): boolean => ADDRESS.test(text)

const LINE_LENGTH = 76

/** A message as it is sent, lines ended by CR LF. */
export function toMessage(mail: Mail): string {
  for (const address of [mail.from, ...mail.to]) demandAddress(address)
  const domain = mail.from.slice(mail.from.lastIndexOf('@') + 1)
  const headers = [
    `From: Baton <${mail.from}>`,
    `To: ${mail.to.map((address) => `<${address}>`).join(',\r\n ')}`,
    `Subject: ${encodedWords(mail.subject)}`,
    `Date: ${mail.date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.id.replace(/[^A-Za-z0-9-]/g, '')}@${domain}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
  ]
  return `${headers.join('\r\n')}\r\n\r\n${quotedPrintable(mail.text)}\r\n`
}

export function demandAddress(address: string): void {
  if (!isMailAddress(address))
    throw new BatonError('invalid_input', `${JSON.stringify(address)} is not a mail address`, { address })
}

/** A header's text: as it is where it is plain, else in encoded words. A line break in it would be a header of its own. */
function encodedWords(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (/^[\x20-\x7e]*$/.test(line) && line.length < 200 && !line.includes('=?')) return line
  return inPieces(line, (word) => Buffer.byteLength(word) <= 42)
    .map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`)
    .join('\r\n ')
}

/** RFC 2045: short lines of plain characters, whatever the text holds. */
function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => inPieces(encodedLine(line), ({ length }) => length < LINE_LENGTH).join('=\r\n'))
    .join('\r\n')
}

function encodedLine(line: string): string[] {
  const bytes = Buffer.from(line)
  return Array.from(bytes, (byte, i) => {
    const isPlain =
      (byte > 32 && byte < 127 && byte !== 61) || ((byte === 32 || byte === 9) && i < bytes.length - 1)
    return isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** The parts in as few pieces as fit, none of them broken. */
function inPieces(parts: Iterable<string>, isFitting: (piece: string) => boolean): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const part of parts) {
    if (!isFitting(piece + part)) {
      pieces.push(piece)
      piece = ''
    }
    piece += part
  }
  return [...pieces, piece]
}
