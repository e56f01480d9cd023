// Every way of an agent that a database has a part in, on PostgreSQL.
import { goWays } from '../trust/suite.ts'

goWays('postgres')
