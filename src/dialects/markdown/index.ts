import type { Dialect } from '../dialect.ts'
import type { Source } from '../text/source.ts'
import { formOf } from './form.ts'
import { parseIndex } from './index-file.ts'
import { markdownLossReason } from './losses.ts'
import { parseHandoff } from './parse.ts'
import { parseV1 } from './v1/parse.ts'
import { print, toNative } from './write.ts'

/** Document 000: markdown with front matter in `_handoffs/`, its index, and what agents wrote before it. */
export const markdown: Dialect = {
  id: 'markdown',
  title: 'Markdown handoff',
  formOf,
  interpret(source: Source, form: string) {
    if (form === 'index') return { diagnostics: parseIndex(source).diagnostics }
    return form === 'v1' ? parseV1(source) : parseHandoff(source)
  },
  toNative,
  print,
  reasonFor: markdownLossReason,
  slot: ['x_baton'],
}
