import { type UseQueryResult, useQuery } from '@tanstack/react-query'

/** The text of a page of the documentation; null where there is no such page. */
export const useDocsPage = (address: string): UseQueryResult<string | null> =>
  useQuery({ queryKey: [address], queryFn: () => textAt(address), staleTime: Number.POSITIVE_INFINITY })

/** The text without notes to the tests. */
async function textAt(address: string): Promise<string | null> {
  const answer = await fetch(address)
  if (answer.status === 404) return null
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`)
  return (await answer.text()).replaceAll(/^<!--[\s\S]*?-->\n/gm, '')
}
