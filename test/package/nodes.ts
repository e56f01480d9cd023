import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { npm } from './program.ts'

/** Newest releases of the lines that the package supports beside the one that the tests run on. */
const VERSIONS = { 22: '22.23.3', 26: '26.9.0' } as const

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/nodes')

/** npm's package with the Node binary of this machine's kind. */
const PACKAGE = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`

/** The path of another Node, fetched once for this clone. */
export async function fetchNode(line: keyof typeof VERSIONS): Promise<string> {
  const version = VERSIONS[line]
  const place = join(CACHE, `${PACKAGE}-${version}`)
  const binary = join(place, 'node_modules', PACKAGE, 'bin', 'node')
  if (existsSync(binary)) return binary
  mkdirSync(CACHE, { recursive: true })
  const making = mkdtempSync(`${place}-`)
  try {
    writeFileSync(join(making, 'package.json'), '{ "private": true }')
    const { code, stderr } = await npm(
      ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', `${PACKAGE}@${version}`],
      making,
    )
    if (code !== 0)
      throw new Error(
        `The package is tried on Node ${version} and npm could not fetch ${PACKAGE}@${version}: connect to the npm registry and run the test again.\n${stderr}`,
      )
    // Another run may have been faster; then its copy is as good.
    if (!existsSync(place)) renameSync(making, place)
    return binary
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}
