import { newPostgresPlace } from '../../../test/store-places.ts'
import { describeStoreContract } from '../store.contract.ts'

describeStoreContract('postgres', newPostgresPlace)
