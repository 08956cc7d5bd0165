import { FORGOTTEN } from '../../../lib/accounts/index.ts';
import type { AccountWrites } from '../../../lib/ports/storage/index.ts';
import { EXPORT_BATCH_ROWS } from '../../../lib/values/limits.ts';
import { accountAudit, accountEmailAudit } from '../audit/audited-records.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { isIn, sql } from '../sql/sql.ts';
import { selectOrdered, update } from '../tables/record-access.ts';
import { auditLogTable } from '../tables/system.ts';

type Anonymize = Parameters<AccountWrites['anonymizeHistory']>[1];

/** Every secondary address of the account, removed ones too; none may be active. */
export async function anonymizeEmails(scope: WriteScope, accountRecordId: number): Promise<void> {
  await scope.runner.run(sql`
    update bw_account_emails set email = ${FORGOTTEN}
    where tenant_record_id = ${scope.tenantRecordId} and account_record_id = ${accountRecordId}`);
}

/** The history records of the account and of its addresses, some at a time. */
export async function anonymizeHistory(
  scope: WriteScope,
  accountRecordId: number,
  anonymized: Anonymize,
): Promise<void> {
  const concerned = isIn('table_name', 'text', [accountAudit.tableName, accountEmailAudit.tableName]);
  for (let last = 0; ; ) {
    const rows = await selectOrdered(scope, auditLogTable, {
      condition: sql`account_record_id = ${accountRecordId} and ${concerned} and record_id > ${last}`,
      order: `record_id limit ${EXPORT_BATCH_ROWS}`,
    });
    const records = rows.map(({ id, snapshot }) => ({ id, snapshot: snapshot && anonymized(snapshot) }));
    if (records.length > 0)
      await update(scope, auditLogTable, { key: 'id', properties: ['snapshot'], records });
    if (rows.length < EXPORT_BATCH_ROWS) return;
    last = rows.at(-1)?.recordId ?? last;
  }
}
