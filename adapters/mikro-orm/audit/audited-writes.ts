import { type Authorship, ChangeType } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Runner } from '../sql/runner.ts';
import { TenantScope } from '../tables/record-access.ts';
import type { AuditedTable } from './audited-records.ts';
import { type Change, ChangeLog } from './change-log.ts';

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
    if (records.length === 0) return;
    const recordIds = await this.insert(audit.table, records);
    const changeType = ChangeType.INSERT;
    this.changes.addAll({
      length: records.length,
      at: (index) =>
        changeOf(audit, { record: at(records, index), recordId: at(recordIds, index), changeType }),
    });
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

  /** Writes `properties` of records that are otherwise known to be current, in one statement, and notes the changes. */
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

  /** Notes a change of a record without history. */
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

  /** Notes a change of a record; `record` is its stored state. */
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
  /** Absent or null if the record belongs to the tenant and not to an account. */
  readonly accountRecordId?: number | null;
}

type WithId<R> = R & { readonly recordId: number };

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  assertInvariant(found !== undefined, `Change ${index} does not exist`);
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
