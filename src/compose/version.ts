import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { once } from '../domain/once.ts'

/** As the package says it; the sources and the build lie at different depths under it. */
export const version = once((): string => {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json')
    if (existsSync(file)) return String(JSON.parse(readFileSync(file, 'utf8')).version)
  }
  return '0.0.0'
})
