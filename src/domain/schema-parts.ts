import * as z from 'zod'

/** A text with something in it. */
export const text = (max: number): z.ZodString => z.string().min(1).max(max)

export const matching = (form: RegExp, error: string): z.ZodString => z.string().regex(form, { error })
