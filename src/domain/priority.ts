export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

/** Claims and inboxes come in this order, then by age. */
export const RANK: Readonly<Record<Priority, number>> = { critical: 0, high: 1, normal: 2, low: 3 }
