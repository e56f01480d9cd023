import { describeWorkspaces } from '../support/servers/many-workspaces.ts'
import { newDatabase } from '../support/store/store-places.ts'

describeWorkspaces({ workspaces: 3, servers: async () => [await newDatabase(), await newDatabase()] })
