export const TYPES = ['sequential', 'delegation', 'escalation', 'return', 'gate'] as const
export type HandoffType = (typeof TYPES)[number]
