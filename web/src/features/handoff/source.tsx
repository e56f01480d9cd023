import { useState } from 'react'
import { useOperation } from '../../api/queries.ts'
import { Failed, Loading } from '../../ui/states.tsx'

const DIALECTS = ['markdown', 'queue', 'block', 'writeback', 'package'] as const

/** The handoff as a document of any dialect, with what would be lost. */
export function Source({ id }: { readonly id: string }) {
  const [dialect, choose] = useState<(typeof DIALECTS)[number]>()
  return (
    <section className="card" aria-label="As a document">
      <h2>As a document</h2>
      <div className="row">
        {DIALECTS.map((each) => (
          <button key={each} type="button" aria-pressed={each === dialect} onClick={() => choose(each)}>
            {each}
          </button>
        ))}
      </div>
      {dialect && <Text key={dialect} id={id} dialect={dialect} />}
    </section>
  )
}

function Text({ id, dialect }: { readonly id: string; readonly dialect: (typeof DIALECTS)[number] }) {
  const text = useOperation('document_export', { id, to: dialect })
  if (text.isPending) return <Loading what="the document" />
  if (text.error) return <Failed error={text.error} />
  return (
    <>
      <pre>{text.data.text}</pre>
      {text.data.losses.length > 0 && (
        <p className="soft">Not in it: {text.data.losses.map(({ field }) => field).join(', ')}.</p>
      )}
    </>
  )
}
