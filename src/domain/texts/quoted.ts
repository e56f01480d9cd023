/** A name or a path, which says nothing by itself. */
const PLAIN = /^[\w./-]{1,100}$/

/** Words of others within a sentence of ours: in quotes that they cannot leave, unless they are a plain name. */
export const quoted = (words: string): string => (PLAIN.test(words) ? words : JSON.stringify(words))
