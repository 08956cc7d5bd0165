import type { Leading } from '../../records/index.ts';
import type { OverdueAccountOperations } from './overdue-account-operations.ts';
import type { OverdueConfigOperations } from './overdue-config-operations.ts';

/** What happens to those who do not pay, and who that is. */
export interface OverdueOperations<C extends Leading = []>
  extends OverdueConfigOperations<C>,
    OverdueAccountOperations<C> {}
