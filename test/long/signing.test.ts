import { describeSigning } from '../support/servers/hosts.ts'

describeSigning({ minutes: 30, agents: 30 })
