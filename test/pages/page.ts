/** Marks of a block, as a comment right above its fence: `<!-- in: clone; background: baton serve -->`. */
export interface Marks {
  /** Begins in the clone, not in the repository that the page works on. */
  readonly in?: 'clone'
  /** Lines to type first that the page does not show. */
  readonly before?: string
  /** Lines that run until the page ends, each by its beginning. */
  readonly background?: string
  /** Programs and addresses that are not part of the project: see stand-ins/ and `ADDRESSES`. */
  readonly 'stand-ins'?: string
  /** The exit code that the page speaks of. */
  readonly exit?: string
  /** The test that runs the block instead. */
  readonly 'run by'?: string
  /** Why no test runs it. */
  readonly 'not run'?: string
}

export interface Block {
  readonly line: number
  readonly language: string
  readonly text: string
  readonly marks: Marks
}

const KEYS = ['in', 'before', 'background', 'stand-ins', 'exit', 'run by', 'not run']
const FENCE = /(?:^<!-- (?<marks>.*) -->\n)?^(?<margin> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^ *```$/gm

export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(FENCE)].map(({ index, groups = {} }) => ({
    line: page.slice(0, index).split('\n').length + (groups.marks === undefined ? 0 : 1),
    language: groups.language ?? '',
    text: groups.text ?? '',
    marks: marksOf(groups.marks ?? ''),
  }))
}

function marksOf(text: string): Marks {
  const pairs = text
    .split('; ')
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf(': ')
      return [pair.slice(0, at), pair.slice(at + 2)] as const
    })
  const unknown = pairs.find(([key]) => !KEYS.includes(key))
  if (unknown) throw new Error(`"${text}" has no key of a mark; use ${KEYS.join(', ')}`)
  return Object.fromEntries(pairs)
}

export const isTyped = ({ language }: Block): boolean => language === 'sh' || language === 'console'

/** The lines to type. In a `console` block they begin with $, and a line that ends in \ goes on. */
export function typedLines({ language, text }: Block): readonly string[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  return language === 'sh'
    ? lines.filter((line) => line.trim() !== '')
    : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
}

/** The lines of a `console` block that the program shows. */
export const shownLines = ({ language, text }: Block): readonly string[] =>
  language === 'console'
    ? text
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .filter((line) => line.trim() !== '' && !line.startsWith('$ '))
    : []

const PROGRAMS = 'baton|npm|npx|node|git|claude|codex|gemini|copilot|opencode|qwen|curl|psql'
const COMMAND = new RegExp(`^(?:\\$ |(?:${PROGRAMS}) [a-z-]+(?: |$))`, 'm')

/** Something to type, in a block that is neither `sh` nor `console`. */
export const hasCommands = (block: Block): boolean =>
  !isTyped(block) && (block.language === 'sql' || COMMAND.test(block.text))
