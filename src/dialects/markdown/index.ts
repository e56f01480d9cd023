import type { Dialect } from '../dialect.ts'
import type { Source } from '../text/source.ts'
import { formOf } from './form.ts'
import { parseIndex } from './index-file.ts'
import { markdownLossReason } from './losses.ts'
import { parseHandoff } from './parse.ts'
import { print, toNative } from './write.ts'

/** Document 000: markdown with front matter in `_handoffs/`, its index, and what agents wrote before it. */
export const markdown: Dialect = {
  id: 'markdown',
  title: 'Markdown handoff',
  formOf,
  interpret(source: Source, form: string) {
    if (form === 'index') return { diagnostics: parseIndex(source).diagnostics }
    return parseHandoff(source, form === 'v1' ? 'v1' : 'handoff')
  },
  toNative,
  print,
  reasonFor: markdownLossReason,
  slot: ['x_baton'],
}
