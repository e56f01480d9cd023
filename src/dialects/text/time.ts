export const DAY_MS = 86_400_000

/** What was odd about a time that could be read all the same. */
export type TimeOddity = 'no_zone' | 'date_only' | 'odd_zone' | 'space' | 'prose'

export interface ReadInstant {
  /** In UTC, for example `2026-02-21T14:30:00Z`; fractions of a second only where some were given. */
  readonly instant: string
  readonly oddities: readonly TimeOddity[]
}

interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly clock: string
  readonly zone: string
  readonly oddities: readonly TimeOddity[]
}

/** What nearly all say; it is checked and handed on without being taken apart. */
const USUAL = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt]|[ ]{1,3}|,[ ]?)(\d.*))?$/
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[Tt](\d{2})(\d{2})(\d{2})?([Zz])?)?$/
const SLASHES = /^(\d{4})\/(\d{1,2})\/(\d{1,2})(?:[ ]{1,3}(\d.*))?$/
const MONTH_FIRST =
  /^(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:,? (?:at )?(\d.*))?$/i
const DAY_FIRST =
  /^(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th|\.)? ([a-z]{3,9})\.?,? (\d{4})(?:,? (?:at )?(\d.*))?$/i
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?[ ]?([ap]\.?m\.?)?[ ]?(.*)$/i
const OFFSET = /^(?:UTC|GMT)?[ ]?([+-])(\d{1,2})(?::?(\d{2}))?$/i
const PROPER_OFFSET = /^[+-]\d{2}:\d{2}$/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MINUTE_MS = 60_000
/** No way of writing a time is longer. */
const MAX_LENGTH = 60

/** Reads an instant as agents write it; undefined for what is none, or a day or hour that does not exist. */
export function readInstant(text: string): ReadInstant | undefined {
  const usual = USUAL.exec(text)
  if (usual && isDay(Number(usual[1]), Number(usual[2]), Number(usual[3])))
    return { instant: text, oddities: [] }
  if (text.length > MAX_LENGTH) return undefined
  const parts = partsOf(text.trim())
  if (parts === undefined) return undefined
  const { year, month, day, clock, zone } = parts
  if (!isDay(year, month, day)) return undefined
  const dayMs = midnight(year, month, day)
  if (clock === '') return { instant: isoText(dayMs), oddities: [...parts.oddities, 'date_only'] }
  const time = clockMs(clock)
  if (time === undefined) return undefined
  const offset = zoneOf(zone)
  if (offset === undefined) return undefined
  const ms = dayMs + time - offset.minutes * MINUTE_MS
  const utcYear = new Date(ms).getUTCFullYear()
  return utcYear >= 0 && utcYear <= 9999
    ? { instant: isoText(ms), oddities: [...parts.oddities, ...offset.oddities] }
    : undefined
}

function partsOf(text: string): Parts | undefined {
  const iso = ISO.exec(text)
  if (iso) {
    const [, year, month, day, joint, rest] = iso
    const oddities: TimeOddity[] = joint === undefined || /t/i.test(joint) ? [] : ['space']
    return withClock(year!, month!, day!, rest, oddities)
  }
  const compact = COMPACT.exec(text)
  if (compact) {
    const [, year, month, day, hour, minute, second = '00', zone = ''] = compact
    return withClock(year!, month!, day!, hour && `${hour}:${minute}:${second}${zone}`, ['prose'])
  }
  const slashes = SLASHES.exec(text)
  if (slashes) return withClock(slashes[1]!, slashes[2]!, slashes[3]!, slashes[4], ['prose'])
  const monthFirst = MONTH_FIRST.exec(text)
  if (monthFirst) return withMonth(monthFirst[3]!, monthFirst[1]!, monthFirst[2]!, monthFirst[4])
  const dayFirst = DAY_FIRST.exec(text)
  return dayFirst ? withMonth(dayFirst[3]!, dayFirst[2]!, dayFirst[1]!, dayFirst[4]) : undefined
}

function withMonth(year: string, name: string, day: string, rest: string | undefined): Parts | undefined {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
  return month === 0 ? undefined : withClock(year, String(month), day, rest, ['prose'])
}

function withClock(
  year: string,
  month: string,
  day: string,
  rest: string | undefined,
  oddities: readonly TimeOddity[],
): Parts | undefined {
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  if (rest === undefined) return { ...date, clock: '', zone: '', oddities }
  const found = CLOCK.exec(rest)
  if (!found) return undefined
  const [, hour, minute, second = '00', fraction = '', half, zone] = found
  const hours = half === undefined ? Number(hour) : halfDay(Number(hour), half)
  const clock = `${hours}:${minute}:${second}.${fraction}`
  return { ...date, clock, zone: zone!.trim(), oddities }
}

/** 12 am is the start of the day. */
function halfDay(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return 99
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31)
}

function clockMs(clock: string): number | undefined {
  const [hour, minute, seconds] = clock.split(':')
  const [second, fraction = ''] = seconds!.split('.')
  const h = Number(hour)
  const m = Number(minute)
  // A leap second is written by some clocks; it is counted as the next second.
  const s = Number(second)
  if (h > 24 || m > 59 || s > 60 || (h === 24 && (m > 0 || s > 0))) return undefined
  return ((h * 60 + m) * 60 + s) * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
}

function zoneOf(
  zone: string,
): { readonly minutes: number; readonly oddities: readonly TimeOddity[] } | undefined {
  if (zone === '') return { minutes: 0, oddities: ['no_zone'] }
  if (zone === 'Z') return { minutes: 0, oddities: [] }
  if (/^(?:z|utc|gmt)$/i.test(zone)) return { minutes: 0, oddities: ['odd_zone'] }
  const found = OFFSET.exec(zone)
  if (!found) return undefined
  const [, sign, hours, minutes = '0'] = found
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined
  const total = Number(hours) * 60 + Number(minutes)
  return { minutes: sign === '-' ? -total : total, oddities: PROPER_OFFSET.test(zone) ? [] : ['odd_zone'] }
}

/** `Date.UTC` takes years below 100 for those of the last century. */
function midnight(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime()
}

function isoText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** The instant in UTC, to the second. What is no instant stays as it is. */
export function seconds(time: string): string {
  const at = Date.parse(time)
  return Number.isNaN(at) ? time : `${new Date(at).toISOString().slice(0, 19)}Z`
}
