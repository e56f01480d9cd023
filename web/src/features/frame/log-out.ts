import { logOut } from '../../api/session.ts'
import { forgetDrafts } from '../../ui/input/drafts.ts'

/** Whoever logs out leaves nothing in this tab for the next person. */
export function leave(): Promise<void> {
  forgetDrafts()
  return logOut()
}
