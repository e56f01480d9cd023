/** How much of what is allowed is used. Without a limit there is only the number. */
export function Meter(props: {
  readonly name: string
  readonly value: number
  readonly most: number | undefined
}) {
  const { name, value, most } = props
  const share = most === undefined ? undefined : most === 0 ? 1 : Math.min(1, value / most)
  const tone = share === undefined || share < 0.7 ? '' : share < 1 ? 'wait' : 'bad'
  return (
    <div className={`meter ${tone}`}>
      <span className="soft">{name}</span>
      {share === undefined ? (
        <span />
      ) : (
        <span className="track" aria-hidden="true">
          <svg viewBox="0 0 100 4" preserveAspectRatio="none">
            <title>{name}</title>
            <rect className="fill" width={share * 100} height="4" />
          </svg>
        </span>
      )}
      <span className="number">
        {value}
        {most === undefined ? <small>, no limit</small> : ` of ${most}`}
      </span>
    </div>
  )
}
