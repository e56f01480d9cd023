const BRACKETS = /^(?:\[[^[\]]*\]|\{{1,2}[^{}]*\}{1,2}|<[^<>]*>|\[\[[^[\]]*\]\])$/
const WORDS = /^(?:tbd|tbc|todo|fixme|x{3,}|\.{3}|…|\?+|_{3,})$/i

/** A value that was left to be filled in: `[agent]`, `{date}`, `<title>`, `TBD`. */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim()
  return BRACKETS.test(trimmed) || WORDS.test(trimmed)
}
