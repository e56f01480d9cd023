// Builds the dashboard into web/dist when its sources are newer than the last build; `--force` builds it anyway.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, 'web', 'dist', 'index.html')

export function isWebBuilt() {
  if (!existsSync(built)) return false
  const since = statSync(built).mtimeMs
  const sources = ['web/src', 'web/public', 'src/domain', 'src/pictures', 'src/audit'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, name)),
  )
  return [
    ...sources,
    join(root, 'web/index.html'),
    join(root, 'web/vite.config.ts'),
    join(root, 'package-lock.json'),
  ].every(
    (path) =>
      /\.test\.tsx?$/.test(path) || (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) <= since,
  )
}

/** Builds it, and answers the parts with the modules in each. */
export async function buildWeb() {
  const { build } = await import('vite')
  const { output } = await build({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn' })
  return output.filter((part) => part.type === 'chunk')
}

if (process.argv[1] === fileURLToPath(import.meta.url) && (process.argv.includes('--force') || !isWebBuilt()))
  await buildWeb()
