/** The commands of a page: every line of its `sh` blocks that starts with baton, with the lines that go on from it. */
export function guideCommands(page: string): readonly string[] {
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block]) => block!.replaceAll(/\\\n\s*/g, '').split('\n'))
    .filter((line) => line.startsWith('baton '))
}

/** Splits a line as a shell does, as far as guides need it. */
export const shellWords = (line: string): string[] =>
  (line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ''))
