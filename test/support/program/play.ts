import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Plays parts of examples in this process, one after the other: node play.ts <address> <example>:<part> … */
const EXAMPLES = resolve(import.meta.dirname, '../../../examples')
const [node = '', , address = '', ...played] = process.argv

for (const each of played) {
  const [example = '', part = 'all'] = each.split(':')
  const file = join(EXAMPLES, `${example}.ts`)
  process.argv = [node, file, address, ...(part === 'all' ? [] : [part])]
  await import(pathToFileURL(file).href)
}
