import { bigint, fieldsOf, integerOrNull, jsonOrNull, text, textOrNull, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

const fields = {
  key: text('idempotency_key'),
  ...fieldsOf({
    requestHash: text,
    claimId: uuid,
    startedMs: bigint,
    status: integerOrNull,
    headers: jsonOrNull<Readonly<Record<string, string>>>,
    body: textOrNull,
  }),
};

export const idempotencyKeysTable = new RecordTable('idempotency_keys', fields, {
  uniques: { key: 'tenant_record_id, idempotency_key' },
  indexes: { started: 'started_ms' },
});
