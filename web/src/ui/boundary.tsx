import { Component, type ReactNode } from 'react'
import { Failed } from './states.tsx'

interface Props {
  readonly children: ReactNode
}

/** Keeps a page that breaks, or whose code is gone after an upgrade, from taking the others with it. */
export class Boundary extends Component<Props, { readonly broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true }
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children
    return (
      <Failed
        error={
          new Error('This page could not be shown. After an upgrade of the server it has to be loaded anew.')
        }
        again={() => location.reload()}
      />
    )
  }
}
