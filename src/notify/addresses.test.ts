import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { type Address, addressFor, networkOf } from './addresses.ts'
import { postWebhook } from './webhook.ts'

/** Spellings of addresses that must not be reached, as an attacker writes them into a URL. */
const SPELLINGS = [
  // This machine.
  'localhost:PORT',
  '127.0.0.1:PORT',
  '127.1:PORT',
  '127.0.1:PORT',
  '127.255.255.254:PORT',
  '2130706433:PORT',
  '0x7f000001:PORT',
  '0x7f.1:PORT',
  '0177.0.0.1:PORT',
  '017700000001:PORT',
  '0x7f.0x0.0x0.0x1:PORT',
  '0:PORT',
  '0.0.0.0:PORT',
  '0x0:PORT',
  '１２７.０.０.１:PORT',
  '127。0。0。1:PORT',
  '①②⑦.⓪.⓪.①:PORT',
  '127.0.0.1.:PORT',
  '[::1]:PORT',
  '[0:0:0:0:0:0:0:1]:PORT',
  '[0000::0001]:PORT',
  '[::]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '[::ffff:7f00:1]:PORT',
  '[0:0:0:0:0:ffff:7f00:0001]:PORT',
  '[::FFFF:127.0.0.1]:PORT',
  '[::127.0.0.1]:PORT',
  '[::ffff:0:127.0.0.1]:PORT',
  '[64:ff9b::127.0.0.1]:PORT',
  '[64:ff9b:1::7f00:1]:PORT',
  '[2002:7f00:1::]:PORT',
  '[2001:0:7f00:1::]:PORT',
  // Private networks.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '100.64.0.1',
  '3232235521',
  '0xc0a80001',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:192.168.0.1]',
  // Link-local and where clouds keep their secrets.
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fe80::1]',
  '[fec0::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  // Nobody's.
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[4000::1]',
  '[2::1]',
]

describe('the addresses that messages go to', () => {
  it(`are public: none of ${SPELLINGS.length} other spellings is ever connected to`, async (t) => {
    let reached = 0
    const server = createServer((_, response) => {
      reached += 1
      response.end()
    })
    server.listen(0)
    await once(server, 'listening')
    t.after(() => server.close())
    server.on('connection', () => {
      reached += 1
    })
    const { port } = server.address() as AddressInfo

    for (const spelling of SPELLINGS)
      for (const scheme of ['http', 'https'])
        await assert.rejects(
          postWebhook(
            {
              url: `${scheme}://${spelling.replace('PORT', String(port))}/hook`,
              secret: 's',
              allowPrivate: false,
            },
            { id: 'd1', at: 1, body: '{}' },
          ),
          (error: { code?: string }) => error.code === 'not_allowed' || error.code === 'invalid_input',
          spelling,
        )

    assert.equal(reached, 0)
  })

  it('are known by their network, also behind other spellings', () => {
    const of = (address: string, family: 4 | 6 = address.includes(':') ? 6 : 4) =>
      networkOf({ address, family })

    assert.deepEqual(
      ['93.184.216.34', '1.1.1.1', '2606:4700::1111', '3ffe::1'].map((each) => of(each)),
      ['public', 'public', 'public', 'public'],
    )
    assert.deepEqual(
      ['127.0.0.1', '10.1.2.3', '::1', 'FD12::1', '::ffff:10.1.2.3'].map((each) => of(each)),
      ['private', 'private', 'private', 'private', 'private'],
    )
    assert.deepEqual(
      ['169.254.169.254', 'fe80::1%eth0', '::ffff:169.254.169.254', '0.0.0.0', '::'].map((each) => of(each)),
      ['never', 'never', 'never', 'never', 'never'],
    )
  })

  it('[T18] are all judged: one private address among public ones is refused', async () => {
    const both = async (): Promise<readonly Address[]> => [
      { address: '93.184.216.34', family: 4 },
      { address: '192.168.0.1', family: 4 },
    ]

    await assert.rejects(addressFor('mixed.example', { allowPrivate: false, resolve: both }), {
      code: 'not_allowed',
    })
  })

  it('may be private where the channel says so, and never where clouds keep their secrets', async () => {
    const local = await addressFor('127.0.0.1', { allowPrivate: true })

    assert.deepEqual(local, { address: '127.0.0.1', family: 4 })
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '0.0.0.0', '[::ffff:a9fe:a9fe]'])
      await assert.rejects(addressFor(host, { allowPrivate: true }), { code: 'not_allowed' })
  })

  it('are asked for once: a name that means another address a moment later is not asked again', async () => {
    let asked = 0
    const rebinding = async (): Promise<readonly Address[]> => {
      asked += 1
      return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
    }

    // Nobody listens on port 1: the connection itself goes to the address that was judged.
    await assert.rejects(
      postWebhook(
        { url: 'https://rebind.example:1/', secret: 's', allowPrivate: true, resolve: rebinding },
        { id: 'd1', at: 1, body: '{}' },
      ),
      { code: 'unavailable', message: 'rebind.example could not be reached (ECONNREFUSED)' },
    )

    assert.equal(asked, 1)
  })
})
