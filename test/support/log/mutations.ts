import { NODE_PLATFORM } from '../../../src/archive/audit-platform.ts'
import { printBundle, readBundle } from '../../../src/audit/levels/bundle.ts'
import { type Platform, verifyExport } from '../../../src/audit/levels/index.ts'
import { type Files, memoryFiles, randomOf } from './export-log.ts'

type Random = ReturnType<typeof randomOf>
type Change = (files: Files, random: Random) => void

/** An export after one change that nobody who keeps the log would make; undefined where nothing changed. */
export function mutated(
  files: Files,
  random: Random,
): { readonly name: string; readonly files: Files } | undefined {
  const copy: Files = new Map([...files].map(([name, bytes]) => [name, Uint8Array.from(bytes)]))
  const [name, change] = random.pick(CHANGES)
  change(copy, random)
  return isSame(files, copy) || isHarmless(files, copy) ? undefined : { name, files: copy }
}

const inFile =
  (change: (bytes: Uint8Array, random: Random) => Uint8Array): Change =>
  (files, random) => {
    const name = random.pick([...files.keys()])
    files.set(name, change(files.get(name)!, random))
  }

// biome-ignore format: read as a table
const CHANGES: readonly (readonly [name: string, change: Change])[] = [
  ['turn a bit', inFile((bytes, random) => {
    if (bytes.length > 0) bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    return bytes
  })],
  ['another byte', inFile((bytes, random) => {
    if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  })],
  ['drop a byte', inFile((bytes, random) => spliced(bytes, random.below(bytes.length + 1), 1))],
  ['add a byte', inFile((bytes, random) => spliced(bytes, random.below(bytes.length + 1), 0, Uint8Array.of(random.below(256))))],
  ['cut off the end', inFile((bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)))],
  ['drop a part', inFile((bytes, random) => spliced(bytes, random.below(bytes.length + 1), random.below(200)))],
  ['repeat a part', inFile((bytes, random) => {
    const at = random.below(bytes.length + 1)
    return spliced(bytes, at, 0, bytes.slice(at, at + 1 + random.below(200)))
  })],
  ['drop a line', inFile((bytes, random) => lines(bytes, (all) => all.splice(random.below(all.length), 1)))],
  ['repeat a line', inFile((bytes, random) => lines(bytes, (all) => all.push(random.pick(all))))],
  ['swap two lines', inFile((bytes, random) => lines(bytes, (all) => {
    const [a, b] = [random.below(all.length), random.below(all.length)]
    ;[all[a], all[b]] = [all[b]!, all[a]!]
  }))],
  ['drop a file', (files, random) => files.delete(random.pick([...files.keys()]))],
  ['swap two files', (files, random) => {
    const [a, b] = [random.pick([...files.keys()]), random.pick([...files.keys()])]
    const [one, other] = [files.get(a)!, files.get(b)!]
    files.set(a, other).set(b, one)
  }],
  ['a file more', (files, random) => files.set(`tile/0/${String(random.below(1000)).padStart(3, '0')}${random.pick(['', '.p/3'])}`, new Uint8Array(96))],
  ['swap two entries', inBundle((entries, random) => {
    const [a, b] = [random.below(entries.length), random.below(entries.length)]
    ;[entries[a], entries[b]] = [entries[b]!, entries[a]!]
  })],
  ['drop an entry', inBundle((entries, random) => entries.splice(random.below(entries.length), 1))],
  ['repeat an entry', inBundle((entries, random) => entries.push(random.pick(entries)))],
  ['another letter in an entry', inBundle((entries, random) => {
    const entry = random.pick(entries)
    entry[random.below(entry.length)] = 97 + random.below(26)
  })],
]

function inBundle(change: (entries: Uint8Array[], random: Random) => void): Change {
  return (files, random) => {
    const name = random.pick([...files.keys()].filter((each) => each.startsWith('tile/entries/')))
    const { entries } = readBundle(files.get(name)!)
    change(entries, random)
    files.set(name, printBundle(entries))
  }
}

function spliced(bytes: Uint8Array, at: number, drop: number, add = new Uint8Array()): Uint8Array {
  return Buffer.concat([bytes.subarray(0, at), add, bytes.subarray(at + drop)])
}

function lines(bytes: Uint8Array, change: (all: string[]) => unknown): Uint8Array {
  const all = Buffer.from(bytes).toString('latin1').split('\n')
  change(all)
  return Buffer.from(all.join('\n'), 'latin1')
}

function isSame(a: Files, b: Files): boolean {
  return (
    a.size === b.size &&
    [...a].every(
      ([name, bytes]) => Buffer.compare(bytes, b.get(name) ?? new Uint8Array()) === 0 && b.has(name),
    )
  )
}

/** Fewer stored checkpoints say less, and nothing that is not so: those that are left must still fit. */
function isHarmless(before: Files, after: Files): boolean {
  const NAME = 'checkpoints.jsonl'
  const [all, left] = [before, after].map((files) => Buffer.from(files.get(NAME) ?? '').toString('latin1'))
  const rest = new Map(after).set(NAME, before.get(NAME)!)
  if (!isSame(before, rest) || !left!.endsWith('\n')) return false
  const [known, kept] = [all!.split('\n'), left!.split('\n')]
  let at = 0
  for (const line of kept) at = known.indexOf(line, at) + 1 || Number.POSITIVE_INFINITY
  return at <= known.length && kept.at(-2) === known.at(-2)
}

/** The same answers without asking twice: most changes leave the signatures alone, and those take the time. */
export function rememberingPlatform(platform: Platform): Platform {
  const known = new Map<string, boolean | Promise<boolean>>()
  return {
    ...platform,
    isSigned(key, message, signature) {
      const claim = Buffer.concat([key, signature, message]).toString('latin1')
      const answer = known.get(claim) ?? platform.isSigned(key, message, signature)
      if (known.size < 10_000) known.set(claim, answer)
      return answer
    },
  }
}

/** Tries as many changes; answers those that were taken for the log as it was written. */
export async function accepted(logs: readonly Files[], count: number, first = 1): Promise<readonly string[]> {
  const platform = rememberingPlatform(NODE_PLATFORM)
  const wrong: string[] = []
  for (let seed = first, tried = 0; tried < count; seed += 1) {
    const change = mutated(logs[seed % logs.length]!, randomOf(seed))
    if (!change) continue
    tried += 1
    const { verdict } = await verifyExport(memoryFiles(change.files), platform)
    if (verdict === 'ok') wrong.push(`${change.name}, seed ${seed}`)
  }
  return wrong
}
