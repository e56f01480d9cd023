import { useState } from 'react'
import { plainSha256 } from '../../../../src/audit/sha256.ts'
import type { ArtifactRef } from '../../../../src/domain/handoffs/package.ts'
import type { OperationOutput } from '../../../../src/runner/operation-types.ts'
import { useOperation } from '../../api/queries.ts'
import { Prose } from '../../ui/prose.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Diff } from '../../ui/text/diff.tsx'
import { Outward, usePlaces } from '../../ui/text/linked.tsx'

export type StoredFile = NonNullable<OperationOutput<'handoff_get'>['files']>[number]

/** Files that a package or a result names, and those that were stored with the handoff. Stored ones open in place. */
export function Files(props: {
  readonly named: readonly ArtifactRef[]
  readonly stored: readonly StoredFile[]
}) {
  const { named, stored } = props
  const storedFor = ({ path, sha256 }: ArtifactRef) =>
    stored.findLast((file) => file.path === path && (sha256 === undefined || file.sha256 === sha256))
  const rows = [
    ...named.map((ref) => ({ ref, file: storedFor(ref) })),
    ...stored
      .filter(({ uid }) => !named.some((ref) => storedFor(ref)?.uid === uid))
      .map((file) => ({ ref: file as ArtifactRef, file })),
  ]
  if (rows.length === 0) return null
  return (
    <>
      <h3>Files</h3>
      <ul className="plain files">
        {rows.map(({ ref, file }, i) => (
          <FileRow key={file?.uid ?? i} named={ref} file={file} />
        ))}
      </ul>
    </>
  )
}

function FileRow({ named, file }: { readonly named: ArtifactRef; readonly file: StoredFile | undefined }) {
  const { path, role, type, description, commit = file?.commit, sha256 = file?.sha256 } = named
  const [isOpen, open] = useState(false)
  const places = usePlaces()
  return (
    <li className="wrap">
      <div className="row">
        <span className="grow">
          <code>{path}</code>
          {description && <span dir="auto">: {description}</span>}{' '}
          <small title={sha256}>
            {[role, type, sha256 && `SHA-256 ${sha256.slice(0, 12)}…`].filter(Boolean).join(' · ')}{' '}
            {commit && (
              <Outward href={places?.file(path, commit)} text={`at commit ${commit.slice(0, 12)}`} />
            )}
          </small>
        </span>
        {file?.stored && (
          <button type="button" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
            {isOpen ? 'Close' : 'Open'}
          </button>
        )}
      </div>
      {isOpen && file && <FileText file={file} expected={sha256} />}
    </li>
  )
}

/** The stored bytes as text. Bytes with another digest than the log names are not shown. */
function FileText({ file, expected }: { readonly file: StoredFile; readonly expected: string | undefined }) {
  const got = useOperation('artifact_get', { uid: file.uid })
  if (!got.data)
    return got.error ? <Failed error={got.error} again={got.refetch} /> : <Loading what={file.path} />
  const bytes = Uint8Array.from(atob(got.data.content ?? ''), (letter) => letter.charCodeAt(0))
  const digest = [...plainSha256(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (digest !== expected)
    return (
      <p role="alert" className="trouble">
        The stored bytes do not have the SHA-256 that was recorded, so they are not shown.
      </p>
    )
  return (
    <div className="file-text">
      <p className="soft">
        <span className="badge good">digest matches</span> {bytes.length.toLocaleString('en')} bytes
      </p>
      <Content path={file.path} bytes={bytes} />
    </div>
  )
}

/** Longer texts are opened in two steps. */
const FEW_LINES = 400

function Content({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }) {
  const [isAll, showAll] = useState(false)
  const whole = textIn(bytes)
  if (whole === undefined) return <p>This is not a text. Get it with: baton artifact get</p>
  const lines = whole.split('\n')
  const text = isAll ? whole : lines.slice(0, FEW_LINES).join('\n')
  return (
    <>
      {/\.(?:md|markdown)$/i.test(path) ? (
        <Prose text={text} below={3} />
      ) : /\.(?:diff|patch)$/i.test(path) || whole.startsWith('diff --git ') ? (
        <Diff text={text} />
      ) : (
        <pre>{text}</pre>
      )}
      {text.length < whole.length && (
        <button type="button" onClick={() => showAll(true)}>
          Show all {lines.length.toLocaleString('en')} lines
        </button>
      )}
    </>
  )
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
