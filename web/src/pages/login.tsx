import { type FormEvent, useEffect, useRef, useState } from 'react'
import { checkSession, logIn } from '../api/session.ts'

/** For a person who came without a link: says how to get one, and takes a code or a token. */
export function Login({ reason }: { readonly reason?: string | undefined }) {
  return (
    <main className="login">
      <h1>
        <img src="/icon.svg" alt="" width="32" height="32" /> Baton
      </h1>
      <LoginForm reason={reason} />
    </main>
  )
}

/** The same over a page whose session has ended. The page stays as it was, and hidden. */
export function LoginOver({ reason }: { readonly reason?: string | undefined }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  // A link that was opened in another tab has begun a session for this one too.
  useEffect(() => {
    const onBack = () => void checkSession()
    addEventListener('focus', onBack)
    document.addEventListener('visibilitychange', onBack)
    return () => {
      removeEventListener('focus', onBack)
      document.removeEventListener('visibilitychange', onBack)
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className="login over"
      aria-labelledby="ended"
      onCancel={(event) => event.preventDefault()}
    >
      <h1 id="ended">Your session has ended</h1>
      <p>What you wrote stays. Log in to go on.</p>
      <LoginForm reason={reason} />
    </dialog>
  )
}

function LoginForm({ reason }: { readonly reason: string | undefined }) {
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState(reason)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    logIn(code.trim().replace(/^.*#login=/, '')).catch((error: Error) => setProblem(error.message))
  }
  return (
    <>
      <p>In the project, type this and open the link that it prints:</p>
      <pre>
        <code>baton login</code>
      </pre>
      <form onSubmit={submit}>
        <label>
          Or put a code or your token here
          <input
            type="password"
            autoComplete="off"
            value={code}
            onChange={({ target }) => setCode(target.value)}
            aria-describedby={problem ? 'problem' : undefined}
          />
        </label>
        <button type="submit" disabled={code.trim() === ''}>
          Log in
        </button>
        {problem && (
          <p id="problem" role="alert" className="failed">
            {problem}
          </p>
        )}
      </form>
    </>
  )
}
