import { newSqlitePlace } from '../../../test/store-places.ts'
import { describeStoreContract } from '../store.contract.ts'

describeStoreContract('sqlite', newSqlitePlace)
