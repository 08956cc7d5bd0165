import {
  type Account as AccountRecord,
  accountFields,
  MAX_EMAIL_CHARACTERS,
} from '../../../lib/records/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import { field, model } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { bool, decimalNumber, text, uuid } from '../wire/scalars.ts';
import { auditLogs } from './audit-log.ts';

export const Account = model('Account', {
  accountId: field(uuid, 'R', { from: ({ id }: AccountRecord) => id }),
  ...recordFields(accountFields),
  isMigrated: field(bool, 'C', { nullable: true }),
  accountCBA: field(decimalNumber, 'R', { nullable: true }),
  accountBalance: field(decimalNumber, 'R', { nullable: true }),
  auditLogs,
});

export const AccountEmail = model('AccountEmail', {
  accountId: field(uuid, 'C', { required: true }),
  email: field(text(MAX_EMAIL_CHARACTERS), 'C', { required: true }),
  auditLogs,
});

/** Null where the call did not ask for it (accounts §5 rule 1). */
export interface ShownBalance {
  readonly accountCBA: Decimal | null;
  readonly accountBalance: Decimal | null;
}

/** What the model shows of an account. */
export type ShownAccount = AccountRecord & ShownBalance;
