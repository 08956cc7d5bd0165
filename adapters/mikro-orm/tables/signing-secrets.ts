import type { New, SigningSecret } from '../../../lib/records/index.ts';
import { bigintOrNull, boolean, instantAt, text, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

export const signingSecretsTable = new RecordTable<New<SigningSecret>>(
  {
    name: 'signing_secrets',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'current', columns: ['tenant_record_id'], where: 'is_active and signs_until_ms is null' },
    ],
    indexes: [{ name: 'active', columns: ['tenant_record_id'], where: 'is_active' }],
  },
  {
    id: uuid('id'),
    secret: text('secret'),
    signsUntilMs: bigintOrNull('signs_until_ms'),
    isActive: boolean('is_active'),
    createdDate: instantAt('created_date'),
  },
);
