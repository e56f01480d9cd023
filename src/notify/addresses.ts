import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { BatonError, notAllowed } from '../domain/errors.ts'

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** Looks up the addresses of a host. The system's resolver unless a test stands in for it. */
export type Resolve = (host: string) => Promise<readonly Address[]>

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })) as readonly Address[]

/** Networks of this machine and of its owner, where an internal service may be meant to listen. */
// biome-ignore format: read as a table
const PRIVATE: readonly (readonly [string, number])[] = [
  ['127.0.0.0', 8], ['10.0.0.0', 8], ['172.16.0.0', 12], ['192.168.0.0', 16], ['100.64.0.0', 10],
  ['::1', 128], ['fc00::', 7],
]

/** Networks in which no receiver of messages is: clouds keep their secrets on some of these. */
// biome-ignore format: read as a table
const NEVER: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['169.254.0.0', 16], ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['198.18.0.0', 15],
  ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4], ['100.100.100.200', 32],
  ['168.63.129.16', 32], ['::', 128], ['64:ff9b::', 96], ['64:ff9b:1::', 48], ['100::', 64], ['2001::', 23],
  ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20], ['5f00::', 16], ['fe80::', 10], ['fec0::', 10], ['ff00::', 8],
  ['fd00:ec2::', 32], ['fd20:ce::', 32],
]

const listOf = (networks: readonly (readonly [string, number])[]): BlockList => {
  const list = new BlockList()
  for (const [network, bits] of networks) list.addSubnet(network, bits, isIP(network) === 6 ? 'ipv6' : 'ipv4')
  return list
}
const privateList = listOf(PRIVATE)
const neverList = listOf(NEVER)

/** The kind of an address's network. The lists match IPv4 in IPv6 spelling (`::ffff:7f00:1`) too. */
export function networkOf({ address, family }: Address): 'public' | 'private' | 'never' {
  const [plain] = address.toLowerCase().split('%')
  const kind = family === 6 ? 'ipv6' : 'ipv4'
  if (neverList.check(plain!, kind)) return 'never'
  if (privateList.check(plain!, kind)) return 'private'
  // Of IPv6 only 2000::/3 is given out to anybody.
  return family === 4 || /^[23][0-9a-f]{3}:/.test(plain!) ? 'public' : 'never'
}

/**
 * The address to connect to. All that the name stands for are judged, and the one that was judged is the one that is
 * used: a name that answers differently a moment later changes nothing.
 */
export async function addressFor(
  host: string,
  { allowPrivate, resolve = systemResolve }: { readonly allowPrivate: boolean; readonly resolve?: Resolve },
): Promise<Address> {
  const bare = host.replace(/^\[|\]$/g, '')
  const family = isIP(bare)
  const found = family === 0 ? await resolve(bare) : [{ address: bare, family: family as 4 | 6 }]
  const refused = found.find((each) => {
    const network = networkOf(each)
    return network === 'never' || (network === 'private' && !allowPrivate)
  })
  if (refused)
    throw notAllowed(
      `${host} is ${refused.address}, an address of this machine or of a network of its own; messages go to public addresses${networkOf(refused) === 'private' ? ' unless the channel says allow_private: true' : ''}`,
      { host },
    )
  const [first] = found
  if (!first) throw new BatonError('unavailable', `${host} has no address`, { host })
  return first
}
