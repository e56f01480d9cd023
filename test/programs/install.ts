import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { npm } from '../package/program.ts'
import { NODES, PROGRAM_NAMES, programOf } from './programs.ts'

const ROOT = resolve(import.meta.dirname, '../..')
export const CACHE = join(ROOT, 'node_modules/.cache/agents')

/** Installs an npm package once, without its install scripts, and answers the path of its program. */
async function installed(cache: string, name: string, version: string, file: string): Promise<string> {
  const place = join(cache, `${name.replaceAll('/', '+')}@${version}`)
  const program = join(place, 'node_modules', file)
  if (existsSync(program)) return program
  const making = mkdtempSync(`${place}-`)
  try {
    await installInto(making, `${name}@${version}`)
    rmSync(place, { recursive: true, force: true })
    renameSync(making, place)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  if (!existsSync(program))
    throw new Error(`${name}@${version} holds no ${file}; correct test/programs/programs.ts`)
  return program
}

async function installInto(folder: string, what: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  const { code, stderr } = await npm(['install', ...flags, what], folder)
  if (code !== 0)
    throw new Error(`npm could not install ${what}; connect to the registry and try again\n${stderr}`)
}

/** Links to all programs in one folder, for the path. The old Node has a name of its own there. */
export async function installPrograms(cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true })
  const bin = join(cache, 'bin')
  rmSync(bin, { recursive: true, force: true })
  mkdirSync(bin)
  const programs = PROGRAM_NAMES.map((name) => [name, programOf(name)] as const)
  for (const [name, { package: from, version, file }] of [...programs, ...Object.entries(NODES)])
    symlinkSync(await installed(cache, from, version, file), join(bin, name))
  return bin
}

/** Baton as people get it: packed from this clone's build and installed elsewhere. Answers its `baton.js`. */
export async function installBaton(cache: string): Promise<string> {
  const folder = join(cache, 'baton')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const packed = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], ROOT)
  if (packed.code !== 0) throw new Error(`npm could not pack Baton\n${packed.stderr}`)
  const [{ filename }] = JSON.parse(packed.stdout)
  await installInto(join(folder, 'at'), join(folder, filename))
  return join(folder, 'at/node_modules/batonpass/bin/baton.js')
}
