import { type BatonError, storeRefused } from '../domain/errors.ts'
import type { StoreInfo } from './store.ts'

/** The refusal of a store whose work goes on in another one. */
export const movedAway = ({ location, moved }: Pick<StoreInfo, 'location' | 'moved'>): BatonError =>
  storeRefused(
    `${location} was copied to ${moved} and takes no more writes. ${moved?.endsWith(' not finished)') ? 'Wait for the end of the copy; if it was cut off, run the same baton store move again' : 'Go on there: name it as store in baton.yaml, BATON_STORE or --store'}`,
    { location, moved },
  )
