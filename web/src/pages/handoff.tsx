import { HandoffView } from '../features/handoff/handoff-view.tsx'

/** The page of one handoff. */
export const HandoffPage = ({ id }: { readonly id: string }) => <HandoffView id={id} />
