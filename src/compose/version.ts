import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { once } from '../domain/once.ts'

/** The folder of the package; the sources and the build lie at different depths under it. */
export const packageRoot = once((): string | undefined => {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, 'package.json'))) return folder
  return undefined
})

/** As the package says it. */
export const version = once((): string => {
  const root = packageRoot()
  return root ? String(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version) : '0.0.0'
})
