import { signingSecretFields } from '../../../lib/records/index.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

export const signingSecretsTable = new RecordTable('signing_secrets', columnsOf(signingSecretFields), {
  uniques: { id: 'id', current: 'tenant_record_id where is_active and signs_until_ms is null' },
  indexes: { active: 'tenant_record_id where is_active' },
});
