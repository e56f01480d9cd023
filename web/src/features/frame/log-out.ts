import { logOut } from '../../api/session.ts'
import { forgetDrafts } from '../../ui/input/drafts.ts'

/** Logs out and leaves nothing in this tab for the next person. */
export function leave(): Promise<void> {
  forgetDrafts()
  return logOut()
}
