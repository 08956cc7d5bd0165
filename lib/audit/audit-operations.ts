import type { AuditEntry, AuditRow, Leading, ObjectRef } from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** How much of the audit a read carries: none, inserts only, everything (accounts §14 rule 4). */
export const AuditLevel = { NONE: 'NONE', MINIMAL: 'MINIMAL', FULL: 'FULL' } as const;

export type AuditLevel = (typeof AuditLevel)[keyof typeof AuditLevel];

/** Who has changed what. */
export interface AuditOperations<C extends Leading = []> {
  /** The changes of each record, in write order; one query for any number of records, none for NONE. */
  logs(
    ...given: [...C, targetIds: readonly (Uuid | string)[], level: AuditLevel]
  ): Promise<ReadonlyMap<Uuid, readonly AuditEntry[]>>;

  /**
   * All audit rows of one object in write order, each with the object as it was after the change (accounts §14.1);
   * none for a system tag definition, which nobody made.
   * @throws BillingError with the 404 code of the object's type, or OBJECT_NOT_FOUND (60007).
   */
  history(...given: [...C, object: Given<ObjectRef>]): Promise<readonly AuditRow[]>;

  /**
   * As `history`, for an object that must belong to the account.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002); those of `history`, also for an object of another account.
   */
  historyWithin(
    ...given: [...C, accountId: Uuid | string, object: Given<ObjectRef>]
  ): Promise<readonly AuditRow[]>;

  /**
   * All changes of the account and of every object that belongs to it, table by table (accounts §14 rule 5).
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, accountId: Uuid | string]): Promise<readonly AuditEntry[]>;
}
