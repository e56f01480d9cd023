import { generateKeyPairSync, sign } from 'node:crypto'

/** A key and a certificate of its own for `localhost`, made anew: none is kept among the files. */
export function selfSigned(name = 'localhost'): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = sequence(set(sequence(oid(85, 4, 3), der(0x0c, Buffer.from(name)))))
  const algorithm = sequence(oid(42, 840, 10045, 4, 3, 2))
  const days = (n: number) => {
    const text = new Date(Date.now() + n * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')
    return der(0x18, Buffer.from(text))
  }
  const isAuthority = extension(oid(85, 29, 19), sequence(der(0x01, Buffer.from([0xff]))))
  const names = extension(oid(85, 29, 17), sequence(der(0x82, Buffer.from(name))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    sequence(days(-1), days(30)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, names)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]))
  const base64 = sequence(body, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const bytes: number[] = []
  for (let left = value.length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256)
  const length = value.length < 128 ? [value.length] : [0x80 + bytes.length, ...bytes]
  return Buffer.concat([Buffer.from([tag, ...length]), value])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const set = (...parts: readonly Buffer[]): Buffer => der(0x31, ...parts)
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, der(0x04, value))

/** The first number stands for the first two of the name, as they are encoded. */
function oid(...numbers: readonly number[]): Buffer {
  const bytes = numbers.flatMap((number) => {
    const digits = [number % 128]
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      digits.unshift(128 + (left % 128))
    return digits
  })
  return der(0x06, Buffer.from(bytes))
}
