import { randomBytes } from 'node:crypto';
import type { Authorship, ChangeType } from '../../../lib/records/index.ts';
import { createUuidV7, type Uuid } from '../../../lib/values/ids/index.ts';
import { eachOf, insertInto, type TenantScope } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';

/** One change of an audited record. */
export interface Change {
  readonly tableName: string;
  readonly changeType: ChangeType;
  readonly targetId: Uuid;
  readonly targetRecordId: number;
  readonly accountRecordId: number | null;
  /** The record's history columns after the change (accounts §14.1). */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  /** Comments of its own; default: those of the call. */
  readonly comments?: string | null;
}

const auditIds = createUuidV7({ now: () => Date.now(), randomBytes: (length) => randomBytes(length) });

/** Collects the changes of a transaction and writes their audit rows with one statement (accounts §14 rule 1). */
export class ChangeLog {
  readonly #changes: Change[] = [];

  add(change: Change): void {
    this.#changes.push(change);
  }

  async flush(scope: TenantScope, authorship: Authorship): Promise<void> {
    const changes = this.#changes.splice(0);
    if (changes.length === 0) return;
    const rowOf = (change: Change) => ({
      ...change,
      id: auditIds.next(),
      changeDate: authorship.createdDate,
      changedBy: authorship.userName,
      reasonCode: authorship.reasonCode,
      comments: change.comments ?? authorship.comments,
      userToken: authorship.userTokenOf(change.accountRecordId),
    });
    await scope.runner.run(insertInto(scope, auditLogTable, eachOf(changes, rowOf)));
  }
}
