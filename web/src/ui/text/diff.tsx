const LOOKS: readonly (readonly [start: string, look: string])[] = [
  ['+++', 'head'],
  ['---', 'head'],
  ['diff ', 'head'],
  ['@@', 'place'],
  ['+', 'added'],
  ['-', 'removed'],
]

/** Changes of a text, line by line: the sign stands there too, so that nobody needs the colours. */
export function Diff({ text }: { readonly text: string }) {
  return (
    <pre className="diff">
      {text.split('\n').map((line, i) => (
        <span key={i} className={LOOKS.find(([start]) => line.startsWith(start))?.[1]}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  )
}
