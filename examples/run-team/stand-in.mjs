// Plays a planner, a coder or a reviewer without a model: reads its brief, does a little, and ends with an exit code.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const brief = readFileSync(0, 'utf8')
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' })

const ROLES = {
  planner: () => 'Plan: limit.txt holds the limit. It works when the file says 100.',
  coder() {
    if (!brief.includes('limit.txt')) throw new Error('the brief holds no plan')
    writeFileSync('limit.txt', '100\n')
    git('add', 'limit.txt')
    const author = ['-c', 'user.name=coder', '-c', 'user.email=coder@example.com']
    git(...author, 'commit', '--quiet', '--message', 'Limit requests to 100 a minute')
    return `Committed limit.txt on ${git('branch', '--show-current').trim()}`
  },
  reviewer() {
    const [, branch = 'none'] = /(baton\/coder\/[\w.-]+)/.exec(brief) ?? []
    const limit = git('show', `${branch}:limit.txt`).trim()
    if (limit !== '100') throw new Error(`limit.txt on ${branch} says ${limit}`)
    return `Reviewed ${branch}: the limit is ${limit}.`
  },
}

console.log(ROLES[process.argv[2]]())
