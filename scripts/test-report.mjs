// Short on success: only what failed is told, with all that is known about it.
import { relative } from 'node:path'
import { inspect } from 'node:util'

/** Reads the events of node:test to their end, shows progress, prints failures, and counts. A skipped test is a failure. */
export async function report(events, progress) {
  const output = new Map()
  const failing = new Set()
  const leftOut = []
  let counts = { passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 }
  for await (const event of events) {
    progress?.see(event)
    const { type, data } = event
    // Only a test that was left out has one of these, whether it passed or failed.
    if ((type === 'test:pass' || type === 'test:fail') && (data.skip ?? data.todo) !== undefined)
      leftOut.push(data)
    else if (type === 'test:stdout' || type === 'test:stderr') {
      output.set(data.file, (output.get(data.file) ?? '') + data.message)
    } else if (type === 'test:diagnostic' && /asynchronous activity/.test(data.message)) {
      // It makes a file fail in which every test has passed, and is told nowhere else.
      output.set(data.file, `${output.get(data.file) ?? ''}${data.message}\n`)
    } else if (type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed') {
      failing.add(data.file ?? data.name)
      console.log(failure(data))
    } else if (type === 'test:summary' && data.file === undefined) {
      counts = data.counts
    }
  }
  for (const { name, file, line } of leftOut)
    console.log(`✖ ${name}${placeOf(file, line)} was left out, and such a test proves nothing\n`)
  for (const file of failing) {
    if (output.has(file)) console.log(`Output of ${local(file)}:\n${output.get(file).trim()}\n`)
  }
  return {
    passed: counts.passed,
    failed: counts.failed + counts.cancelled + leftOut.length,
    skipped: leftOut.length,
  }
}

/** The table of all steps, and the sum as the last line. A step that is no suite counts when it fails. */
export function summary(rows) {
  const cells = rows.map(({ name, seconds, files, passed, failed }) => [
    name,
    `${seconds.toFixed(1)} s`,
    failed > 0 ? 'FAILED' : 'ok',
    files === undefined ? '' : `${files} files${files > 0 ? `, ${passed + failed} tests` : ''}`,
  ])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((row) => row[column].length)))
  const lines = cells.map(([name, seconds, state, tests]) =>
    [name.padEnd(widths[0]), seconds.padStart(widths[1]), state.padEnd(widths[2]), tests]
      .join('  ')
      .trimEnd(),
  )
  const sum = (key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0)
  return [...lines, `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`].join('\n')
}

function failure({ name, file, line, details }) {
  const { error } = details
  const cause = error?.cause ?? error
  const text =
    cause instanceof Error || typeof cause === 'object' ? inspect(cause, { depth: 6 }) : String(cause)
  const own = text.split('\n').filter((each) => !/^\s+at .*node:internal/.test(each) || each.endsWith('{'))
  return [`✖ ${name}${placeOf(file, line)}`, ...own.map((each) => `    ${each}`), ''].join('\n')
}

function placeOf(file, line) {
  return file ? ` (${local(file)}${line ? `:${line}` : ''})` : ''
}

function local(file) {
  return relative(process.cwd(), file)
}
