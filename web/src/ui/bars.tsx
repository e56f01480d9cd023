import { Scroll } from './scroll.tsx'
import { useWidth } from './use-width.ts'

export interface Series {
  readonly name: string
  readonly tone: 'good' | 'busy' | 'wait' | 'bad'
  readonly values: readonly (number | undefined)[]
}

const HEIGHT = 190
const LEFT = 44
const RIGHT = 10
const TOP = 10
const FOOT = 24

interface ChartProps {
  readonly label: string
  /** Where each step begins, and how an instant is written under the axis. */
  readonly at: readonly string[]
  readonly when: (instant: string) => string
  readonly format: (value: number) => string
}

/** Bars that stand on each other, step by step through time. The numbers are in a table below. */
export function Bars(props: ChartProps & { readonly series: readonly Series[] }) {
  const { label, at, when, format, series } = props
  const [ref, width] = useWidth<HTMLDivElement>(600)
  const sums = at.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const most = ceiling(Math.max(1, ...sums))
  const room = width - LEFT - RIGHT
  const step = room / Math.max(1, at.length)
  const y = (value: number) => TOP + (HEIGHT - TOP - FOOT) * (1 - value / most)
  return (
    <figure className="chart">
      <Legend series={series} />
      <div ref={ref}>
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
          <Axis most={most} width={width} y={y} format={format} />
          {at.map((instant, i) => {
            let below = 0
            return series.map(({ name, tone, values }) => {
              const value = values[i] ?? 0
              if (value === 0) return null
              const [from, to] = [y(below), y(below + value)]
              below += value
              return (
                <rect
                  key={`${instant} ${name}`}
                  className={`bar ${tone}`}
                  x={LEFT + i * step + step * 0.12}
                  y={to}
                  width={Math.max(1.5, step * 0.76)}
                  height={Math.max(1, from - to)}
                  rx={Math.min(2, step / 4)}
                >
                  <title>{`${when(instant)}: ${format(value)} ${name}`}</title>
                </rect>
              )
            })
          })}
          <Instants at={at} when={when} step={step} />
        </svg>
      </div>
      <Numbers label={label} at={at} when={when} format={format} series={series} />
    </figure>
  )
}

/** Points joined by a line; where nothing was measured there is none. */
export function Line(props: ChartProps & { readonly series: Series }) {
  const { label, at, when, format, series } = props
  const [ref, width] = useWidth<HTMLDivElement>(600)
  const most = ceiling(Math.max(1, ...series.values.map((value) => value ?? 0)))
  const step = (width - LEFT - RIGHT) / Math.max(1, at.length)
  const y = (value: number) => TOP + (HEIGHT - TOP - FOOT) * (1 - value / most)
  const points = series.values.flatMap((value, i) =>
    value === undefined ? [] : [[LEFT + (i + 0.5) * step, y(value), i, value] as const],
  )
  return (
    <figure className="chart">
      <Legend series={[series]} />
      <div ref={ref}>
        <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
          <Axis most={most} width={width} y={y} format={format} />
          <polyline
            className={`trend ${series.tone}`}
            points={points.map(([px, py]) => `${px},${py}`).join(' ')}
          />
          {points.map(([px, py, i, value]) => (
            <circle key={i} className={`dot ${series.tone}`} cx={px} cy={py} r="3">
              <title>{`${when(at[i]!)}: ${format(value)}`}</title>
            </circle>
          ))}
          <Instants at={at} when={when} step={step} />
        </svg>
      </div>
      <Numbers label={label} at={at} when={when} format={format} series={[series]} />
    </figure>
  )
}

function Axis(props: {
  readonly most: number
  readonly width: number
  readonly y: (value: number) => number
  readonly format: (value: number) => string
}) {
  const { most, width, y, format } = props
  return [0, most / 2, most].map((value) => (
    <g key={value} className="axis">
      <line x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
      <text x={LEFT - 6} y={y(value) + 4} textAnchor="end">
        {format(value)}
      </text>
    </g>
  ))
}

/** As many instants as there is room for. */
function Instants(props: Pick<ChartProps, 'at' | 'when'> & { readonly step: number }) {
  const { at, when, step } = props
  const every = Math.max(1, Math.ceil(64 / step))
  return at.map((instant, i) =>
    i % every === 0 && (i + 0.5) * step > 16 ? (
      <text key={instant} className="instant" x={LEFT + (i + 0.5) * step} y={HEIGHT - 6} textAnchor="middle">
        {when(instant)}
      </text>
    ) : null,
  )
}

function Legend({ series }: { readonly series: readonly Series[] }) {
  return (
    <figcaption className="legend">
      {series.map(({ name, tone }) => (
        <span key={name} className={`key ${tone}`}>
          {name}
        </span>
      ))}
    </figcaption>
  )
}

/** The same for whoever cannot see the picture, or wants to copy it. Steps in which nothing happened are left out. */
function Numbers(props: ChartProps & { readonly series: readonly Series[] }) {
  const { label, at, when, format, series } = props
  const rows = at
    .map((instant, i) => ({ instant, values: series.map(({ values }) => values[i]) }))
    .filter(({ values }) => values.some((value) => value !== undefined && value !== 0))
  return (
    <details className="numbers">
      <summary>Numbers</summary>
      {rows.length === 0 ? (
        <p className="soft">Nothing happened in this time.</p>
      ) : (
        <Scroll label={`${label}, as a table`}>
          <table>
            <thead>
              <tr>
                <th>from</th>
                {series.map(({ name }) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ instant, values }) => (
                <tr key={instant}>
                  <td>
                    <time dateTime={instant}>{when(instant)}</time>
                  </td>
                  {values.map((value, i) => (
                    <td key={series[i]!.name}>{value === undefined ? '–' : format(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </details>
  )
}

/** The next round number: an axis that ends at 7.3 cannot be read. */
function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 10].map((times) => times * power).find((round) => round >= value) ?? 10 * power
}
