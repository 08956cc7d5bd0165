import { randomBytes } from 'node:crypto';
import { type AuditRow, type Authorship, ChangeType, type New } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { createUuidV7, type Uuid } from '../../../lib/values/ids/index.ts';
import type { Runner } from '../sql/runner.ts';
import { TenantScope } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';
import type { AuditedTable } from './audited-records.ts';

export class WriteScope extends TenantScope {
  readonly changes = new ChangeLog();
  readonly authorship: Authorship;

  constructor(
    runner: Runner,
    tenantRecordId: number,
    { authorship, countThreshold }: { readonly authorship: Authorship; readonly countThreshold?: number },
  ) {
    super(runner, tenantRecordId, countThreshold);
    this.authorship = authorship;
  }

  async insertAudited<R extends Audited>(
    audit: AuditedTable<R>,
    records: readonly NoInfer<R>[],
  ): Promise<void> {
    await this.insertForIds(audit, records);
  }

  /** Inserts the records with their audit rows. Returns the record ids in order. */
  async insertForIds<R extends Audited>(
    audit: AuditedTable<R>,
    records: readonly NoInfer<R>[],
  ): Promise<readonly number[]> {
    if (records.length === 0) return [];
    const recordIds = await this.insert(audit.table, records);
    const changeType = ChangeType.INSERT;
    this.changes.addAll({
      length: records.length,
      at: (index) =>
        changeOf(audit, { record: at(records, index), recordId: at(recordIds, index), changeType }),
    });
    return recordIds;
  }

  async updateAudited<R extends Audited, P extends keyof R & string>(
    audit: AuditedTable<R>,
    change: { readonly properties: readonly P[]; readonly records: readonly Pick<NoInfer<R>, 'id' | P>[] },
  ): Promise<void> {
    if (change.records.length === 0) return;
    const { table } = audit;
    const records = await this.runner.readAs(table)`
      ${this.updateOf(table, { key: 'id', ...change })}
      returning ${this.columns(table, table.name)}`;
    const changeType = ChangeType.UPDATE;
    this.changes.addAll({
      length: records.length,
      at: (index) => {
        const record = at(records, index);
        return changeOf(audit, { record, recordId: record.recordId, changeType });
      },
    });
  }

  /**
   * Writes `properties` of records in one statement and adds the changes to the log. All other columns of the given
   * records must be current.
   */
  async updateKnown<R extends Audited, P extends keyof R & string>(
    audit: AuditedTable<R>,
    change: {
      readonly properties: readonly P[];
      readonly records: readonly WithId<NoInfer<R>>[];
      readonly changeType?: ChangeType;
    },
  ): Promise<void> {
    const { properties, records, changeType = ChangeType.UPDATE } = change;
    await this.update(audit.table, { properties, records });
    for (const record of records) this.noteChange(audit, { record, changeType });
  }

  async deactivate<R extends Audited & { readonly isActive: boolean }>(
    audit: AuditedTable<R>,
    active: readonly WithId<NoInfer<R>>[],
  ): Promise<void> {
    const records = active.map((record) => ({ ...record, isActive: false }));
    await this.updateKnown(audit, { properties: ['isActive'], records, changeType: ChangeType.DELETE });
  }

  /** Adds a change of a record without history to the log. */
  noteBareChange(
    tableName: string,
    {
      id,
      recordId,
      changeType,
    }: Pick<Change, 'changeType'> & { readonly id: Uuid; readonly recordId: number },
  ): void {
    const owner = { targetId: id, targetRecordId: recordId, accountRecordId: null };
    this.changes.add({ tableName, changeType, ...owner, snapshot: null });
  }

  noteUpdate<R extends Audited>(audit: AuditedTable<R>, record: WithId<NoInfer<R>>): void {
    this.noteChange(audit, { record, changeType: ChangeType.UPDATE });
  }

  /** Adds a change of a record to the log. `record` is its stored state. */
  noteChange<R extends Audited>(
    audit: AuditedTable<R>,
    change: Pick<Change, 'changeType' | 'comments'> & { readonly record: WithId<NoInfer<R>> },
  ): void {
    const { recordId } = change.record;
    this.changes.addAll({ length: 1, at: () => changeOf(audit, { ...change, recordId }) });
  }
}

export interface Audited {
  readonly id: Uuid;
  /** Account of the record. Absent or null if the record belongs to the tenant but not to an account. */
  readonly accountRecordId?: number | null;
}

