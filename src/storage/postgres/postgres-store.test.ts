import { newPostgresPlace } from '../../../test/support/store/store-places.ts'
import { describeStoreContract } from '../store.contract.ts'

describeStoreContract('postgres', newPostgresPlace)
