/** How a field differs, item by item: `+ criteria: p95 under 200 ms`. */
export function differenceLines(field: string, old: unknown, value: unknown): readonly string[] {
  const [was, is] = [itemTexts(old), itemTexts(value)]
  const gone = was.filter((each) => !is.includes(each)).map((each) => `- ${field}: ${each}`)
  return [...gone, ...is.filter((each) => !was.includes(each)).map((each) => `+ ${field}: ${each}`)]
}

export const itemTexts = (value: unknown): readonly string[] =>
  [value ?? []].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