type WithId<R> = R & { readonly recordId: number };

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  assertInvariant(found !== undefined, `Record ${index} of a change does not exist`);
  return found;
}

function changeOf<R extends Audited>(
  audit: AuditedTable<R>,
  change: Pick<Change, 'changeType' | 'comments'> & { readonly record: R; readonly recordId: number },
): Change {
  const { record, recordId, changeType, comments = null } = change;
  return {
    tableName: audit.tableName,
    changeType,
    targetId: record.id,
    targetRecordId: recordId,
    accountRecordId: record.accountRecordId ?? null,
    comments,
    snapshot: audit.snapshot(record),
  };
}

interface Change {
  readonly tableName: string;
  readonly changeType: ChangeType;
  readonly targetId: Uuid;
  readonly targetRecordId: number;
  readonly accountRecordId: number | null;
  /** The history columns of the record after the change (accounts §14.1). */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  /** Comments to store instead of the call's comments. */
  readonly comments?: string | null;
}

/**
 * Changes that are created only when they are written. In a large run, all changes together would need more memory than
 * the records.
 */
interface Changes {
  readonly length: number;
  at(index: number): Change;
}

const auditIds = createUuidV7({ now: () => Date.now(), randomBytes: (length) => randomBytes(length) });

/** Maximum number of rows per statement. All rows of a statement are in memory at once; 60,000 rows take 100 MiB. */
const MOST_ROWS = 4_096;

/**
 * Collects the changes of a transaction and writes their audit rows in a few large statements (accounts §14 rule 1).
 */
class ChangeLog {
  readonly #noted: Changes[] = [];
  /** Number of changes at the start of the log that have already been stored. */
  #written = 0;
  #left = 0;
  /** The accounts of the written changes. */
  readonly touched = new Set<number>();

  add(change: Change): void {
    this.addAll({ length: 1, at: () => change });
  }

  addAll(changes: Changes): void {
    this.#noted.push(changes);
    this.#left += changes.length;
  }

  get isLong(): boolean {
    return this.#left > MOST_ROWS;
  }

  /** Writes all changes that fill complete statements. The rest, which fits into one statement, stays in the log. */
  async flushLong(scope: TenantScope, authorship: Authorship): Promise<void> {
    while (this.isLong) await this.#write(scope, authorship);
  }

  async flush(scope: TenantScope, authorship: Authorship): Promise<void> {
    while (this.#left > 0) await this.#write(scope, authorship);
  }

  async #write(scope: TenantScope, authorship: Authorship) {
    const parts = this.#take(Math.min(MOST_ROWS, this.#left));
    const { touched } = this;
    const rows = {
      length: parts.reduce((sum, { from, to }) => sum + (to - from), 0),
      *[Symbol.iterator]() {
        for (const { changes, from, to } of parts) {
          for (let index = from; index < to; index += 1) {
            const change = changes.at(index);
            if (change.accountRecordId !== null) touched.add(change.accountRecordId);
            yield rowOf(change, authorship);
          }
        }
      },
    };
    await scope.runner.run(scope.insertInto(auditLogTable, rows));
  }

  /** Removes the first `count` changes from the log and returns them. */
  #take(count: number): readonly Part[] {
    const parts: Part[] = [];
    let missing = count;
    for (const changes of this.#noted) {
      const from = parts.length === 0 ? this.#written : 0;
      const to = Math.min(changes.length, from + missing);
      parts.push({ changes, from, to });
      missing -= to - from;
      if (missing === 0) break;
    }
    const last = parts.at(-1);
    const isBegun = last !== undefined && last.to < last.changes.length;
    this.#noted.splice(0, isBegun ? parts.length - 1 : parts.length);
    this.#written = isBegun ? last.to : 0;
    this.#left -= count;
    return parts;
  }
}

interface Part {
  readonly changes: Changes;
  readonly from: number;
  readonly to: number;
}

function rowOf(change: Change, authorship: Authorship): New<AuditRow> {
  const { tableName, changeType, targetId, targetRecordId, accountRecordId, snapshot } = change;
  return {
    id: auditIds.next(),
    tableName,
    targetId,
    targetRecordId,
    accountRecordId,
    changeType,
    changeDate: authorship.createdDate,
    changedBy: authorship.userName,
    reasonCode: authorship.reasonCode,
    comments: change.comments ?? authorship.comments,
    userToken: authorship.userTokenOf(accountRecordId),
    snapshot,
  };
}
