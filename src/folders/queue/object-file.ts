import { type Data, isData, sameData } from '../../dialects/difference.ts'
import { prettyJson } from '../../dialects/text/json/json.ts'
import { sourcesOf } from '../../dialects/text/sources.ts'
import type { Extra } from '../folder.ts'

/** What a JSON object says that others write into too: empty where it is not there yet, undefined where it is not an object. */
export const objectIn = (text: string | undefined, path: string): Data | undefined =>
  text === undefined || text.trim() === '' ? {} : valueIn(text, path)

function valueIn(text: string, path: string): Data | undefined {
  const [source] = sourcesOf(text, { path })
  return isData(source?.value) && !source.diagnostics.some(({ severity }) => severity === 'error')
    ? source.value
    : undefined
}

const NO_OBJECT = 'it is not a JSON object; correct it, or delete it and it is written again'

/** Such a file as it is to be; without an object, what is there cannot be written over. */
export const objectFile = (path: string, next: Data | undefined): Extra =>
  next
    ? { path, keeps: true, text: prettyJson(next), same: (other) => sameData(valueIn(other, path), next) }
    : { path, keeps: true, text: '', same: () => false, problem: NO_OBJECT }
