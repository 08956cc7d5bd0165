import type { SigningSecretReads, SigningSecretWrites } from '../../../lib/ports/storage/index.ts';
import type { SigningSecret } from '../../../lib/records/index.ts';
import { ChangeType, type New } from '../../../lib/records/index.ts';
import type { WriteScope } from '../audit/audited-writes.ts';
import { sql } from '../sql/sql.ts';
import { insert, selectOrdered, type TenantScope, update } from '../tables/record-access.ts';
import { signingSecretsTable } from '../tables/signing-secrets.ts';

export function signingSecretReads(scope: TenantScope): SigningSecretReads {
  return {
    active: async () =>
      selectOrdered(scope, signingSecretsTable, { condition: sql`is_active`, order: 'record_id desc' }),
  };
}

export function signingSecretWrites(scope: WriteScope): SigningSecretWrites {
  const note = (secret: Pick<New<SigningSecret>, 'id'>, recordId: number, changeType: ChangeType): void =>
    scope.changes.add({
      tableName: 'TENANT_KVS',
      changeType,
      targetId: secret.id,
      targetRecordId: recordId,
      accountRecordId: null,
      // The secret itself stands nowhere else.
      snapshot: null,
    });
  return {
    insert: async (secret) => {
      const [recordId = 0] = await insert(scope, signingSecretsTable, [secret]);
      note(secret, recordId, ChangeType.INSERT);
    },
    update: async (secrets) => {
      if (secrets.length === 0) return;
      const properties = ['signsUntilMs', 'isActive'] as const;
      await update(scope, signingSecretsTable, { key: 'id', properties, records: secrets });
      for (const secret of secrets)
        note(secret, secret.recordId, secret.isActive ? ChangeType.UPDATE : ChangeType.DELETE);
    },
  };
}
