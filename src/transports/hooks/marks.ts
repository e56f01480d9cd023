import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole, writing } from '../../home-files.ts'

/** What was open when a session's memory was cut. */
export interface Note {
  readonly agent: string
  readonly session_id: string
  readonly at: string
  readonly trigger: string
  readonly open: readonly { readonly id: string; readonly title: string; readonly progress?: number }[]
}

const DAYS_KEPT = 7

/** The little that hooks remember between two calls of them: files named after agent and session. */
export class Marks {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Takes one of so many refusals of a session. Each is a file that only one caller can make, so that hooks running
   * at once never refuse more often; false when all are taken, or when it cannot be remembered.
   */
  async takeRefusal(agent: string, session: string, most: number): Promise<boolean> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    } catch {
      return false
    }
    for (let number = 1; number <= most; number++) {
      const file = join(this.#folder, `${nameOf(agent, session)}.refused-${number}`)
      try {
        await (await open(file, 'wx', 0o600)).close()
        return true
      } catch {
        // Taken, or nothing can be written here: the others will tell.
      }
    }
    return false
  }

  async keepNote(note: Note): Promise<void> {
    const file = join(this.#folder, `${nameOf(note.agent, note.session_id)}.note`)
    writing(file, () => writeWhole(file, `${JSON.stringify(note)}\n`))
  }

  /** The note of this session, else the agent's newest one; it is shown once. */
  async takeNote(agent: string, session: string): Promise<Note | undefined> {
    const own = `${nameOf(agent, session)}.note`
    const files = (await this.#files()).filter(
      (file) => file.endsWith('.note') && file.startsWith(`${agent}-`),
    )
    const notes = await Promise.all(files.map(async (file) => ({ file, note: await this.#noteIn(file) })))
    const [chosen] = notes
      .filter(({ note }) => note !== undefined && note.agent === agent)
      .sort((a, b) => rank(b) - rank(a) || (b.note!.at < a.note!.at ? -1 : 1))
    if (chosen === undefined) return undefined
    await rm(join(this.#folder, chosen.file), { force: true })
    return chosen.note

    function rank({ file }: { readonly file: string }): number {
      return file === own ? 1 : 0
    }
  }

  /** Sessions end without a word; what they left goes after a week. */
  async clearOld(now: Date): Promise<void> {
    const oldest = now.getTime() - DAYS_KEPT * 86_400_000
    for (const name of await this.#files()) {
      const file = join(this.#folder, name)
      const known = await stat(file).catch(() => undefined)
      if (known !== undefined && known.mtimeMs < oldest) await rm(file, { force: true })
    }
  }

  async #files(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(() => [])
  }

  async #noteIn(file: string): Promise<Note | undefined> {
    try {
      const note = JSON.parse(await readFile(join(this.#folder, file), 'utf8')) as Note
      return Array.isArray(note.open) && typeof note.agent === 'string' ? note : undefined
    } catch {
      return undefined
    }
  }
}

/** A session's id comes from outside: its hash is a name that leads nowhere else. */
const nameOf = (agent: string, session: string): string =>
  `${agent}-${createHash('sha256').update(session).digest('hex').slice(0, 24)}`
