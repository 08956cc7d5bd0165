import type { KeptRequest } from '../../../lib/ports/storage/index.ts';
import { bigint, integerOrNull, jsonOrNull, text, textOrNull, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

export const idempotencyKeysTable = new RecordTable<KeptRequest>(
  {
    name: 'idempotency_keys',
    ofTenant: true,
    uniques: [{ name: 'key', columns: ['tenant_record_id', 'idempotency_key'] }],
    indexes: [{ name: 'started', columns: ['started_ms'] }],
  },
  {
    key: text('idempotency_key'),
    requestHash: text('request_hash'),
    claimId: uuid('claim_id'),
    startedMs: bigint('started_ms'),
    status: integerOrNull('status'),
    headers: jsonOrNull<Readonly<Record<string, string>>>('headers'),
    body: textOrNull('body'),
  },
);
