import { connect as connectPlain, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { BatonError } from '../domain/errors.ts'
import { demandAddress } from './mail.ts'

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (`smtps`), else as soon as the server offers it. */
  readonly secure: boolean
  readonly user?: string
  readonly password?: string
  readonly timeoutMs?: number
  /** Certificates to trust beside the usual ones. */
  readonly ca?: string
}

export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
  /** Lines ended by CR LF. */
  readonly message: string
}

const TIMEOUT_MS = 20_000
/** A server that sends more than this before a line ends is not a mail server. */
const REPLY_LENGTH = 64 * 1024

/** `smtps://user:password@host:465` or `smtp://host:587`. */
export function toSmtpServer(address: string): SmtpServer {
  const url = URL.parse(address)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    // Not the address itself: it may hold a password.
    throw new BatonError('invalid_input', 'a mail server is written as smtps://host:465 or smtp://host:587')
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(url.username !== '' && { user: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
  }
}

/** Hands one message to a mail server. Answers when the server has taken it over. */
export async function sendMail(server: SmtpServer, envelope: Envelope): Promise<void> {
  for (const address of [envelope.from, ...envelope.to]) demandAddress(address)
  const talk = new Talk(server)
  try {
    await talk.greeted()
    await signIn(talk, server)
    await talk.say(`MAIL FROM:<${envelope.from}>`, 250)
    for (const address of envelope.to) await talk.say(`RCPT TO:<${address}>`, 250, 251)
    await talk.say('DATA', 354)
    await talk.say(`${stuffed(envelope.message)}\r\n.`, 250)
    // The message is the server's from here on: a failed farewell must not send it twice.
    await talk.say('QUIT', 221).catch(() => undefined)
  } finally {
    talk.end()
  }
}

/** A line that is only a dot ends the message, so every line that begins with one gets another. */
const stuffed = (message: string): string => message.replace(/\r\n$/, '').replace(/^\./gm, '..')

async function signIn(talk: Talk, server: SmtpServer): Promise<void> {
  const { user, password = '' } = server
  let offers = await talk.hello()
  if (!server.secure && offers.has('STARTTLS')) {
    await talk.say('STARTTLS', 220)
    await talk.encrypt()
    offers = await talk.hello()
  }
  const { host } = server
  if (!talk.isEncrypted && !isLoopback(host))
    throw new BatonError('not_allowed', `${host} offers no TLS, and mail is not sent in the open`, { host })
  if (user === undefined) return
  const ways = offers.get('AUTH')?.toUpperCase().split(' ') ?? []
  if (ways.includes('PLAIN')) {
    await talk.say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235)
  } else if (ways.includes('LOGIN')) {
    await talk.say('AUTH LOGIN', 334)
    await talk.say(base64(user), 334)
    await talk.say(base64(password), 235)
  } else throw new BatonError('unavailable', `${host} takes neither AUTH PLAIN nor AUTH LOGIN`)
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

/** One conversation: a command, its reply, the next command. */
class Talk {
  readonly #server: SmtpServer
  #socket: Socket
  #text = ''
  #failure: Error | undefined
  #wake: () => void = () => undefined
  readonly #late: NodeJS.Timeout
  isEncrypted: boolean

  constructor(server: SmtpServer) {
    this.#server = server
    const { host, port, secure, ca } = server
    this.isEncrypted = secure
    this.#socket = this.#listen(
      secure ? connectTls({ host, port, ...serverName(host), ca }) : connectPlain({ host, port }),
    )
    this.#late = setTimeout(
      () => this.#fail(new BatonError('timed_out', `${host} did not take the mail in time`)),
      server.timeoutMs ?? TIMEOUT_MS,
    )
  }

  async greeted(): Promise<void> {
    this.#demand(await this.#reply(), [220])
  }

  /** The extensions that the server offers, by name. */
  async hello(): Promise<ReadonlyMap<string, string>> {
    const name = hostname().replace(/[^A-Za-z0-9.-]/g, '') || 'localhost'
    const lines = await this.say(`EHLO ${name}`, 250)
    return new Map(
      lines.slice(1).map((line) => {
        const [word = '', ...rest] = line.trim().split(/[ =]/)
        return [word.toUpperCase(), rest.join(' ')]
      }),
    )
  }

  async say(text: string, ...expected: readonly number[]): Promise<readonly string[]> {
    if (this.#failure) throw this.#failure
    this.#socket.write(`${text}\r\n`)
    return this.#demand(await this.#reply(), expected)
  }

  /** Goes on with the same connection under TLS. What was said before in the open counts no more. */
  async encrypt(): Promise<void> {
    if (this.#text !== '') throw new BatonError('unavailable', 'the mail server spoke before TLS began')
    const { host, ca } = this.#server
    const plain = this.#socket
    plain.removeAllListeners('data')
    const socket = connectTls({ socket: plain, host, ...serverName(host), ca })
    this.#socket = this.#listen(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve)
      socket.once('error', (error) => reject(this.#reason(error)))
      socket.once('close', () => reject(this.#failure ?? this.#reason(new Error('closed'))))
    })
    this.isEncrypted = true
  }

  end(): void {
    clearTimeout(this.#late)
    this.#socket.destroy()
  }

  #listen(socket: Socket): Socket {
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      this.#text += String(text)
      if (this.#text.length > REPLY_LENGTH) this.#fail(new Error('a reply without end'))
      this.#wake()
    })
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the connection ended')))
    return socket
  }

  #fail(error: Error): void {
    this.#failure ??= this.#reason(error)
    this.#socket.destroy()
    this.#wake()
  }

  #reason(error: Error): BatonError {
    if (error instanceof BatonError) return error
    const { host } = this.#server
    const why = (error as NodeJS.ErrnoException).code ?? error.message
    const message = `the mail server ${host} could not be used (${why})`
    return new BatonError('unavailable', message, { host }, error)
  }

  /** The lines of the next whole reply, each `250-text` or, the last one, `250 text`. */
  async #reply(): Promise<readonly string[]> {
    for (;;) {
      const [whole] = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/.exec(this.#text) ?? []
      if (whole !== undefined) {
        this.#text = this.#text.slice(whole.length)
        return whole.trimEnd().split(/\r?\n/)
      }
      if (this.#failure) throw this.#failure
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await promise
    }
  }

  #demand(lines: readonly string[], expected: readonly number[]): readonly string[] {
    const { host } = this.#server
    const reply = (lines.at(-1) ?? '').slice(0, 3)
    if (expected.includes(Number(reply))) return lines.map((line) => line.slice(4))
    // The server's words may hold anything; its number says enough.
    throw new BatonError('unavailable', `the mail server ${host} answered ${reply}`, { host, reply })
  }
}

/** A certificate is for a name; an address has none. */
const serverName = (host: string): { servername?: string } =>
  /^[\d.]+$|:/.test(host) ? {} : { servername: host }
