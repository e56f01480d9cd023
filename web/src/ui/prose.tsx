import { later } from './later.tsx'

/** Text that an agent wrote, with markdown and without anything that could act. `below` is the level of the heading above it. */
export const Prose = later<{ readonly text: string; readonly below: number }>(
  async () => (await import('./text/markdown.tsx')).Markdown,
  ({ text }) => <p className="wrap">{text}</p>,
)
