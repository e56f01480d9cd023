// What the dashboard is compared with: the same libraries, one question to the server, and nothing else.
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createElement as h, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { useSearchParams } from 'wouter'

function Empty() {
  const [query, setQuery] = useSearchParams()
  const text = query.get('text') ?? ''
  const { data } = useQuery({
    queryKey: ['answer', text],
    queryFn: async () => (await fetch(`/v1/answer?text=${encodeURIComponent(text)}`)).json(),
    placeholderData: (before) => before,
  })
  return h(
    'main',
    null,
    h('h1', null, 'Empty'),
    h('input', {
      type: 'search',
      value: text,
      onChange: ({ target }) => setQuery({ text: target.value }, { replace: true }),
    }),
    data && h('p', { className: 'answer' }, data.text),
  )
}

createRoot(document.getElementById('root')).render(
  h(StrictMode, null, h(QueryClientProvider, { client: new QueryClient() }, h(Empty))),
)
