/** It travels as a header too, so it is a word of visible ASCII. */
const KEY = /^[\x21-\x7e]{1,200}$/

/** Why this cannot be the key of a call, said of the field that holds it; undefined where it can. */
export const keyProblem = (field: string, key: unknown): string | undefined =>
  typeof key === 'string' && KEY.test(key)
    ? undefined
    : `${field} is 1 to 200 visible characters without spaces`
