import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'

export interface SmtpOptions {
  readonly key?: string
  readonly cert?: string
  /** TLS from the first byte. */
  readonly secure?: boolean
  /** What EHLO offers beside STARTTLS. */
  readonly offers?: readonly string[]
  /** Replies of its own, by the first word of the command. */
  readonly replies?: Readonly<Record<string, string>>
}

export interface Smtp {
  readonly port: number
  /** Every line that clients said, in order; the lines of a message are not among them. */
  readonly said: string[]
  /** Messages as they came, dots and all taken away again. */
  readonly messages: string[]
  /** Whether each message came under TLS. */
  readonly encrypted: boolean[]
}

/** A mail server on loopback: RFC 5321 as far as a client of ours goes, with STARTTLS and both ways to sign in. */
export async function openSmtp(t: TestContext, options: SmtpOptions = {}): Promise<Smtp> {
  const { key, cert, secure = false } = options
  const box = { said: [] as string[], messages: [] as string[], encrypted: [] as boolean[] }
  const serve = (socket: Socket) => converse(socket, options, box)
  const server = secure ? createTlsServer({ key, cert }, serve) : createServer(serve)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, ...box }
}

type Box = Omit<Smtp, 'port'>

function converse(socket: Socket, options: SmtpOptions, box: Box, greet = true): void {
  const { key, cert, offers = ['AUTH PLAIN LOGIN'], replies = {} } = options
  const isEncrypted = socket instanceof TLSSocket
  let buffer = ''
  let message: string[] | undefined
  let secrets = 0
  const say = (text: string) => socket.write(`${text}\r\n`)
  socket.setEncoding('utf8')
  socket.on('error', () => undefined)
  if (greet) say(replies.GREETING ?? '220 mail.test ESMTP')
  socket.on('data', (text) => {
    buffer += text
    for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
      const line = buffer.slice(0, end)
      buffer = buffer.slice(end + 2)
      if (message) take(line)
      else answer(line)
    }
  })

  function take(line: string): void {
    if (line !== '.') {
      message?.push(line.replace(/^\./, ''))
      return
    }
    box.messages.push(`${message?.join('\r\n')}\r\n`)
    box.encrypted.push(isEncrypted)
    message = undefined
    say(replies['.'] ?? '250 taken')
  }

  function answer(line: string): void {
    box.said.push(line)
    const [word = ''] = line.toUpperCase().split(/[ :]/)
    const own = replies[word]
    if (own !== undefined) return void say(own)
    if (secrets > 0) {
      secrets -= 1
      return void say(secrets > 0 ? '334 UGFzc3dvcmQ6' : '235 signed in')
    }
    if (word === 'EHLO') {
      const all = [...(key && !isEncrypted ? ['STARTTLS'] : []), ...offers]
      return void say(['250-mail.test', ...all.map((each) => `250-${each}`), '250 HELP'].join('\r\n'))
    }
    if (word === 'STARTTLS') {
      say('220 go on')
      socket.removeAllListeners('data')
      converse(new TLSSocket(socket, { isServer: true, key, cert }), options, box, false)
      return
    }
    if (line.toUpperCase() === 'AUTH LOGIN') {
      secrets = 2
      return void say('334 VXNlcm5hbWU6')
    }
    if (word === 'AUTH') return void say('235 signed in')
    if (word === 'DATA') {
      message = []
      return void say('354 go on')
    }
    if (word === 'QUIT') {
      say('221 bye')
      return void socket.end()
    }
    say('250 ok')
  }
}
