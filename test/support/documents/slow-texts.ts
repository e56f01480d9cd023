const inFrontMatter = (yaml: string): string => `---\n${yaml}\n---\n# Notes\n`
const numbers = (count: number): string => Array(count).fill('1').join(',')

/** Texts of at most a megabyte that the YAML reader needs seconds for. */
export const SLOW_TEXTS: Readonly<Record<string, string>> = {
  maps: inFrontMatter(`items:\n${'- a: 1\n'.repeat(100_000)}`),
  numbers: inFrontMatter(`items: [${numbers(500_000)}]`),
  aliases: inFrontMatter(`a: &a 1\nitems:\n${'- *a\n'.repeat(30_000)}`),
  keys: inFrontMatter(Array.from({ length: 40_000 }, (_, i) => `key${i}: 1`).join('\n')),
  json: inFrontMatter(`{"items":[${numbers(500_000)}]}`),
}
