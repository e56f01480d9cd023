/** The five of the demo, each with the document that it goes by. */
export const TEAM = [
  { name: 'grok', dialect: 'markdown', about: 'hands over by files in _handoffs/' },
  { name: 'claude', dialect: 'writeback', about: 'works through tasks and leaves a record of each' },
  { name: 'react-specialist', dialect: 'queue', about: 'takes the next from its queue' },
  { name: 'test-runner', dialect: 'block', about: 'ends its reports with a YAML block' },
  { name: 'release-manager', dialect: 'package', about: 'hands over packages, with a gate for a person' },
] as const
export type Player = (typeof TEAM)[number]['name']

export const isPlayer = (name: string): name is Player => TEAM.some((player) => player.name === name)

/** The project that they work on. Its rules are few: how much everybody may hold, and who verifies. */
export const CONFIG = `default_limits:
  outgoing: 6
  incoming: 4
verification:
  verifiers: [grok]
  chief: grok
folders:
  - dialect: markdown
    path: _handoffs
`

export const WORKFLOW_NAME = 'release'
export const WORKFLOW = `name: ${WORKFLOW_NAME}
description: Rate limiting goes live
home: package
steps:
  - id: notes
    title: Write the release notes
    agent: release-manager
    summary: Say in plain words what changes for whoever calls the API, and from when on.
    deliverables: [docs/release-notes.md]
    gate:
      name: go live
      items:
        - The release notes are true
        - The tests of all three kinds passed
        - Somebody is there to watch the first hour
  - parallel:
      - id: deploy
        title: Deploy to production
        agent: release-manager
        summary: Roll out to one host first and then to all of them.
      - id: announce
        title: Tell the customers
        agent: grok
        summary: Send the release notes to everybody who has a key for the API.
  - id: watch
    title: Watch the first hour
    agent: test-runner
    summary: Count the refused calls and compare them with the plan.
    on_failure: { retry: 1 }
`

/** The plan that claude makes: what must be there before what. */
export const TASKS = [
  { id: 'RL-1', title: 'Choose the algorithm', needs: [], critical: true },
  { id: 'RL-2', title: 'Token bucket', needs: ['RL-1'], critical: true },
  { id: 'RL-3', title: 'Settings page', needs: ['RL-1'], critical: false },
  { id: 'RL-4', title: 'Usage chart', needs: ['RL-1'], critical: false },
  { id: 'RL-5', title: 'Middleware', needs: ['RL-2'], critical: true },
  { id: 'RL-6', title: 'Load test', needs: ['RL-5', 'RL-3'], critical: true },
  { id: 'RL-7', title: 'Guide for customers', needs: ['RL-4', 'RL-3'], critical: false },
  { id: 'RL-8', title: 'Release', needs: ['RL-6', 'RL-7'], critical: true },
] as const
