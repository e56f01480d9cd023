import type { State } from '../../../domain/lifecycle.ts'
import { quotedText } from '../../text/quoted.ts'
import type { Reading } from '../reading.ts'

const UNSTARTED: readonly unknown[] = ['draft', 'offered']

/** Whether the boxes of the criteria say the same as the status. */
export function checkBoxes(reading: Reading, state: State | undefined): void {
  const section = reading.index.section('verification_criteria')
  if (!section) return
  const items = reading.index.itemsBelow(section)
  const open = items.find(({ done }) => done === false)
  if (state === 'completed' && open) {
    const message = `The status is Complete, but ${quotedText(open.text)} is not ticked; finish it, or set the status back.`
    reading.report('warning', 'criterion_open', message, reading.bodyPosition(open.at))
  }
  if (UNSTARTED.includes(state) && items.length > 0 && items.every(({ done }) => done === true)) {
    const message =
      'Every criterion is marked as met, but nobody has started; clear the marks, or set the status.'
    reading.report('info', 'criteria_ticked', message, reading.bodyPosition(section.at))
  }
}
