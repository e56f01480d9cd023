import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { selfSigned } from '../../test/support/servers/certificate.ts'
import { openSmtp } from '../../test/support/servers/smtp-server.ts'
import { type Mail, toMessage } from './mail.ts'
import { sendMail, toSmtpServer } from './smtp.ts'

const tls = selfSigned()
const TEXT = [
  'A gate waits for your decision: HO-2026-001',
  '.',
  '..two dots',
  '.hidden',
  '',
  `${'long '.repeat(60)}end `,
  'Größe = 3 µm, 決定, 🚦',
  'tab\tand trailing space ',
].join('\n')

const mail = (more: Partial<Mail> = {}): Mail => ({
  from: 'baton@example.com',
  to: ['maria@example.com', 'paul@example.com'],
  subject: '[Baton] A gate waits for your decision: HO-2026-001',
  text: TEXT,
  id: '0198f000-0000-7000-8000-000000000001',
  date: new Date('2026-02-21T14:30:00Z'),
  ...more,
})

const envelope = (more: Partial<Mail> = {}) => {
  const each = mail(more)
  return { from: each.from, to: each.to, message: toMessage(each) }
}

/** What another program reads in a message. */
function parsed(message: string): {
  subject: string
  to: string
  from: string
  body: string
  headers: string[]
} {
  const script = `import sys, json, email, email.policy
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.SMTP)
print(json.dumps({'subject': m['subject'], 'to': m['to'], 'from': m['from'],
  'body': m.get_content().replace('\\r\\n', '\\n'), 'headers': sorted(k.lower() for k in m.keys())}))`
  const { stdout, stderr, status } = spawnSync('python3', ['-c', script], {
    input: message,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

describe('mail', () => {
  it('reaches a server under TLS after STARTTLS, and says its name and password only there', async (t) => {
    const { port, said, messages, encrypted } = await openSmtp(t, tls)

    await sendMail({ ...toSmtpServer(`smtp://mar%20ia:p%40ss@localhost:${port}`), ca: tls.cert }, envelope())

    assert.deepEqual(encrypted, [true])
    const [first, second, third, ...rest] = said
    assert.match(first!, /^EHLO /)
    assert.equal(second, 'STARTTLS')
    assert.match(third!, /^EHLO /)
    assert.deepEqual(rest, [
      `AUTH PLAIN ${Buffer.from('\0mar ia\0p@ss').toString('base64')}`,
      'MAIL FROM:<baton@example.com>',
      'RCPT TO:<maria@example.com>',
      'RCPT TO:<paul@example.com>',
      'DATA',
      'QUIT',
    ])
    assert.equal(parsed(messages[0]!).body.trimEnd(), TEXT.trimEnd())
  })

  it('reaches a server that speaks TLS from the first byte and knows only AUTH LOGIN', async (t) => {
    const { port, said, encrypted } = await openSmtp(t, { ...tls, secure: true, offers: ['AUTH=LOGIN'] })

    await sendMail({ ...toSmtpServer(`smtps://maria:secret@localhost:${port}`), ca: tls.cert }, envelope())

    assert.deepEqual(encrypted, [true])
    assert.deepEqual(said.slice(1, 4), [
      'AUTH LOGIN',
      Buffer.from('maria').toString('base64'),
      Buffer.from('secret').toString('base64'),
    ])
  })

  it('is read by other programs as it was written, dots and all', async (t) => {
    const { port, messages } = await openSmtp(t, { offers: [] })

    await sendMail(
      toSmtpServer(`smtp://127.0.0.1:${port}`),
      envelope({ subject: 'Größe: 決定 🚦 '.repeat(6) }),
    )

    const { body, ...rest } = parsed(messages[0]!)
    assert.equal(body.trimEnd(), TEXT.trimEnd())
    assert.deepEqual(rest, {
      subject: 'Größe: 決定 🚦 '.repeat(6).trim(),
      to: 'maria@example.com, paul@example.com',
      from: 'Baton <baton@example.com>',
      headers: [
        'auto-submitted',
        'content-transfer-encoding',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ],
    })
    assert.ok(messages[0]!.split('\r\n').every((line) => line.length <= 200))
  })

  it('is taken over by the mail server of the Python library, or by ours where there is none', async (t) => {
    const { port, received } = await pythonServer(t)

    await sendMail(toSmtpServer(`smtp://127.0.0.1:${port}`), envelope())

    assert.equal(parsed(await received()).body.trimEnd(), TEXT.trimEnd())
  })

  it('has no header but its own, whatever stands in a subject or an address', async () => {
    const { headers, subject } = parsed(
      toMessage(mail({ subject: 'Gate\r\nBcc: eve@example.com\r\n\r\nHello', text: 'x' })),
    )

    assert.equal(headers.includes('bcc'), false)
    assert.equal(subject, 'Gate Bcc: eve@example.com Hello')
    for (const address of [
      'maria@example.com\r\nRCPT TO:<eve@example.com>',
      'maria@example.com>',
      'maria@example.com,eve@example.com',
      '<maria@example.com>',
      'ma ria@example.com',
      'maria',
      '',
    ]) {
      assert.throws(() => toMessage(mail({ to: [address] })), { code: 'invalid_input' })
      assert.throws(() => toMessage(mail({ from: address })), { code: 'invalid_input' })
    }
  })

  it('does not speak to a stranger: a certificate of another name or of nobody ends it', async (t) => {
    const strange = selfSigned('other.example')
    const { port, messages, said } = await openSmtp(t, strange)
    const server = toSmtpServer(`smtp://maria:secret@localhost:${port}`)

    await assert.rejects(sendMail({ ...server, ca: strange.cert }, envelope()), { code: 'unavailable' })
    await assert.rejects(sendMail(server, envelope()), { code: 'unavailable' })

    assert.deepEqual(messages, [])
    assert.equal(
      said.some((line) => line.startsWith('AUTH')),
      false,
    )
  })

  it('says what a server answered that does not take it, and leaves nothing there', async (t) => {
    const refusals = {
      GREETING: '554 no',
      EHLO: '502 no',
      MAIL: '451 later',
      RCPT: '550 nobody here\x1b[31m',
      DATA: '452 full',
      '.': '554 spam',
      AUTH: '535 wrong',
    }
    for (const [word, reply] of Object.entries(refusals)) {
      const { port, messages } = await openSmtp(t, { replies: { [word]: reply } })
      await assert.rejects(sendMail(toSmtpServer(`smtp://maria:x@127.0.0.1:${port}`), envelope()), {
        code: 'unavailable',
        message: `the mail server 127.0.0.1 answered ${reply.slice(0, 3)}`,
      })
      if (word !== '.') assert.deepEqual(messages, [])
    }
  })

  it('is given up when the server is silent, gone, or talks without end', async (t) => {
    const silent = createServer((socket) => void socket.on('error', () => undefined))
    const endless = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('220-x\r\n'.repeat(20_000))
    })
    const ports: number[] = []
    for (const server of [silent, endless]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      t.after(() => server.close())
      ports.push((server.address() as { port: number }).port)
    }
    const to = (port: number) => ({ ...toSmtpServer(`smtp://127.0.0.1:${port}`), timeoutMs: 200 })

    await assert.rejects(sendMail(to(ports[0]!), envelope()), { code: 'timed_out' })
    await assert.rejects(sendMail({ ...to(ports[1]!), timeoutMs: 20_000 }, envelope()), {
      code: 'unavailable',
    })
    await assert.rejects(sendMail(to(1), envelope()), { code: 'unavailable' })
  })

  it('is not sent in the open to what is not this machine by name', async (t) => {
    const { port, messages } = await openSmtp(t)

    await assert.rejects(sendMail(toSmtpServer(`smtp://maria:x@0.0.0.0:${port}`), envelope()), {
      code: 'not_allowed',
    })

    assert.deepEqual(messages, [])
  })

  it('has a server that is written as an address of its kind', () => {
    assert.throws(() => toSmtpServer('http://mail.example.com'), { code: 'invalid_input' })
    assert.throws(() => toSmtpServer('smtp:mail'), { code: 'invalid_input' })
    assert.deepEqual(toSmtpServer('smtps://mail.example.com'), {
      host: 'mail.example.com',
      port: 465,
      secure: true,
    })
  })
})

/** Python's own server where it is still part of the library (up to 3.11). */
async function pythonServer(t: TestContext) {
  const script = `import asyncore, smtpd, sys
class Server(smtpd.SMTPServer):
    def process_message(self, peer, mailfrom, rcpttos, data, **kwargs):
        sys.stdout.buffer.write(data + b'\\n--end--'); sys.stdout.buffer.flush()
server = Server(('127.0.0.1', 0), None)
print(server.socket.getsockname()[1], flush=True)
asyncore.loop()`
  const known = spawnSync('python3', ['-W', 'ignore', '-c', 'import smtpd'])
  if (known.status !== 0) {
    const { port, messages } = await openSmtp(t, { offers: [] })
    return { port, received: async () => messages[0] ?? '' }
  }
  const child = spawn('python3', ['-W', 'ignore', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  let text = ''
  const { promise: ended, resolve: end } = Promise.withResolvers<string>()
  const port = await new Promise<number>((resolve) =>
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      const line = text.indexOf('\n')
      if (line > 0) resolve(Number(text.slice(0, line)))
      if (text.endsWith('\n--end--')) end(text.slice(line + 1, -'\n--end--'.length))
    }),
  )
  return {
    port,
    received: () => ended,
  }
}
