import { checkoutAbove, linkedBranches } from '../git/checkout.ts'
import { agentOfWorktree, branchPrefix, isBranchOf } from '../git/names.ts'
import type { Project } from '../service/deps.ts'

/** The project in this folder, as the service may see it. What reads it is loaded by the first that asks. */
export function projectAt(root: string): Project {
  return {
    get git() {
      return checkoutAbove(root) !== undefined
    },
    taken(agent) {
      const checkout = checkoutAbove(root)
      const others = (checkout ? linkedBranches(checkout.root) : []).filter(
        ({ folder }) => agentOfWorktree(folder) !== agent,
      )
      return (task) => others.some(({ branch }) => isBranchOf(branch, task) && !isOfLongerId(branch, task))
    },
    async read(path) {
      const { checkoutFiles } = await import('../git/files.ts')
      return checkoutFiles(root).read(path)
    },
    async prompt(task) {
      const [{ checkoutFiles }, { findPrompt }] = await Promise.all([
        import('../git/files.ts'),
        import('../git/prompts.ts'),
      ])
      const found = await findPrompt(checkoutFiles(root), task)
      if (found?.title === undefined) return undefined
      const { path, title, prompt, checklist, extractions } = found
      const items = checklist.map(({ text, done }) => `- [${done ? 'x' : ' '}] ${text}`)
      const ready = [prompt, items.join('\n')].filter(Boolean).join('\n\n')
      const text = prompt === undefined ? sectionIn((await this.read(path)) ?? '', task) : ready
      return { path, text: `${title}\n\n${text}`.trim(), extractions }
    },
  }
}

/** `feature/p0-1-1-setup` may be of P0.1.1, so it takes nothing away from P0.1. */
const isOfLongerId = (branch: string, task: string): boolean =>
  /^\d+(?:-|$)/.test(branch.slice(branchPrefix(task).length))

/** All that stands under the heading of a task: where no prompt is ready to paste, the section is what there is. */
function sectionIn(text: string, task: string): string {
  const lines = text.split(/\r?\n/)
  const levelOf = (line: string) => /^#{1,6}(?=\s)/.exec(line)?.[0].length ?? 0
  const start = lines.findIndex((line) => levelOf(line) > 0 && line.split(/[\s:*`]+/).includes(task))
  if (start < 0) return ''
  const level = levelOf(lines[start]!)
  const end = lines.findIndex((line, i) => i > start && levelOf(line) > 0 && levelOf(line) <= level)
  return lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join('\n')
    .trim()
}
