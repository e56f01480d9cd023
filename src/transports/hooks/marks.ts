import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { orElse } from '../../domain/once.ts'
import { writeOwn } from '../../workspace/home-files.ts'

/** The work that was open when a session's memory was cut. */
export interface HookMark {
  readonly agent: string
  readonly session_id: string
  readonly at: string
  readonly trigger: string
  readonly open: readonly { readonly id: string; readonly title: string; readonly progress?: number }[]
}

const DAYS_KEPT = 7

/**
 * The little that hooks remember between two calls of them: files named after agent and session. Read and written in
 * place, because nothing else goes on in a hook and loading what waits for files takes longer than the files.
 */
export class Marks {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Takes one of so many refusals of a session. Each is a file that only one caller can make, so that hooks running
   * at once never refuse more often; false when all are taken, or when it cannot be remembered.
   */
  takeRefusal(agent: string, session: string, most: number): boolean {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    } catch {
      return false
    }
    for (let number = 1; number <= most; number++) {
      const file = join(this.#folder, `${markName(agent, session)}.refused-${number}`)
      try {
        closeSync(openSync(file, 'wx', 0o600))
        return true
      } catch {
        // Taken, or nothing can be written here: the others will tell.
      }
    }
    return false
  }

  /** Whether a session's last heartbeat is so long ago. */
  isDue(agent: string, session: string, now: Date, everyMs: number): boolean {
    const known = statSync(this.#beatFile(agent, session), { throwIfNoEntry: false })
    return known === undefined || now.getTime() - known.mtimeMs >= everyMs
  }

  keepBeat(agent: string, session: string): void {
    writeOwn(this.#beatFile(agent, session), '')
  }

  #beatFile(agent: string, session: string): string {
    return join(this.#folder, `${markName(agent, session)}.beat`)
  }

  keepNote(note: HookMark): void {
    const file = join(this.#folder, `${markName(note.agent, note.session_id)}.note`)
    writeOwn(file, `${JSON.stringify(note)}\n`)
  }

  /** The note of this session, else the agent's newest one; it is shown once. */
  takeNote(agent: string, session: string): HookMark | undefined {
    const own = `${markName(agent, session)}.note`
    const files = this.#files().filter((file) => file.endsWith('.note') && file.startsWith(`${agent}@`))
    const notes = files.map((file) => ({ file, note: this.#noteIn(file) }))
    const [chosen] = notes
      .filter(({ note }) => note !== undefined && note.agent === agent)
      .sort((a, b) => Number(b.file === own) - Number(a.file === own) || (b.note!.at < a.note!.at ? -1 : 1))
    if (chosen === undefined) return undefined
    rmSync(join(this.#folder, chosen.file), { force: true })
    return chosen.note
  }

  /** Sessions end without a word; what they left goes after a week. */
  clearOld(now: Date): void {
    const oldest = now.getTime() - DAYS_KEPT * 86_400_000
    for (const name of this.#files()) {
      const file = join(this.#folder, name)
      const known = statSync(file, { throwIfNoEntry: false })
      if (known !== undefined && known.mtimeMs < oldest) rmSync(file, { force: true })
    }
  }

  #files(): readonly string[] {
    return orElse(() => readdirSync(this.#folder), [])
  }

  #noteIn(file: string): HookMark | undefined {
    const note = orElse(() => JSON.parse(readFileSync(join(this.#folder, file), 'utf8')), undefined)
    return Array.isArray(note?.open) && typeof note.agent === 'string' ? note : undefined
  }
}

/** Session ids as programs write them; safe as the name of a file, since no path can be in them. */
const PLAIN = /^[A-Za-z0-9-]{8,64}$/

/** A session's id comes from outside: what is not plain is hashed, which most need not load the code for. */
const markName = (agent: string, session: string): string =>
  `${agent}@${PLAIN.test(session) ? session : `#${createHash('sha256').update(session).digest('hex').slice(0, 24)}`}`
