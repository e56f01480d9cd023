import { createReadStream, existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  EXIT,
  type ExportFiles,
  exitOf,
  type Policy,
  printVerification,
  type Remembered,
  readPolicy,
  readRemembered,
  type Verification,
  verifyExport,
} from '../audit/levels/index.ts'
import { readVkey } from '../audit/note.ts'
import { orElse } from '../domain/once.ts'
import { present } from '../domain/present.ts'
import { NODE_PLATFORM, platformSha256 } from './audit-platform.ts'

export interface VerifyRequest {
  readonly folders: readonly string[]
  /** Files and a key, as somebody typed them. */
  readonly seen?: string | undefined
  readonly policy?: string | undefined
  readonly vkey?: string | undefined
  readonly tell?: (done: number, of: number) => void
}

export type VerifyOutcome =
  | { readonly found: Verification; readonly text: string; readonly exit: number }
  /** It was asked for in a way that cannot be answered. */
  | { readonly usage: string; readonly exit: number }

/** Verifies the export in a folder. The same for the command, and for the file that needs nothing but Node. */
export async function verifyFolder(request: VerifyRequest): Promise<VerifyOutcome> {
  const [folder, ...more] = request.folders
  if (folder === undefined || more.length > 0)
    return usage('audit verify needs the one folder that holds the export')
  if (!isFolder(folder)) return usage(`there is no folder ${folder}`)
  const seen = request.seen === undefined ? undefined : readSeen(request.seen)
  if (typeof seen === 'string') return usage(seen)
  const policy = request.policy === undefined ? undefined : readPolicyFile(request.policy)
  if (typeof policy === 'string') return usage(policy)
  if (request.vkey !== undefined && !readVkey(platformSha256, request.vkey))
    return usage(`${request.vkey} is not a key; it looks like name+1234abcd+AbC…=`)
  const given = present({ vkey: request.vkey, seen, policy, tell: request.tell })
  const found = await verifyExport(folderFiles(folder), NODE_PLATFORM, given)
  return { found, text: printVerification(found), exit: exitOf(found) }
}

const usage = (reason: string): VerifyOutcome => ({ usage: reason, exit: EXIT.usage })

function readSeen(file: string): Remembered | string {
  const text = readText(file)
  if (text === undefined)
    return `${file} cannot be read; --seen takes a copy that you kept of the file checkpoint in an earlier export`
  return readRemembered(text) ?? `${file} is not a checkpoint`
}

function readPolicyFile(file: string): Policy | string {
  const text = readText(file)
  if (text === undefined) return `${file} cannot be read`
  const policy = readPolicy(platformSha256, text)
  return 'wrong' in policy ? `${file} is not a policy: ${policy.wrong}` : policy
}

const readText = (file: string): string | undefined => orElse(() => readFileSync(file, 'utf8'), undefined)

/** An export in a folder. Links are not followed: what they lead to is not part of it. */
export function folderFiles(folder: string): ExportFiles {
  const sizeOf = (name: string): number | undefined => {
    const found = lstatSync(join(folder, ...name.split('/')), { throwIfNoEntry: false })
    return found?.isFile() ? found.size : undefined
  }
  return {
    names: async () => [...filesBelow(folder, '')],
    read: async (name, most) => {
      const size = sizeOf(name)
      return size === undefined || size > most ? undefined : readFileSync(join(folder, ...name.split('/')))
    },
    chunks: (name) =>
      sizeOf(name) === undefined ? undefined : createReadStream(join(folder, ...name.split('/'))),
  }
}

function* filesBelow(folder: string, prefix: string): Iterable<string> {
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, name)
    else yield name
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()
