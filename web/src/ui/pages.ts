/** The pages and the key that leads to each, after `g`. */
export const PAGES = [
  { path: '/', name: 'Board', key: 'b' },
  { path: '/inbox', name: 'Inbox', key: 'i' },
  { path: '/tasks', name: 'Tasks', key: 't' },
  { path: '/agents', name: 'Agents', key: 'a' },
  { path: '/workflows', name: 'Workflows', key: 'w' },
  { path: '/metrics', name: 'Metrics', key: 'm' },
  { path: '/audit', name: 'Audit', key: 'l' },
] as const

/** A part of an address as it is read; whatever somebody typed there that stands for no letter stays as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
