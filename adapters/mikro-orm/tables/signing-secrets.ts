import type { New, SigningSecret } from '../../../lib/records/index.ts';
import { signingSecretFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
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
  columnsOf(signingSecretFields),
);
