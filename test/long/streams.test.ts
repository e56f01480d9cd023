import { describeStreams } from '../support/servers/hosts.ts'

describeStreams({ agents: 200, seconds: 60 })
