import { useState } from 'react'

const PREFIX = 'baton draft '
let person = ''

/** Drafts belong to one person; those of another are forgotten. */
export function ownDrafts(name: string): void {
  person = name
  forgetDrafts((key) => !key.startsWith(`${PREFIX}${name}\n`))
}

export function forgetDrafts(isMeant: (key: string) => boolean = () => true): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && isMeant(key)) sessionStorage.removeItem(key)
}

const placeOf = (key: string): string => `${PREFIX}${person}\n${key}`

export const draftAt = (key: string): string => sessionStorage.getItem(placeOf(key)) ?? ''

export function keepDraft(key: string, text: string): void {
  if (text === '') sessionStorage.removeItem(placeOf(key))
  else sessionStorage.setItem(placeOf(key), text)
}

/** A text that is written here and outlives the page in this tab: a reload, a lost session, another page in between. */
export function useDraft(key: string): [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => draftAt(key))
  const write = (next: string) => {
    keepDraft(key, next)
    setText(next)
  }
  return [text, write]
}

/** The same for the fields of a form. Those that are given stand there instead of what was written before. */
export function useFields<Fields extends Readonly<Record<string, string>>>(
  key: string,
  empty: Fields,
  given: Partial<Fields> = {},
) {
  const [fields, setFields] = useState<Fields>(() => ({
    ...empty,
    ...JSON.parse(draftAt(key) || '{}'),
    ...given,
  }))
  const write = (change: Partial<Fields>) => {
    const next = { ...fields, ...change }
    keepDraft(key, JSON.stringify(next))
    setFields(next)
  }
  return { fields, write, forget: () => keepDraft(key, '') }
}
