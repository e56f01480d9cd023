/** The name of a state, a step or a field as people read it: `in_progress` becomes "in progress". */
export const inWords = (name: string): string => name.replaceAll('_', ' ')
