import type { AuditEntry } from '../records/index.ts';

/** The tables whose name in audit rows is not that of the table itself (accounts §14.1). */
const ownNames: Readonly<Record<string, string>> = {
  ACCOUNT: 'accounts',
  ACCOUNT_EMAIL: 'account_emails',
  TAG: 'tags',
  CUSTOM_FIELD: 'custom_fields',
};

/**
 * The changes of an account as they are listed: by the name of the table, code point by code point, then by record, then in
 * the order in which they were written (accounts §14 rule 5).
 */
export function inAccountOrder(entries: readonly AuditEntry[]): readonly AuditEntry[] {
  const ofTable = Map.groupBy(entries, ({ tableName }) => ownNames[tableName] ?? tableName.toLowerCase());
  // Names of tables are ASCII, where code units are code points.
  return [...ofTable.keys()]
    .toSorted()
    .flatMap((name) =>
      (ofTable.get(name) ?? []).toSorted(
        (a, b) => a.targetRecordId - b.targetRecordId || a.recordId - b.recordId,
      ),
    );
}
