import { newSqlitePlace } from '../../../test/support/store/store-places.ts'
import { describeStoreContract } from '../store.contract.ts'

describeStoreContract('sqlite', newSqlitePlace)
