import type { ReactNode } from 'react'

/** Something is on its way. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="state" role="status">
      <span className="spinner" aria-hidden="true" /> Loading {what} …
    </p>
  )
}

/** There is nothing, which is a fact and no fault; says what would make something appear. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="state empty">{children}</p>
}

/** It did not work, in the words of whoever refused, and what can be tried. */
export function Failed({ error, again }: { readonly error: Error; readonly again?: () => unknown }) {
  return (
    <div className="state failed" role="alert">
      <p>{error.message}</p>
      {again && (
        <button type="button" onClick={() => again()}>
          Try again
        </button>
      )}
    </div>
  )
}
