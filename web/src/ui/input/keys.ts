/** Code of a key that went to whatever composes letters. */
const COMPOSED = 229

/** Where text was typed last, until whoever typed it went elsewhere or was done with it. */
let field: EventTarget | undefined

const isField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=radio], [type=checkbox]), textarea, select'))

/**
 * Keys that are typed into a field are text, not commands. So are those of somebody who types on while the field goes
 * away: they hold until that person points at something, goes elsewhere, or presses Enter or Escape.
 */
export const isTyping = (target: EventTarget | null): boolean => isField(target) || field !== undefined

/** Enter takes a candidate and Escape drops it where letters are composed. Safari tells by the code alone. */
export const isComposing = ({ isComposing, keyCode }: KeyboardEvent): boolean =>
  isComposing || keyCode === COMPOSED

/** Follows where text is typed; see `isTyping`. */
export function followTyping(): () => void {
  const onFocus = ({ target }: Event) => {
    field = isField(target) ? target : undefined
  }
  const onPointer = ({ target }: Event) => {
    if (target !== field) field = undefined
  }
  const onKey = (event: KeyboardEvent) => {
    const { target, key, shiftKey } = event
    const isLeaving = !isComposing(event) && (key === 'Escape' || (key === 'Enter' && !shiftKey))
    if (isLeaving) field = undefined
    else if (isField(target)) field = target
  }
  addEventListener('focusin', onFocus, true)
  addEventListener('pointerdown', onPointer, true)
  addEventListener('keydown', onKey, true)
  return () => {
    removeEventListener('focusin', onFocus, true)
    removeEventListener('pointerdown', onPointer, true)
    removeEventListener('keydown', onKey, true)
  }
}
