import {
  type Account as AccountRecord,
  accountFields,
  MAX_EMAIL_CHARACTERS,
} from '../../../lib/records/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import { alike, derivedField, field, maybe, model } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { decimalNumber, text, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

export const Account = model('Account', {
  accountId: derivedField(uuid, ({ id }: AccountRecord) => id),
  ...recordFields(accountFields),
  ...alike(maybe(decimalNumber), 'accountCBA', 'accountBalance'),
  auditLogs,
});

export const AccountEmail = model('AccountEmail', {
  accountId: field(uuid, 'C', { required: true }),
  email: field(text(MAX_EMAIL_CHARACTERS), 'C', { required: true }),
  auditLogs,
});

/** An account as shown in responses. Balances are null if they were not requested (accounts §5 rule 1). */
export interface ShownAccount extends AccountRecord {
  readonly accountCBA: Decimal | null;
  readonly accountBalance: Decimal | null;
}
