// How far the tests are: one live line on a terminal, now and then a plain line elsewhere.
import { relative } from 'node:path'

const LIVE_MS = 200
const PLAIN_MS = 30_000
const PARTS = 10

/** Tells of one step from its start to its end. Steps without files are told by name and seconds alone. */
export class Progress {
  #name
  #files
  #out
  #started = performance.now()
  #done = 0
  #tests = 0
  #part = 0
  /** Files that run, each with when it began. */
  #running = new Map()
  #timer

  constructor(name, files, out = process.stdout) {
    this.#name = name
    this.#files = files
    this.#out = out
    if (!out.isTTY) out.write(`${name}${files ? `: ${files} files` : ''} …\n`)
    this.#timer = setInterval(() => this.#tell(), out.isTTY ? LIVE_MS : PLAIN_MS)
    this.#timer.unref()
  }

  /** An event of node:test, before anybody prints something about it. */
  see({ type, data }) {
    if (type === 'test:fail' || type === 'test:summary') this.#clear()
    if (data.name !== data.file) {
      if (type === 'test:complete' && data.details.type !== 'suite') this.#tests += 1
    } else if (type === 'test:dequeue') {
      this.#running.set(data.file, performance.now())
    } else if (type === 'test:complete') {
      this.#running.delete(data.file)
      this.#done += 1
      this.#tellPart(Math.floor((this.#done / this.#files) * PARTS))
    }
  }

  /** How long the file runs that began first. */
  get longestMs() {
    return performance.now() - Math.min(performance.now(), ...this.#running.values())
  }

  /** The result of the step, in one line that stays. */
  end({ failed, passed }) {
    clearInterval(this.#timer)
    this.#clear()
    const tests = passed === undefined ? '' : `, ${this.#files} files, ${passed + failed} tests`
    this.#out.write(`${this.#name}: ${failed > 0 ? 'FAILED' : 'ok'}${tests}, ${this.#seconds(1)} s\n`)
  }

  #tellPart(part) {
    if (this.#out.isTTY || part === this.#part || part === PARTS) return
    this.#part = part
    this.#tell()
    this.#timer.refresh()
  }

  #tell() {
    const far = this.#files ? `: ${this.#done} of ${this.#files} files, ${this.#tests} tests` : ''
    const now = [...this.#running.keys()].map((file) => relative(process.cwd(), file))
    const line = `${this.#name}${far}, ${this.#seconds(0)} s${now.length > 0 ? `  ${now.join(' ')}` : ''}`
    if (!this.#out.isTTY) this.#out.write(`${line}\n`)
    else this.#out.write(`\r\x1b[2K${line.slice(0, (this.#out.columns || 80) - 1)}`)
  }

  #clear() {
    if (this.#out.isTTY) this.#out.write('\r\x1b[2K')
  }

  #seconds(digits) {
    return ((performance.now() - this.#started) / 1000).toFixed(digits)
  }
}
