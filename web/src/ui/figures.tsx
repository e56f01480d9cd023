export interface Figure {
  readonly name: string
  readonly value: string | number
  readonly tone?: 'good' | 'busy' | 'wait' | 'bad'
}

/** A few numbers that say how it stands. */
export function Figures({ label, items }: { readonly label: string; readonly items: readonly Figure[] }) {
  return (
    <dl className="figures" aria-label={label}>
      {items.map(({ name, value, tone }) => (
        <div key={name} className={`figure ${tone ?? ''}`}>
          <dt>{name}</dt>
          <dd>{typeof value === 'number' ? value.toLocaleString('en') : value}</dd>
        </div>
      ))}
    </dl>
  )
}
