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

/** What is shown is not what the log tells of: somebody changed it outside Baton. */
export function Changed({ warning }: { readonly warning: string | undefined }) {
  return warning === undefined ? null : (
    <p className="trouble wrap" role="alert">
      {warning}
    </p>
  )
}

/** It did not work, in the words of whoever refused, and what can be tried. */
export function Failed(props: {
  readonly error: Error
  readonly again?: () => unknown
  /** Name of the page, where all of it failed. */
  readonly page?: string
}) {
  const { error, again, page } = props
  return (
    <div className="state failed" role="alert">
      {page !== undefined && <h1 className="wrap">{page}</h1>}
      <p>{error.message}</p>
      {again && (
        <button type="button" onClick={() => again()}>
          Try again
        </button>
      )}
    </div>
  )
}
