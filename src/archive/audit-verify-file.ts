import { parseArgs } from 'node:util'
import { type VerifyRequest, verifyFolder } from './audit-verify.ts'

const USAGE = `Usage: node baton-verify.mjs <folder> [--seen FILE] [--vkey KEY] [--policy FILE] [--json]
Verifies an export of a Baton log: one file, no packages, no network.
Exit codes: 0 ok, 1 tampered, 2 cannot be verified, 3 wrong use.`

/** The program of `baton-verify.mjs`: what `baton audit verify` does, for those who have nothing but Node. */
async function main(args: readonly string[]): Promise<number> {
  const options = { seen: string(), vkey: string(), policy: string(), json: flag(), help: flag() }
  let read: { values: VerifyRequest & { json?: boolean; help?: boolean }; positionals: string[] }
  try {
    read = parseArgs({ args: [...args], options, allowPositionals: true }) as unknown as typeof read
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return 3
  }
  const { json, help, ...request } = read.values
  if (help) {
    console.log(USAGE)
    return 0
  }
  const outcome = await verifyFolder({ ...request, folders: read.positionals })
  if ('usage' in outcome) console.error(`${outcome.usage}\n${USAGE}`)
  else console.log(json ? JSON.stringify(outcome.found) : outcome.text.trimEnd())
  return outcome.exit
}

const string = () => ({ type: 'string' }) as const
const flag = () => ({ type: 'boolean' }) as const

process.exitCode = await main(process.argv.slice(2))
