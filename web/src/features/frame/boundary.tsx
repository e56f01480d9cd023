import { Component, type ReactNode, useEffect } from 'react'
import { useConnection } from '../../api/live.ts'
import { Failed } from '../../ui/states.tsx'

interface Props {
  readonly children: ReactNode
}

/** Keeps a page that breaks, or whose code is gone after an upgrade, from taking the others with it. */
export class Boundary extends Component<Props, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {}

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    return error ? <Broken error={error} /> : this.props.children
  }
}

/** Browsers say in words of their own that a file of code did not arrive. */
const isAboutCode = ({ message }: Error): boolean => /import|module/i.test(message)
let isLostWithCode = false

function Broken({ error }: { readonly error: Error }) {
  const connection = useConnection()
  useEffect(() => {
    if (!isAboutCode(error)) return
    if (connection === 'lost') isLostWithCode = true
    // Nothing is written on a page that was never shown.
    if (connection === 'live' && isLostWithCode) location.reload()
  }, [connection, error])
  if (connection === 'lost' && isAboutCode(error))
    return <Failed error={new Error('The server does not answer. The page appears when it is back.')} />
  return (
    <Failed
      error={new Error('This page could not be shown. If the server was upgraded, load it again.')}
      again={() => location.reload()}
    />
  )
}
