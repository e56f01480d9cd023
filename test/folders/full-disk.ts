// Replaces a file where there is no room for the new one; prints what came of it: node full-disk.ts <folder>
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BatonError } from '../../src/domain/errors.ts'
import { Tree } from '../../src/folders/files/tree.ts'

const [folder = ''] = process.argv.slice(2)
const tree = new Tree(folder)
const text = 'x'.repeat(3 * 1024 * 1024)
tree.put('active/a.md', 'one')

const replace = (): string => {
  try {
    return tree.put('active/a.md', text, tree.read('active/a.md')).ok ? 'written' : 'changed'
  } catch (error) {
    return error instanceof BatonError ? `${error.code}: ${error.message}` : String(error)
  }
}

const refused = replace()
const [kept, names] = [readFileSync(join(folder, 'active/a.md'), 'utf8'), readdirSync(join(folder, 'active'))]
console.log(JSON.stringify({ refused, kept, names }))
