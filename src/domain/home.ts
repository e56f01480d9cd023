/** The home of a handoff: `native` or one of five dialects. Its guards and deadlines follow from it. */
export const HOMES = ['native', 'markdown', 'queue', 'block', 'writeback', 'package'] as const
export type Home = (typeof HOMES)[number]
