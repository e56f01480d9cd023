import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The published samples of a format, in fences of one Markdown text. */
export const samplesOf = (format: 'markdown' | 'queue' | 'block' | 'package'): string =>
  readFileSync(join(import.meta.dirname, '../../fixtures/samples', `${format}.md`), 'utf8')
