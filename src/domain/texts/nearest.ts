/** The known word that was probably meant, or undefined when none is near: a third of its letters may be wrong. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const asked = word.toLowerCase()
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const steps = distance(asked, candidate.toLowerCase())
    if (steps < least) {
      least = steps
      best = candidate
    }
  }
  return best
}

/** How many letters to add, drop, change or swap with their neighbour. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let line = 1; line <= from.length; line++) {
    const next = [line]
    for (let column = 1; column <= to.length; column++) {
      const change = row[column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1)
      const isSwapped = line > 1 && from[line - 2] === to[column - 1] && from[line - 1] === to[column - 2]
      const swap = isSwapped ? before[column - 2]! + 1 : change
      next.push(Math.min(change, swap, row[column]! + 1, next[column - 1]! + 1))
    }
    before = row
    row = next
  }
  return row.at(-1)!
}

/** Says of a name that nobody has used yet which one was probably meant; a team may well number its agents. */
export function newName(name: string, agents: readonly { readonly name: string }[]): string {
  const bare = (each: string) => each.replaceAll(/\d+/g, '')
  const others = agents.map((each) => each.name).filter((each) => bare(each) !== bare(name))
  const advice = agents.some((each) => each.name === name) ? '' : didYouMean(name, others)
  return advice && `${name} is new here${advice}`
}

/** The end of a sentence that refuses a word: the one that was probably meant, or nothing. */
export function didYouMean(word: string, known: Iterable<string>, typed = (each: string) => each): string {
  // One letter is near to every other.
  const words = word.length < 2 ? [] : [...known].filter((each) => each.length > 1)
  const found =
    nearest(word, words) ?? (word.length > 2 ? words.find((each) => each.startsWith(word)) : undefined)
  return found === undefined ? '' : `; did you mean ${typed(found)}?`
}
