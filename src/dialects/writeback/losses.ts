import type { Draft } from '../draft.ts'
import { STATUS_OF } from './words.ts'

const NO_FIELD = 'writing back has no field for it'

/** Fields that are said, whole or in part. Only some keys of a package are. */
const SAID = /^(?:package$|(?:task|record|extra)\b)/

const WRITEBACK_LOSSES: Readonly<Record<string, string>> = {
  'package.summary': 'a record has one summary',
  'record.blockers': 'a blocker is an object; its text is written as issue',
  'record.commit_sha': 'a hash is written in lower case',
}

export function writebackLossReason(field: string, { state }: Draft): string | undefined {
  if (field === 'state') return state && `writing back says ${STATUS_OF[state]} for ${state}`
  if (field === 'record.status') return state && `the state says ${STATUS_OF[state]}`
  return WRITEBACK_LOSSES[field] ?? (SAID.test(field) ? undefined : NO_FIELD)
}
